"""What every re-ranker promises, asked of each of them: of the servers in each of their words."""

from __future__ import annotations

import math
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from rerank_server import KEY, SHAPES, RerankServer, overlap
from tiny_cross_encoder import Form, expected, write_cross_encoder

from quipu.kernel.rerank.installation import add_reranker
from quipu.kernel.rerank.local import LocalReranker
from quipu.kernel.rerank.remote import RemoteReranker
from quipu.kernel.rerank.reranker import Reranker
from quipu.kernel.rerank.transformers import TransformersReranker

QUESTION = "Where does Ana live?"
TEXTS = [
    "The train left at nine.",
    "Ana does live in Lisbon.",
    "",
    "Where is the boat?",
    "日本語 \ud800 text",
]


class CrossEncoder:
    """Mimics ``sentence_transformers.CrossEncoder``: log-odds, one for each pair, as an array."""

    def __init__(self, name: str) -> None:
        self.name = name

    def predict(self, sentences: list[tuple[str, str]], *, show_progress_bar: bool) -> np.ndarray:
        assert not show_progress_bar
        odds = [share / (1 - share) for share in (overlap(*pair) for pair in sentences)]
        return np.log(np.array(odds, np.float32))


@pytest.fixture(params=["onnx", "sentence-transformers double", *SHAPES])
async def reranker(
    request: pytest.FixtureRequest, ends: ExitStack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Reranker]:
    made: Reranker
    match request.param:
        case "onnx":
            made = LocalReranker(add_reranker(write_cross_encoder(tmp_path / "tiny"), home=tmp_path))
        case "sentence-transformers double":
            library = SimpleNamespace(CrossEncoder=CrossEncoder, __spec__=SimpleNamespace())
            monkeypatch.setitem(sys.modules, "sentence_transformers", library)  # type: ignore[arg-type]
            made = TransformersReranker("double")
        case shape:
            server = ends.enter_context(RerankServer(shape))
            made = RemoteReranker("words", url=server.url, key=KEY)
    await made.load()
    yield made
    await made.aclose()
    await made.aclose()


@pytest.fixture
def ends() -> Iterator[ExitStack]:
    """Ends the servers that a test began."""
    with ExitStack() as stack:
        yield stack


async def test_it_says_what_it_is(reranker: Reranker) -> None:
    assert isinstance(reranker, Reranker)
    assert reranker.name


async def test_there_is_one_probability_for_each_text_in_their_order(reranker: Reranker) -> None:
    scores = await reranker.score(QUESTION, TEXTS)
    assert len(scores) == len(TEXTS)
    assert all(0 <= score <= 1 for score in scores)
    assert max(scores) == scores[1]
    assert scores[3] > scores[0]


async def test_the_order_of_the_texts_changes_nothing(reranker: Reranker) -> None:
    scores = await reranker.score(QUESTION, TEXTS)
    assert await reranker.score(QUESTION, TEXTS[::-1]) == pytest.approx(scores[::-1], abs=1e-6)


async def test_the_question_counts(reranker: Reranker) -> None:
    assert await reranker.score(QUESTION, TEXTS) != await reranker.score("Which boat is green?", TEXTS)


async def test_fifty_long_texts_and_a_long_question_are_taken(reranker: Reranker) -> None:
    texts = [f"Ana {number} " + "lisbon 日本語 " * 5_000 for number in range(50)]
    scores = await reranker.score(QUESTION * 2_000, texts)
    assert len(scores) == 50
    assert all(math.isfinite(score) for score in scores)


@pytest.mark.parametrize(("form", "divisor"), [("logits", 1), ("small", 10)])
async def test_an_onnx_file_gives_log_odds_however_small_they_are(
    tmp_path: Path, form: Form, divisor: int
) -> None:
    reranker = LocalReranker(add_reranker(write_cross_encoder(tmp_path / "tiny", form=form), home=tmp_path))
    await reranker.load()
    texts = [text for text in TEXTS if expected(QUESTION, text) > 0]  # of the small ones all below 1
    scores = await reranker.score(QUESTION, texts)
    assert scores == pytest.approx(
        [1 / (1 + math.exp(-expected(QUESTION, text) / divisor)) for text in texts]
    )
