"""Adding a re-ranker: copied, tried, and only then given its name."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import cast

from quipu.errors import BadInput, Conflict, EmbeddingError, ModelMissing
from quipu.kernel.embedding.installation import placed
from quipu.kernel.embedding.stored import GRAPH, TOKENIZER, is_name
from quipu.kernel.rerank.local import LocalReranker
from quipu.kernel.rerank.reranker import NoScores
from quipu.kernel.rerank.stored import RerankerInfo, read_reranker, shelf, write_card

_MOST_TOKENS = 512
_LEAST_TOKENS = 16
_GRAPHS = (GRAPH, f"onnx/{GRAPH}")
_OFFSET = {"roberta": 2, "xlm-roberta": 2, "camembert": 2}
"""Positions that these models never use."""

_TRIED = ("Which fruit is yellow?", "Bananas are yellow.")
_TRY_HINT = "Is it the ONNX file of a cross-encoder, with the tokenizer.json of these weights?"


def add_reranker(directory: Path, *, home: Path, name: str | None = None) -> RerankerInfo:
    """Copy a cross-encoder (model.onnx, also in onnx/, and tokenizer.json) into ``home/rerankers/NAME``.

    The name is the directory's unless given. It is tried first, and appears whole or not at all.
    Raises ``BadInput`` with the reason when it does not run, ``Conflict`` when the name is taken,
    ``EmbeddingError`` when files cannot be read or written.
    """
    name = _checked_name(name or directory.resolve().name, home)
    graph, max_tokens = _graph(directory), _max_tokens(directory)
    try:
        with placed(shelf(home), name) as unfinished:
            shutil.copyfile(graph, unfinished / GRAPH)
            shutil.copyfile(directory / TOKENIZER, unfinished / TOKENIZER)
            write_card(unfinished, name=name, max_tokens=max_tokens)
            _try(read_reranker(unfinished))
    except OSError as error:
        raise EmbeddingError(
            f"The re-ranker {name!r} could not be added to {shelf(home)}: {error}.",
            hint="Nothing was kept. Look at the directory's rights and the free disk space, then try again.",
        ) from error
    return read_reranker(shelf(home) / name)


def _checked_name(name: str, home: Path) -> str:
    if not is_name(name):
        raise BadInput(
            f"{name!r} cannot be a model's name.", field="name", hint="Use letters, digits, '.', '_', '-'."
        )
    if (shelf(home) / name).exists():
        raise Conflict(
            f"There is already a re-ranker {name!r}.", field="name", hint="Give another with --name."
        )
    return name


def _graph(directory: Path) -> Path:
    """Return the ONNX file of the directory."""
    graphs = [directory / name for name in _GRAPHS if (directory / name).is_file()]
    if not graphs or not (directory / TOKENIZER).is_file():
        raise BadInput(
            f"{directory} has no {TOKENIZER if graphs else GRAPH}.",
            hint=f"Hand in a directory with {GRAPH} (or {_GRAPHS[1]}) and {TOKENIZER}.",
        )
    return graphs[0]


def _max_tokens(directory: Path) -> int:
    """Return the tokens of a pair that are read: 512, or less where the model has fewer positions."""
    path = directory / "config.json"
    if not path.is_file():
        return _MOST_TOKENS
    try:
        content: object = json.loads(path.read_bytes())
        config = cast("dict[str, object]", content) if isinstance(content, dict) else {}
        positions = int(cast("int", config.get("max_position_embeddings", _MOST_TOKENS)))
    except (ValueError, TypeError) as error:
        raise BadInput(f"a number is missing or wrong: {error}.", field="config.json") from error
    usable = positions - _OFFSET.get(str(config.get("model_type")), 0)
    if usable < _LEAST_TOKENS:
        raise BadInput(f"{usable} tokens are too few for a question and a text.", field="config.json")
    return min(_MOST_TOKENS, usable)


def _try(model: RerankerInfo) -> None:
    """Refuse a model that does not load, or loads and does not score."""
    try:
        LocalReranker(model, threads=1).opened().log_odds(*_TRIED)
    except ModelMissing as error:
        raise BadInput(f"The re-ranker does not run: {error.__cause__ or error}.", hint=_TRY_HINT) from error
    except NoScores as error:
        raise BadInput(f"The re-ranker does not run: it {error}.", hint=_TRY_HINT) from error
