from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tiny_bert import write_directory

from quipu.errors import ConfigError, MissingExtra, ModelMissing
from quipu.kernel.config import Settings, load
from quipu.kernel.embedding.choose import choose
from quipu.kernel.embedding.embedder import LocalEmbedder
from quipu.kernel.embedding.hashing import HashEmbedder
from quipu.kernel.embedding.installation import add_model
from quipu.kernel.embedding.remote import RemoteEmbedder


def test_without_a_setting_it_is_the_bundled_model(tmp_path: Path) -> None:
    embedder = choose(Settings(home=tmp_path))
    assert isinstance(embedder, LocalEmbedder)
    assert (embedder.name, embedder.dimensions, embedder.max_tokens) == ("all-MiniLM-L6-v2", 384, 256)


def test_an_added_model_is_chosen_by_its_name(tmp_path: Path) -> None:
    add_model(write_directory(tmp_path / "tiny"), home=tmp_path / "home")
    embedder = choose(Settings(home=tmp_path / "home", embedding_model="tiny"))
    assert (embedder.name, embedder.dimensions) == ("tiny", 32)


def test_hashing_needs_no_model(tmp_path: Path) -> None:
    embedder = choose(Settings(home=tmp_path, embedding_model="hashing", embedding_dimensions=64))
    assert isinstance(embedder, HashEmbedder)
    assert embedder.dimensions == 64


def test_a_server_is_chosen_by_its_prefix(tmp_path: Path) -> None:
    settings = Settings(
        home=tmp_path,
        embedding_model="openai:nomic-embed-text:v1.5",
        embedding_url="http://127.0.0.1:9/v1",
        embedding_dimensions=768,
    )
    embedder = choose(settings)
    assert isinstance(embedder, RemoteEmbedder)
    assert (embedder.name, embedder.dimensions) == ("openai:nomic-embed-text:v1.5", 768)


def test_a_model_that_is_not_there_is_never_replaced(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="no embedding model 'nowhere'"):
        choose(Settings(home=tmp_path, embedding_model="nowhere"))


@pytest.mark.parametrize(
    ("settings", "way_out"),
    [
        ({"embedding_model": "openai:x", "embedding_url": "http://h/v1"}, "QUIPU_EMBEDDING_DIMENSIONS"),
        ({"embedding_model": "openai:x", "embedding_dimensions": 8}, "QUIPU_EMBEDDING_URL"),
        (
            {"embedding_model": "openai:", "embedding_dimensions": 8, "embedding_url": "http://h"},
            "openai:NAME",
        ),
        ({"embedding_model": "st:"}, "st:NAME"),
        ({"embedding_model": "cohere:x"}, "'cohere' is not a kind"),
    ],
)
def test_a_setting_that_says_too_little_names_the_way_out(
    tmp_path: Path, settings: dict[str, str], way_out: str
) -> None:
    with pytest.raises(ConfigError, match=way_out):
        choose(load(None, {"home": tmp_path, **settings}))


@pytest.mark.parametrize(
    ("module", "model", "extra"),
    [("sentence_transformers", "st:any", "sentence-transformers"), ("openai", "openai:any", "llm")],
)
def test_a_missing_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, model: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)  # what an import finds where the package is not installed
    settings = Settings(
        home=tmp_path, embedding_model=model, embedding_url="http://127.0.0.1:9", embedding_dimensions=8
    )
    with pytest.raises(MissingExtra, match=rf"quipu-memory\[{extra}\]"):
        choose(settings)


@pytest.mark.parametrize("module", ["embedder", "choose", "stored"])
def test_who_only_names_an_embedder_does_not_load_its_libraries(module: str) -> None:
    code = f"import sys, quipu.kernel.embedding.{module}; print(*sys.modules, sep='\\n')"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert f"quipu.kernel.embedding.{module}" in loaded
    assert {"onnxruntime", "tokenizers", "openai", "sentence_transformers", "torch"}.isdisjoint(loaded)
