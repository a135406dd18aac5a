from __future__ import annotations

import json
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from tiny_bert import WORDS, bert_in_numpy, random_weights, write_directory

from quipu.errors import BadInput, MissingExtra
from quipu.kernel.embedding.convert import Precision, convert_model
from quipu.kernel.embedding.embedder import LocalEmbedder
from quipu.kernel.embedding.stored import BUNDLED, read_model

TEXT = "The first cat sat . A kitten fell of new words"


def tokens(text: str) -> list[int]:
    return [WORDS.index(word) for word in ("[CLS]", *text.lower().split(), "[SEP]")]


def converted(source: Path, target: Path, precision: Precision = "fp32") -> LocalEmbedder:
    target.mkdir()
    convert_model(source, target, name="tiny", precision=precision)
    return LocalEmbedder(read_model(target))


@pytest.mark.parametrize(
    ("pooling", "written"), [("mean", None), ("mean", "mean_tokens"), ("cls", "cls_token")]
)
def test_the_full_precision_graph_computes_what_bert_does(
    tmp_path: Path, pooling: str, written: str | None
) -> None:
    source = write_directory(tmp_path / "source", pooling=written)
    embedder = converted(source, tmp_path / "target")
    for text in (TEXT, "cat", "the price fell"):
        expected = bert_in_numpy(random_weights(), tokens(text), pooling=pooling)
        assert np.abs(embedder.embed_now(text) - expected).max() < 1e-6


def test_the_eight_bit_graph_is_near_the_full_precision_one(tmp_path: Path) -> None:
    embedder = converted(write_directory(tmp_path / "source"), tmp_path / "target", "int8")
    for text in (TEXT, "cat", "the price fell"):
        assert embedder.embed_now(text) @ bert_in_numpy(random_weights(), tokens(text)) > 0.995


def test_weights_of_a_larger_class_are_found_behind_their_prefix(tmp_path: Path) -> None:
    weights = {"bert." + name: tensor for name, tensor in random_weights().items()}
    embedder = converted(write_directory(tmp_path / "source", weights=weights), tmp_path / "target")
    assert np.abs(embedder.embed_now(TEXT) - bert_in_numpy(random_weights(), tokens(TEXT))).max() < 1e-6


def test_as_many_tokens_are_read_as_the_directory_says(tmp_path: Path) -> None:
    source = write_directory(tmp_path / "source")
    (source / "sentence_bert_config.json").write_text('{"max_seq_length": 5}')
    embedder = converted(source, tmp_path / "target")
    assert embedder.max_tokens == 5
    cut = [*tokens(TEXT)[:4], WORDS.index("[SEP]")]
    assert np.abs(embedder.embed_now(TEXT) - bert_in_numpy(random_weights(), cut)).max() < 1e-6


def test_no_more_tokens_are_read_than_there_are_positions(tmp_path: Path) -> None:
    embedder = converted(write_directory(tmp_path / "source"), tmp_path / "target")
    assert embedder.max_tokens == 16
    assert np.linalg.norm(embedder.embed_now("cat " * 100)) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("precision", ["int8", "fp32"])
