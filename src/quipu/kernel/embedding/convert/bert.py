"""The encoder of BERT (Devlin et al. 2018) as an ONNX graph, from token ids to one pooled vector.

One text at a time: there is no attention mask, so every row of a call must have the same length.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from quipu.errors import BadInput
from quipu.kernel.embedding.convert.graph import MICROSOFT, Graph
from quipu.kernel.embedding.embedder import Vectors

Pooling: TypeAlias = Literal["mean", "cls"]
Precision: TypeAlias = Literal["int8", "fp32"]
INPUT, OUTPUT = "input_ids", "embedding"
_LEAST = 1e-8
_PAIR_LIMIT = 127
"""Rounding adds at most 1 to the sum of two weights; 255 (the largest activation) x 128 fits 16 bits."""


@dataclass(frozen=True, slots=True)
class BertShape:
    """Values of ``config.json`` that the graph depends on."""

    hidden: int
    layers: int
    heads: int
    positions: int
    epsilon: float
    pooling: Pooling


def build(graph: Graph, weights: Mapping[str, Vectors], shape: BertShape, *, precision: Precision) -> bytes:
    """Fill an empty graph and return the model file.

    It turns int64 ``input_ids`` (n, length) into float32 ``embedding`` (n, hidden).

    The vectors are pooled, not yet of unit length.
    Raises ``BadInput`` when a tensor is missing.
    """
    return _Encoder(graph, weights, shape, precision).build()


class _Encoder:
    def __init__(
        self, graph: Graph, weights: Mapping[str, Vectors], shape: BertShape, precision: Precision
    ) -> None:
        self._graph = graph
        self._weights = weights
        self._shape = shape
        self._quantised = precision == "int8"

    def build(self) -> bytes:
        value = self._embeddings()
        for layer in range(self._shape.layers):
            value = self._layer(value, f"encoder.layer.{layer}.")
        self._graph.finish(self._pool(value), name=OUTPUT, dimensions=("n", self._shape.hidden))
        return self._graph.serialize(input_name=INPUT, dimensions=("n", "length"))

    def _embeddings(self) -> str:
        """Add word, position and segment type (there is one segment only), then normalise."""
        graph = self._graph
        positions = self._tensor("embeddings.position_embeddings.weight")[: self._shape.positions]
        segment = self._tensor("embeddings.token_type_embeddings.weight")[0]
        shape = graph.apply("Shape", INPUT)
        length = graph.apply("Slice", shape, graph.integers(1), graph.integers(2))
        zero = graph.integers(0)
        place = graph.apply("Slice", graph.constant(positions + segment), zero, length, zero)
        return self._normalise(graph.apply("Add", self._words(), place), "embeddings.LayerNorm")

    def _words(self) -> str:
        graph = self._graph
        table = self._tensor("embeddings.word_embeddings.weight")
        if not self._quantised:
            return graph.apply("Gather", graph.constant(table), INPUT)
        quantised = rows(table)
        values = graph.apply("Cast", graph.apply("Gather", graph.constant(quantised.values), INPUT), to=1)
        return graph.apply("Mul", values, graph.apply("Gather", graph.constant(quantised.scales), INPUT))

    def _layer(self, value: str, prefix: str) -> str:
        attended = self._attention(value, prefix + "attention.self.")
        attended = self._linear(attended, prefix + "attention.output.dense")
        value = self._add_and_norm(attended, value, prefix + "attention.output.LayerNorm")
        inner = self._graph.apply(
            "Gelu", self._linear(value, prefix + "intermediate.dense"), domain=MICROSOFT
        )
        return self._add_and_norm(
            self._linear(inner, prefix + "output.dense"), value, prefix + "output.LayerNorm"
        )

    def _attention(self, value: str, prefix: str) -> str:
        """Query, key and value in one product, then all heads in one operator."""
        together = self._linear(value, prefix + "query", prefix + "key", prefix + "value")
        parts = self._graph.split("Split", together, parts=3, axis=-1)
        return self._graph.apply("MultiHeadAttention", *parts, domain=MICROSOFT, num_heads=self._shape.heads)

    def _linear(self, value: str, *names: str) -> str:
        """Multiply once by the matrices of these names, side by side."""
        graph = self._graph
        matrix = np.concatenate([self._tensor(name + ".weight") for name in names]).T
        bias = graph.constant(np.concatenate([self._tensor(name + ".bias") for name in names]))
        if not self._quantised:
            return graph.apply("Add", graph.apply("MatMul", value, graph.constant(matrix)), bias)
        weights = columns(matrix)
        inputs = (value, graph.constant(weights.values), graph.constant(weights.scales), "", bias)
        return graph.apply("DynamicQuantizeMatMul", *inputs, domain=MICROSOFT)

    def _add_and_norm(self, value: str, residual: str, name: str) -> str:
        """Add and normalise with two operators: onnxruntime's fused one is not vectorised and slower."""
        return self._normalise(self._graph.apply("Add", value, residual), name)

    def _normalise(self, value: str, name: str) -> str:
        scale, shift = (self._graph.constant(self._tensor(name + end)) for end in (".weight", ".bias"))
        return self._graph.apply(
            "LayerNormalization", value, scale, shift, axis=-1, epsilon=self._shape.epsilon
        )

    def _pool(self, value: str) -> str:
        if self._shape.pooling == "mean":
            return self._graph.apply("ReduceMean", value, axes=(1,), keepdims=0)
        first = self._graph.integers(0)
        return self._graph.apply(
            "Squeeze", self._graph.apply("Gather", value, first, axis=1), self._graph.integers(1)
        )

    def _tensor(self, name: str) -> Vectors:
        tensor = self._weights.get(name)
        if tensor is None:
            raise BadInput(f"The weights have no tensor {name!r}: this is not a BERT encoder.")
        return tensor


@dataclass(frozen=True, slots=True)
class Quantised:
    """``values * scales`` is near the weights; ``values`` are -127 to 127."""

    values: NDArray[np.int8]
    scales: Vectors


def columns(weights: Vectors) -> Quantised:
    """Quantise a matrix (inputs, outputs) with one scale per output.

    Processors without 8-bit dot products (x86 before VNNI) add the products of two neighbouring inputs in
    16 bits and clip what does not fit, silently. The scale is therefore chosen so that no pair can overflow;
    it costs less than one bit of precision and the result is the same on every machine.
    """
    largest = np.abs(weights).max(axis=0)
    pairs = _pair_sums(weights)
    scales = np.maximum(np.maximum(largest / 127, pairs / _PAIR_LIMIT), _LEAST).astype(np.float32)
    return Quantised(values=np.clip(np.rint(weights / scales), -127, 127).astype(np.int8), scales=scales)


def rows(table: Vectors) -> Quantised:
    """Quantise a lookup table (entries, dimensions) with one scale per entry, shape (entries, 1)."""
    scales = np.maximum(np.abs(table).max(axis=1, keepdims=True) / 127, _LEAST).astype(np.float32)
    return Quantised(values=np.clip(np.rint(table / scales), -127, 127).astype(np.int8), scales=scales)


def _pair_sums(weights: Vectors) -> Vectors:
    """Return, for each output, the largest sum of two neighbouring inputs' weights of the same sign."""
    padded = np.pad(weights, ((0, len(weights) % 2), (0, 0)))
    pairs = padded.reshape(-1, 2, padded.shape[1])
    up = np.maximum(pairs, 0).sum(axis=1).max(axis=0)
    down = np.maximum(-pairs, 0).sum(axis=1).max(axis=0)
    return np.maximum(up, down)
