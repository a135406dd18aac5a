"""Weights as 8-bit integers, so that every processor computes the same sums."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quipu.kernel.embedding.model import Vectors

_LEAST = 1e-8
_PAIR_LIMIT = 127
"""Rounding adds at most 1 to the sum of two weights; 255 (the largest activation) x 128 fits 16 bits."""


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