def test_the_same_weights_give_the_same_bytes(tmp_path: Path, precision: Precision) -> None:
    source = write_directory(tmp_path / "source")
    for name in ("one", "two"):
        converted(source, tmp_path / name, precision)
    for name in ("model.onnx", "tokenizer.json", "model.json"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


@pytest.mark.parametrize(
    ("precision", "expected"),
    [
        ("int8", "1e68465fdc4819943055fe932c3356fa32210be96fcb6d6ade174d26d51790dd"),
        ("fp32", "c3fc327f5ec745e9b70812de786049a571bc9eb778e3548ea7ceb7be3e4cd23a"),
    ],
)
def test_the_bytes_are_those_that_quipu_wrote_before_it_used_onnx(
    tmp_path: Path, precision: Precision, expected: str
) -> None:
    """The same graph gives the same vectors and keeps the digest of models that were added before."""
    converted(write_directory(tmp_path / "source"), tmp_path / "target", precision)
    assert sha256((tmp_path / "target" / "model.onnx").read_bytes()).hexdigest() == expected


def test_the_bundled_model_is_valid_onnx_and_is_written_again_byte_for_byte() -> None:
    path = BUNDLED / "all-MiniLM-L6-v2" / "model.onnx"
    model = onnx.load(path)
    onnx.checker.check_model(model)
    assert model.SerializeToString(deterministic=True) == path.read_bytes()


def test_without_onnx_the_extra_is_named_before_anything_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(MissingExtra, match=r"Converting.*pip install 'quipu-memory\[onnx\]'"):
        converted(tmp_path / "no such directory", tmp_path / "target")


def test_other_weights_and_another_precision_have_other_digests(tmp_path: Path) -> None:
    one = write_directory(tmp_path / "one")
    two = write_directory(tmp_path / "two", weights=random_weights(8))
    made = [
        converted(one, tmp_path / "a"),
        converted(two, tmp_path / "b"),
        converted(one, tmp_path / "c", "int8"),
    ]
    assert len({embedder.digest for embedder in made}) == 3


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        ({"model_type": "roberta"}, "model_type is 'roberta'"),
        ({"model_type": None}, "model_type is None"),
        ({"hidden_act": "relu"}, "hidden_act is 'relu'"),
        ({"position_embedding_type": "relative_key"}, "position_embedding_type"),
        ({"hidden_size": "wide"}, "number is missing or wrong"),
        ({"num_attention_heads": 5}, "5 heads"),
        ({"hidden_size": 64}, "hidden_size 64"),
        ({"num_hidden_layers": 3}, "encoder.layer.2"),
    ],
)
def test_what_the_graph_cannot_express_is_refused_with_the_reason(
    tmp_path: Path, config: dict[str, Any], reason: str
) -> None:
    source = write_directory(tmp_path / "source", config=config)
    with pytest.raises(BadInput, match=reason):
        converted(source, tmp_path / "target")


@pytest.mark.parametrize("absent", ["model.safetensors", "tokenizer.json", "config.json"])
def test_a_missing_file_is_named(tmp_path: Path, absent: str) -> None:
    source = write_directory(tmp_path / "source")
    (source / absent).unlink()
    with pytest.raises(BadInput, match=absent):
        converted(source, tmp_path / "target")


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json"])
@pytest.mark.parametrize("content", ["{", "[]"])
def test_a_broken_file_is_named(tmp_path: Path, name: str, content: str) -> None:
    source = write_directory(tmp_path / "source")
    (source / name).write_text(content)
    with pytest.raises(BadInput, match=name):
        converted(source, tmp_path / "target")


def test_another_pooling_is_refused(tmp_path: Path) -> None:
    source = write_directory(tmp_path / "source", pooling="max_tokens")
    with pytest.raises(BadInput, match="pooling by max_tokens"):
        converted(source, tmp_path / "target")


def test_a_further_step_after_pooling_is_refused(tmp_path: Path) -> None:
    source = write_directory(tmp_path / "source")
    steps = [
        {"type": "sentence_transformers.models.Transformer"},
        {"type": "sentence_transformers.models.Dense"},
    ]
    (source / "modules.json").write_text(json.dumps(steps))
    with pytest.raises(BadInput, match="Dense"):
        converted(source, tmp_path / "target")


def test_a_model_that_wants_a_prompt_is_refused(tmp_path: Path) -> None:
    source = write_directory(tmp_path / "source")
    (source / "config_sentence_transformers.json").write_text('{"default_prompt_name": "query"}')
    with pytest.raises(BadInput, match="prompt"):
        converted(source, tmp_path / "target")


def test_a_tokenizer_of_a_larger_model_is_refused(tmp_path: Path) -> None:
    source = write_directory(tmp_path / "source", words=[*WORDS, "more"])
    with pytest.raises(BadInput, match=f"{len(WORDS) + 1} words"):
        converted(source, tmp_path / "target")


def test_weights_without_embeddings_are_refused(tmp_path: Path) -> None:
    weights = {name: tensor for name, tensor in random_weights().items() if "word_embeddings" not in name}
    source = write_directory(tmp_path / "source", weights=weights)
    with pytest.raises(BadInput, match="not a BERT encoder"):
        converted(source, tmp_path / "target")
