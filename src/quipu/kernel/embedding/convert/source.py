"""Weights of a model with all that belongs to them, and the files that are made of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from quipu.kernel.embedding.convert import bert
from quipu.kernel.embedding.convert.bert import BertShape, Precision
from quipu.kernel.embedding.convert.graph import Graph
from quipu.kernel.embedding.embedder import Vectors
from quipu.kernel.embedding.prefixes import Prefixes
from quipu.kernel.embedding.stored import Card, write_model


@dataclass(frozen=True, slots=True)
class BertEncoder:
    """A BERT encoder: tensors by the names of ``BertModel``, and ``sha256`` of the file they are from."""

    weights: Mapping[str, Vectors]
    shape: BertShape
    tokenizer: bytes
    sha256: str
    prefixes: Prefixes


def write_source(
    source: BertEncoder, target: Path, *, name: str, graph: Graph, precision: Precision = "int8"
) -> None:
    """Write the model files (see ``stored``) into the existing directory ``target``; ``graph`` is empty.

    Raises ``BadInput`` when a tensor is missing.
    """
    built = bert.build(graph, source.weights, source.shape, precision=precision)
    card = Card(
        name=name,
        dimensions=source.shape.hidden,
        max_tokens=source.shape.positions,
        precision=precision,
        pooling=source.shape.pooling,
        graph_sha256=sha256(built).hexdigest(),
        tokenizer_sha256=sha256(source.tokenizer).hexdigest(),
        source_sha256=source.sha256,
        query_prefix=source.prefixes.query,
        passage_prefix=source.prefixes.passage,
    )
    write_model(target, card, graph=built, tokenizer=source.tokenizer)
