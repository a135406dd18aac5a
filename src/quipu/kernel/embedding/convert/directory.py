"""Reads a model directory as sentence-transformers lays it out, and refuses what it does not understand."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sized
from hashlib import sha256
from pathlib import Path
from typing import cast

import numpy as np

from quipu.errors import BadInput
from quipu.kernel.embedding.convert.bert import BertShape, Pooling
from quipu.kernel.embedding.convert.source import BertEncoder
from quipu.kernel.embedding.embedder import Vectors
from quipu.kernel.embedding.prefixes import Prefixes, published
from quipu.kernel.embedding.stored import TOKENIZER

_MOST_TOKENS = 512
_HEADER_LIMIT = 100_000_000
_READABLE = {"F32": "<f4", "F16": "<f2", "BF16": "<u2"}


def read_directory(source: Path) -> BertEncoder:
    """Read the weights of a directory. Raises ``BadInput`` with the reason when they are not understood."""
    _require_files(source)
    weights_file = (source / "model.safetensors").read_bytes()
    weights = _without_prefix(read_weights(weights_file, name="model.safetensors"))
    shape = _shape(
        _json(source / "config.json"), pooling=_pooling(source), positions=_positions(source, weights)
    )
    words = _check_sizes(weights, shape)
    _check_vocabulary(_json(source / TOKENIZER), words)
    return BertEncoder(
        weights=weights,
        shape=shape,
        tokenizer=(source / TOKENIZER).read_bytes(),
        sha256=sha256(weights_file).hexdigest(),
        prefixes=_prefixes(source),
    )


def _require_files(source: Path) -> None:
    for name in ("model.safetensors", TOKENIZER, "config.json"):
        if not (source / name).is_file():
            raise BadInput(
                f"{source} has no {name}.",
                hint="Hand in a directory with model.safetensors, tokenizer.json and config.json.",
            )


def _json(path: Path) -> Mapping[str, object]:
    try:
        content: object = json.loads(path.read_bytes())
    except ValueError as error:
        raise BadInput(f"{path.name} is not JSON: {error}.") from error
    if not isinstance(content, dict):
        raise BadInput(f"{path.name} is not a JSON object.")
    return cast("dict[str, object]", content)


def _shape(config: Mapping[str, object], *, pooling: Pooling, positions: int) -> BertShape:
    """Read the numbers of ``config.json``; refuse settings that would compute something else."""
    expected = {"model_type": "bert", "hidden_act": "gelu", "position_embedding_type": "absolute"}
    for key, value in expected.items():
        setting = config.get(key, value if key != "model_type" else None)
        if setting != value:
            raise BadInput(f"{key} is {setting!r}; only {value!r} can be converted.", field="config.json")
    try:
        return BertShape(
            hidden=int(cast("int", config["hidden_size"])),
            layers=int(cast("int", config["num_hidden_layers"])),
            heads=int(cast("int", config["num_attention_heads"])),
            positions=positions,
            epsilon=float(cast("float", config.get("layer_norm_eps", 1e-12))),
            pooling=pooling,
        )
    except (KeyError, TypeError, ValueError) as error:
        raise BadInput(f"a number is missing or wrong: {error}.", field="config.json") from error


def _pooling(source: Path) -> Pooling:
    """Return the way in which token vectors become one; the mean if the directory does not say."""
    _check_modules(source)
    path = source / "1_Pooling" / "config.json"
    if not path.is_file():
        return "mean"
    modes = {key.removeprefix("pooling_mode_") for key, value in _json(path).items() if value is True}
    match sorted(modes - {"include_prompt"}):
        case ["mean_tokens"]:
            return "mean"
        case ["cls_token"]:
            return "cls"
        case other:
            raise BadInput(
                f"pooling by {', '.join(other) or 'nothing'}: only mean_tokens or cls_token.", field=str(path)
            )


def _check_modules(source: Path) -> None:
    """Refuse directories that do more than encode, pool and normalise, or put a prompt before every text."""
    path = source / "modules.json"
    if path.is_file():
        known = {"Transformer", "Pooling", "Normalize"}
        modules = cast("list[Mapping[str, str]]", json.loads(path.read_bytes()))
        kinds = {module.get("type", "").rpartition(".")[2] for module in modules}
        if kinds - known:
            raise BadInput(
                f"a step {', '.join(sorted(kinds - known))} cannot be converted.", field="modules.json"
            )
    prompts = source / "config_sentence_transformers.json"
    if prompts.is_file() and _json(prompts).get("default_prompt_name"):
        raise BadInput("a default prompt cannot be converted.", field="config_sentence_transformers.json")


def _prefixes(source: Path) -> Prefixes:
    """Return the prefixes of texts: those of the directory, else those of its family of models."""
    path = source / "config_sentence_transformers.json"
    prompts = _json(path).get("prompts") if path.is_file() else None
    if isinstance(prompts, dict) and prompts:
        known = cast("dict[str, object]", prompts)
        passage = known.get("passage", known.get("document", ""))
        return Prefixes(str(known.get("query", "")), str(passage))
    return published(source.resolve().name, str(_json(source / "config.json").get("_name_or_path", "")))


def _without_prefix(weights: Mapping[str, Vectors]) -> dict[str, Vectors]:
    """Return names as in ``BertModel``; checkpoints of larger classes put ``bert.`` before them."""
    return {name.removeprefix("bert."): tensor for name, tensor in weights.items()}


def _check_sizes(weights: Mapping[str, Vectors], shape: BertShape) -> int:
    """Check that the sizes agree, and return the number of words that the weights know."""
    words = weights.get("embeddings.word_embeddings.weight")
    if words is None or words.ndim != 2:
        raise BadInput("The weights have no word embeddings: this is not a BERT encoder.")
    if words.shape[1] != shape.hidden or shape.hidden % shape.heads:
        raise BadInput(
            f"hidden_size {shape.hidden}, {shape.heads} heads and word vectors of {words.shape[1]} differ.",
            field="config.json",
        )
    return len(words)


def _check_vocabulary(tokenizer: Mapping[str, object], words: int) -> None:
    """Refuse a tokenizer that numbers more words than the weights know: it belongs to another model."""
    model = cast("Mapping[str, object]", tokenizer.get("model") or {})
    vocabulary = cast("Sized", model.get("vocab") or ())
    if not 0 < len(vocabulary) <= words:
        raise BadInput(f"{len(vocabulary)} words, where the weights know {words}.", field=TOKENIZER)


def _positions(source: Path, weights: Mapping[str, Vectors]) -> int:
    """Return the number of tokens to read: as ``sentence_bert_config.json`` says, at most all positions."""
    path = source / "sentence_bert_config.json"
    wanted = _json(path).get("max_seq_length") if path.is_file() else None
    table = weights.get("embeddings.position_embeddings.weight")
    if table is None:
        raise BadInput("The weights have no position embeddings: this is not a BERT encoder.")
    most = min(len(table), _MOST_TOKENS)
    return min(wanted, most) if isinstance(wanted, int) and wanted > 2 else most


def read_weights(data: bytes, *, name: str) -> dict[str, Vectors]:
    """Read a file's floating-point tensors as float32, by name (position ids are left out).

    Raises ``BadInput`` for what is not a whole safetensors file.
    """
    size = int.from_bytes(data[:8], "little")
    if len(data) < 8 or size > min(_HEADER_LIMIT, len(data) - 8):
        raise BadInput(f"{name} is not a safetensors file, or it is cut short.", hint="Fetch it again.")
    try:
        header = cast("Mapping[str, Mapping[str, object]]", json.loads(data[8 : 8 + size]))
        body = memoryview(data)[8 + size :]
        entries = {key: entry for key, entry in header.items() if entry.get("dtype") in _READABLE}
        return {key: _tensor(body, entry) for key, entry in entries.items()}
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise BadInput(f"{name} cannot be read: {error}.", hint="Fetch it again.") from error


def _tensor(body: memoryview, entry: Mapping[str, object]) -> Vectors:
    kind = str(entry["dtype"])
    shape = cast("list[int]", entry["shape"])
    start, end = cast("tuple[int, int]", entry["data_offsets"])
    raw = np.frombuffer(body[start:end], _READABLE[kind], count=math.prod(shape))
    if kind == "BF16":
        raw = (raw.astype(np.uint32) << 16).view(np.float32)
    return raw.astype(np.float32).reshape(shape)
