from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from threading import Event
from types import SimpleNamespace

import pytest
from anyio import fail_after, move_on_after, sleep, to_thread
from patience import PATIENCE_SECONDS, until
from tiny_cross_encoder import write_cross_encoder

from quipu.errors import ConfigError, MissingExtra, ModelMissing
from quipu.kernel.config import Settings, load
from quipu.kernel.rerank.choose import choose
from quipu.kernel.rerank.installation import add_reranker
from quipu.kernel.rerank.local import LocalReranker
from quipu.kernel.rerank.remote import RemoteReranker
from quipu.kernel.rerank.reranker import NoScores, Reranker
from quipu.kernel.rerank.transformers import TransformersReranker

URL = "http://127.0.0.1:9/v1"


def test_without_a_setting_there_is_none(tmp_path: Path) -> None:
    assert choose(Settings(home=tmp_path)) is None


def test_an_added_one_is_chosen_by_its_name(tmp_path: Path) -> None:
    add_reranker(write_cross_encoder(tmp_path / "tiny"), home=tmp_path / "home")
    chosen = choose(Settings(home=tmp_path / "home", rerank="tiny"))
    assert isinstance(chosen, LocalReranker)
    assert chosen.name == "tiny"


def test_a_server_is_chosen_by_its_prefix(tmp_path: Path) -> None:
    chosen = choose(Settings(home=tmp_path, rerank="endpoint:BAAI/bge-reranker-v2-m3:q8", rerank_url=URL))
    assert isinstance(chosen, RemoteReranker)
    assert chosen.name == "endpoint:BAAI/bge-reranker-v2-m3:q8"


@pytest.mark.parametrize(
    ("settings", "way_out"),
    [
        ({"rerank": "endpoint:x"}, "QUIPU_RERANK_URL"),
        ({"rerank": "endpoint:x", "rerank_url": "localhost:8000"}, "begins with http"),
        ({"rerank": "endpoint:", "rerank_url": URL}, "endpoint:NAME"),
        ({"rerank": "st:"}, "st:NAME"),
        ({"rerank": "cohere:x"}, "'cohere' is not a kind of re-ranker"),
        ({"rerank": "http://localhost:8000/v1/rerank"}, "'http' is not a kind of re-ranker"),
        ({"rerank_candidates": "9"}, "10 to 50"),
        ({"rerank_candidates": "51"}, "10 to 50"),
        ({"rerank_seconds": "0"}, "0.01 to 60"),
    ],
)
def test_a_setting_that_cannot_be_meant_names_the_way_out(
    tmp_path: Path, settings: dict[str, str], way_out: str
) -> None:
    with pytest.raises(ConfigError, match=way_out):
        choose(load(None, {"home": tmp_path, **settings}))


@pytest.mark.parametrize("name", ["nowhere", "../models/all-MiniLM-L6-v2"])
def test_one_that_is_not_there_says_which_are(tmp_path: Path, name: str) -> None:
    add_reranker(write_cross_encoder(tmp_path / "tiny"), home=tmp_path)
    with pytest.raises(ModelMissing, match=r"quipu model add DIR --reranker.*There are: tiny"):
        choose(Settings(home=tmp_path, rerank=name))


@pytest.mark.parametrize(
    ("module", "name", "extra"),
    [("sentence_transformers", "st:any", "sentence-transformers"), ("openai", "endpoint:any", "llm")],
)
def test_a_missing_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, name: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)  # what an import finds where the package is not installed
    with pytest.raises(MissingExtra, match=rf"quipu-memory\[{extra}\]"):
        choose(Settings(home=tmp_path, rerank=name, rerank_url=URL))


async def test_a_cross_encoder_of_sentence_transformers_is_loaded_late(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before, it is only looked whether the package is there, so a broken one is found then."""
    package = tmp_path / "sentence_transformers"
    package.mkdir()
    (package / "__init__.py").write_text("raise ImportError('no torch')")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "sentence_transformers", raising=False)
    chosen = choose(Settings(home=tmp_path, rerank="st:any"))
    assert isinstance(chosen, TransformersReranker)
    with pytest.raises(MissingExtra, match="sentence-transformers"):
        await chosen.load()


async def test_a_slow_call_of_the_library_is_left_to_its_end_and_blocks_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither while the weights are loaded nor while a question is scored, a second call is begun."""
    goes_on = Event()
    begun: list[str] = []

    class Slow:
        def __init__(self, name: str) -> None:
            begun.append("load")
            goes_on.wait(PATIENCE_SECONDS)

        def predict(self, sentences: list[tuple[str, str]], *, show_progress_bar: bool) -> list[float]:
            begun.append("predict")
            goes_on.wait(PATIENCE_SECONDS)
            return [0.5] * len(sentences)

    library = SimpleNamespace(CrossEncoder=Slow, __spec__=SimpleNamespace())
    monkeypatch.setitem(sys.modules, "sentence_transformers", library)  # type: ignore[arg-type]
    chosen = choose(Settings(home=tmp_path, rerank="st:any"))
    assert chosen is not None
    for step in ("load", "predict"):
        goes_on.clear()
        with move_on_after(0.05):
            await once(chosen, step)
        assert await to_thread.run_sync(until, lambda step=step: begun[-1:] == [step])
        with pytest.raises(NoScores, match="still"):
            await once(chosen, step)
        goes_on.set()
        await wait_until_idle(chosen, step)
    assert begun == ["load", "predict", "predict"]


async def once(chosen: Reranker, step: str) -> None:
    await (chosen.load() if step == "load" else chosen.score("What?", ["a"]))


async def wait_until_idle(chosen: Reranker, step: str) -> None:
    with fail_after(PATIENCE_SECONDS):
        while True:
            try:
                return await once(chosen, step)
            except NoScores:
                await sleep(0.01)


@pytest.mark.parametrize(
    "module", ["quipu.kernel.rerank.choose", "quipu.kernel.rerank.installation", "quipu"]
)
def test_who_only_names_a_reranker_does_not_load_its_libraries(module: str) -> None:
    code = f"import sys, {module}; print(*sys.modules, sep='\\n')"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert {"onnxruntime", "tokenizers", "openai", "sentence_transformers", "torch"}.isdisjoint(loaded)
