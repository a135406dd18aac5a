from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from tiny_bert import SPECIAL, WORDS, bert_in_numpy, random_weights, write_directory

from quipu.errors import BadInput, Conflict, EmbeddingError, MissingExtra, ModelMissing
from quipu.kernel.embedding.convert import Precision
from quipu.kernel.embedding.embedder import LocalEmbedder
from quipu.kernel.embedding.installation import add_model
from quipu.kernel.embedding.stored import find_model, list_models, read_means

BUNDLED = "all-MiniLM-L6-v2"


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    return write_directory(tmp_path / "tiny-bert")


@pytest.mark.parametrize("precision", ["int8", "fp32"])
def test_an_added_model_can_be_found_and_embeds(tiny: Path, tmp_path: Path, precision: Precision) -> None:
    added = add_model(tiny, home=tmp_path / "home", precision=precision)
    assert (added.name, added.dimensions, added.precision, added.bundled) == (
        "tiny-bert",
        32,
        precision,
        False,
    )
    found = find_model("tiny-bert", home=tmp_path / "home")
    assert found == added
    assert LocalEmbedder(found).embed_now("a cat").shape == (32,)


def test_a_multilingual_encoder_with_a_unigram_vocabulary_can_be_added(tiny: Path, tmp_path: Path) -> None:
    tokenizer = json.loads((tiny / "tokenizer.json").read_text("utf-8"))
    vocabulary = [[word if word in SPECIAL else f"▁{word}", -float(id)] for id, word in enumerate(WORDS)]
    tokenizer["normalizer"] = None
    tokenizer["pre_tokenizer"] = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"}
    tokenizer["model"] = {"type": "Unigram", "unk_id": WORDS.index("[UNK]"), "vocab": vocabulary}
    (tiny / "tokenizer.json").write_text(json.dumps(tokenizer), "utf-8")
    added = add_model(tiny, home=tmp_path / "home", precision="fp32")
    ids = [WORDS.index(word) for word in ("[CLS]", "the", "cat", "sat", "[SEP]")]
    expected = bert_in_numpy(random_weights(), ids) - read_means(added)[0]
    expected /= np.linalg.norm(expected)
    assert np.abs(LocalEmbedder(added).embed_now("the cat sat") - expected).max() < 1e-6


def test_all_models_are_listed_the_bundled_one_first(tiny: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert [model.name for model in list_models(home)] == [BUNDLED]
    add_model(tiny, home=home)
    add_model(tiny, home=home, name="another")
    assert [(model.name, model.bundled) for model in list_models(home)] == [
        (BUNDLED, True),
        ("another", False),
        ("tiny-bert", False),
    ]


@pytest.mark.parametrize("name", ["tiny-bert", BUNDLED, "hashing"])
def test_a_name_is_given_once(tiny: Path, tmp_path: Path, name: str) -> None:
    add_model(tiny, home=tmp_path)
    with pytest.raises(Conflict, match="--name"):
        add_model(tiny, home=tmp_path, name=name)


@pytest.mark.parametrize("name", ["../evil", "a/b", ".hidden", "st:x", "x" * 101])
def test_a_name_cannot_leave_its_directory(tiny: Path, tmp_path: Path, name: str) -> None:
    with pytest.raises(BadInput, match="model's name"):
        add_model(tiny, home=tmp_path, name=name)


def test_a_model_that_is_refused_leaves_nothing_behind(tmp_path: Path) -> None:
    source = write_directory(tmp_path / "source", config={"num_hidden_layers": 3})
    with pytest.raises(BadInput, match="no tensor"):
        add_model(source, home=tmp_path / "home")
    assert list((tmp_path / "home" / "models").iterdir()) == []


def test_a_tokenizer_that_cannot_be_loaded_is_refused(tiny: Path, tmp_path: Path) -> None:
    (tiny / "tokenizer.json").write_text('{"model": {"type": "Magic", "vocab": {"a": 0}}}')
    with pytest.raises(BadInput, match="does not run"):
        add_model(tiny, home=tmp_path / "home")
    assert list((tmp_path / "home" / "models").iterdir()) == []


def test_weights_that_do_not_fit_each_other_are_refused(tmp_path: Path) -> None:
    weights = random_weights()
    weights["encoder.layer.1.output.dense.weight"] = weights["encoder.layer.1.output.dense.weight"][:, :40]
    source = write_directory(tmp_path / "source", weights=weights)
    with pytest.raises(BadInput, match="does not run"):
        add_model(source, home=tmp_path / "home")


def test_without_onnx_a_model_cannot_be_added_and_leaves_nothing_behind(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(MissingExtra, match=r"quipu-memory\[onnx\]"):
        add_model(tiny, home=tmp_path / "home")
    assert list((tmp_path / "home" / "models").iterdir()) == []


def test_a_home_that_cannot_be_written_is_an_error_with_the_way_out(tiny: Path, tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file, not a directory")
    with pytest.raises(EmbeddingError, match="Nothing was kept"):
        add_model(tiny, home=tmp_path / "home")


@pytest.mark.parametrize("name", ["no-such-model", "../all-MiniLM-L6-v2", ""])
def test_a_model_that_is_not_there_says_which_are(tmp_path: Path, name: str) -> None:
    with pytest.raises(ModelMissing, match=f"quipu model add .*{BUNDLED}"):
        find_model(name, home=tmp_path)
