"""A BERT encoder small enough for a test: random weights, a model directory, and BERT in plain numpy."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import erf
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

HIDDEN, LAYERS, HEADS, INNER, POSITIONS = 32, 2, 4, 48, 16
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
WORDS = [*SPECIAL, "the", "a", "first", "new", "words", "of", "cat", "kitten", "sat", "price", "fell", "."]
CONFIG = {
    "model_type": "bert",
    "hidden_act": "gelu",
    "hidden_size": HIDDEN,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "layer_norm_eps": 1e-12,
}

Weights = Mapping[str, NDArray[np.float32]]


def random_weights(seed: int = 7) -> dict[str, NDArray[np.float32]]:
    """Weights of the usual size: products spread by about one, norms near identity."""
    random = np.random.default_rng(seed)

    def matrix(*shape: int) -> NDArray[np.float32]:
        return (random.standard_normal(shape) / np.sqrt(shape[-1])).astype(np.float32)

    weights = {
        "embeddings.word_embeddings.weight": matrix(len(WORDS), HIDDEN),
        "embeddings.position_embeddings.weight": matrix(POSITIONS, HIDDEN),
        "embeddings.token_type_embeddings.weight": matrix(2, HIDDEN),
    }
    norms = ["embeddings.LayerNorm"]
    for layer in range(LAYERS):
        prefix = f"encoder.layer.{layer}."
        square = [prefix + f"attention.self.{part}" for part in ("query", "key", "value")]
        for name in (*square, prefix + "attention.output.dense"):
            weights |= {name + ".weight": matrix(HIDDEN, HIDDEN), name + ".bias": matrix(HIDDEN)}
        weights[prefix + "intermediate.dense.weight"] = matrix(INNER, HIDDEN)
        weights[prefix + "intermediate.dense.bias"] = matrix(INNER)
        weights[prefix + "output.dense.weight"] = matrix(HIDDEN, INNER)
        weights[prefix + "output.dense.bias"] = matrix(HIDDEN)
        norms += [prefix + "attention.output.LayerNorm", prefix + "output.LayerNorm"]
    for name in norms:
        weights |= {name + ".weight": 1 + matrix(HIDDEN), name + ".bias": matrix(HIDDEN)}
    return weights


def safetensors(weights: Mapping[str, NDArray[Any]], kinds: Mapping[str, str] | None = None) -> bytes:
    """The file format: length of the header, header, tensors."""
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    body = b""
    for name, tensor in weights.items():
        data = tensor.tobytes()
        kind = (kinds or {}).get(name) or {"float32": "F32", "float16": "F16", "int64": "I64"}[
            tensor.dtype.name
        ]
        offsets = [len(body), len(body) + len(data)]
        header[name] = {"dtype": kind, "shape": list(tensor.shape), "data_offsets": offsets}
        body += data
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + body


def write_directory(
    directory: Path,
    *,
    weights: Weights | None = None,
    config: Mapping[str, Any] | None = None,
    pooling: str | None = None,
    words: list[str] = WORDS,
) -> Path:
    """A model directory as sentence-transformers writes it."""
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "model.safetensors").write_bytes(safetensors(weights or random_weights()))
    (directory / "config.json").write_text(json.dumps({**CONFIG, **(config or {})}))
    (directory / "tokenizer.json").write_text(json.dumps(_tokenizer(words)))
    if pooling:
        (directory / "1_Pooling").mkdir(exist_ok=True)
        (directory / "1_Pooling" / "config.json").write_text(json.dumps({f"pooling_mode_{pooling}": True}))
    return directory


def _tokenizer(words: list[str]) -> dict[str, Any]:
    around = [
        {"SpecialToken": {"id": "[CLS]", "type_id": 0}},
        {"Sequence": {"id": "A", "type_id": 0}},
        {"SpecialToken": {"id": "[SEP]", "type_id": 0}},
    ]
    special = {
        word: {"id": word, "ids": [words.index(word)], "tokens": [word]} for word in ("[CLS]", "[SEP]")
    }
    return {
        "version": "1.0",
        "truncation": {"max_length": 4, "strategy": "LongestFirst", "stride": 0},
        "padding": None,
        "added_tokens": [],
        "normalizer": {
            "type": "BertNormalizer",
            "lowercase": True,
            "clean_text": True,
            "strip_accents": None,
            "handle_chinese_chars": True,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": around,
            "pair": [],
            "special_tokens": special,
        },
        "decoder": None,
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": {word: place for place, word in enumerate(words)},
        },
    }


def bert_in_numpy(weights: Weights, tokens: list[int], *, pooling: str = "mean") -> NDArray[np.float64]:
    """The vector of unit length that the published equations give, in double precision."""
    w = {name: tensor.astype(np.float64) for name, tensor in weights.items()}

    def norm(x: NDArray[np.float64], name: str) -> NDArray[np.float64]:
        centred = x - x.mean(-1, keepdims=True)
        spread = np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12)
        return centred / spread * w[name + ".weight"] + w[name + ".bias"]

    def linear(x: NDArray[np.float64], name: str) -> NDArray[np.float64]:
        return x @ w[name + ".weight"].T + w[name + ".bias"]

    x = (
        w["embeddings.word_embeddings.weight"][tokens]
        + w["embeddings.position_embeddings.weight"][: len(tokens)]
    )
    x = norm(x + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    for layer in range(LAYERS):
        prefix = f"encoder.layer.{layer}."
        query, key, value = (
            linear(x, prefix + f"attention.self.{part}").reshape(len(tokens), HEADS, -1).transpose(1, 0, 2)
            for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 2, 1) / np.sqrt(HIDDEN / HEADS)
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        shares /= shares.sum(-1, keepdims=True)
        attended = (shares @ value).transpose(1, 0, 2).reshape(len(tokens), HIDDEN)
        x = norm(
            x + linear(attended, prefix + "attention.output.dense"), prefix + "attention.output.LayerNorm"
        )
        inner = linear(x, prefix + "intermediate.dense")
        inner = inner * 0.5 * (1 + np.vectorize(erf)(inner / np.sqrt(2)))
        x = norm(x + linear(inner, prefix + "output.dense"), prefix + "output.LayerNorm")
    pooled = x.mean(0) if pooling == "mean" else x[0]
    return pooled / np.linalg.norm(pooled)
