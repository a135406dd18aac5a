from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from quipu.errors import ModelMissing
from quipu.kernel.embedding.embedder import LocalEmbedder
from quipu.kernel.embedding.stored import BUNDLED, find_model, read_model, verify

NAME = "all-MiniLM-L6-v2"
OFFICIAL_WEIGHTS = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(BUNDLED / NAME, tmp_path / NAME))


def test_the_bundled_files_are_those_that_the_card_names() -> None:
    verify(find_model(NAME, home=Path("nowhere")))


def test_the_bundled_model_was_made_from_the_official_weights() -> None:
    assert OFFICIAL_WEIGHTS in (BUNDLED / NAME / "model.json").read_text("utf-8")
    assert OFFICIAL_WEIGHTS in (BUNDLED / NAME / "NOTICE").read_text("utf-8")
    assert "Apache License" in (BUNDLED / NAME / "LICENSE").read_text("utf-8")


def test_a_copy_elsewhere_has_the_same_digest_and_is_not_bundled(copy: Path) -> None:
    original = find_model(NAME, home=Path("nowhere"))
    assert read_model(copy) == replace(original, directory=copy, bundled=False)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "model.json"])
def test_a_missing_file_is_named_with_the_way_out(copy: Path, name: str) -> None:
    (copy / name).unlink()
    with pytest.raises(ModelMissing, match=f"{name} is not there.*quipu model add"):
        read_model(copy)


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"name": 1'])
def test_a_card_that_cannot_be_read_is_said_so(copy: Path, content: str) -> None:
    (copy / "model.json").write_text(content)
    with pytest.raises(ModelMissing, match=r"model\.json cannot be read"):
        read_model(copy)


def test_a_changed_byte_is_found(copy: Path) -> None:
    data = bytearray((copy / "model.onnx").read_bytes())
    data[1_000_000] ^= 1
    (copy / "model.onnx").write_bytes(data)
    with pytest.raises(ModelMissing, match=r"model\.onnx is damaged"):
        verify(read_model(copy))


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_file_that_is_cut_short_cannot_be_loaded_and_nothing_takes_its_place(copy: Path, name: str) -> None:
    data = (copy / name).read_bytes()
    (copy / name).write_bytes(data[: len(data) // 2])
    with pytest.raises(ModelMissing, match=r"cannot be loaded.*quipu doctor"):
        LocalEmbedder(read_model(copy)).embed_now("words")
