"""What is particular to re-ranking by a server: requests, failures, and answers that are wrong."""

from __future__ import annotations

import json
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from rerank_server import KEY, RerankServer

from quipu.kernel.rerank.remote import RemoteReranker, read_scores
from quipu.kernel.rerank.reranker import NoScores

QUESTION = "Where does Ana live?"
TEXTS = ["The train left at nine.", "Ana does live in Lisbon.", "A boat."]


@asynccontextmanager
async def client(url: str, *, key: str | None = KEY) -> AsyncIterator[RemoteReranker]:
    made = RemoteReranker("words", url=url, key=key)
    try:
        yield made
    finally:
        await made.aclose()


async def test_a_request_names_model_query_documents_and_their_number_and_has_the_key() -> None:
    with RerankServer() as server:
        async with client(server.url) as reranker:
            await reranker.score(QUESTION, TEXTS)
    assert server.requests == [{"model": "words", "query": QUESTION, "documents": TEXTS, "top_n": 3}]
    assert server.keys == [f"Bearer {KEY}"]


@pytest.mark.parametrize("ending", ["", "/", "/rerank", "/rerank/"])
async def test_the_address_may_end_before_or_after_rerank(ending: str) -> None:
    with RerankServer() as server:
        async with client(server.url + ending) as reranker:
            assert len(await reranker.score(QUESTION, TEXTS)) == 3


async def test_the_words_of_tei_are_found_once_and_remembered() -> None:
    with RerankServer("tei") as server:
        async with client(server.url) as reranker:
            first = await reranker.score(QUESTION, TEXTS)
            assert await reranker.score(QUESTION, TEXTS) == first
    assert ["texts" in request for request in server.requests] == [False, True, True]
    assert server.requests[-1] == {"query": QUESTION, "texts": TEXTS, "raw_scores": False, "truncate": True}


async def test_tei_gets_no_more_texts_at_once_than_it_takes() -> None:
    texts = [f"Ana {'does live ' * (number % 3)}" for number in range(50)]
    with RerankServer("tei") as server:
        async with client(server.url) as reranker:
            scores = await reranker.score(QUESTION, texts)
        assert scores == [server.score(QUESTION, text) for text in texts]
    assert [len(request["texts"]) for request in server.requests[1:]] == [32, 18]


async def test_log_odds_become_probabilities() -> None:
    with RerankServer(score=lambda question, text: 7.7 if "Lisbon" in text else -900.0) as server:
        async with client(server.url) as reranker:
            scores = await reranker.score(QUESTION, TEXTS)
    assert scores == pytest.approx([0, 1 / (1 + math.exp(-7.7)), 0])


async def test_long_texts_are_cut_before_they_are_sent() -> None:
    with RerankServer() as server:
        async with client(server.url) as reranker:
            await reranker.score("why " * 100_000, ["word " * 100_000, "語" * 100_000])
    (request,) = server.requests
    assert len(request["query"]) <= 3.5 * 96
    assert [len(text) for text in request["documents"]] == [pytest.approx(3.5 * 384, abs=5), 384]


@pytest.mark.parametrize("status", [401, 403, 404, 429, 500, 503])
async def test_a_refusal_is_told_by_its_status_alone_and_not_repeated(status: int) -> None:
    with RerankServer(status=status) as server:
        async with client(server.url) as reranker:
            with pytest.raises(NoScores, match=f"^answered with status {status}$"):
                await reranker.score(QUESTION, TEXTS)
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [400, 422])
async def test_a_refusal_of_both_ways_to_ask_is_one(status: int) -> None:
    with RerankServer(status=status) as server:
        async with client(server.url) as reranker:
            for _ in range(2):
                with pytest.raises(NoScores, match=f"^answered with status {status}$"):
                    await reranker.score(QUESTION, TEXTS)
    assert ["texts" in request for request in server.requests] == [False, True] * 2


async def test_nobody_at_the_address_is_told() -> None:
    with RerankServer() as server:
        pass
    async with client(server.url) as reranker:
        with pytest.raises(NoScores, match="could not be reached"):
            await reranker.score(QUESTION, TEXTS)


LIES: dict[str, Any] = {
    "too few": lambda results: results[:-1],
    "none": lambda results: [],
    "too many": lambda results: [*results, {"index": 3, "relevance_score": 0.5}],
    "one twice": lambda results: [*results[:-1], results[0]],
    "an index below": lambda results: [*results[:-1], {**results[-1], "index": -1}],
    "no index": lambda results: [{"relevance_score": one["relevance_score"]} for one in results],
    "an index in words": lambda results: [{**one, "index": str(one["index"])} for one in results],
    "true as an index": lambda results: [{**one, "index": True} for one in results],
    "half an index": lambda results: [{**one, "index": 0.5} for one in results],
    "no score": lambda results: [{"index": one["index"]} for one in results],
    "a score in words": lambda results: [{**one, "relevance_score": "high"} for one in results],
    "no number": lambda results: [{**one, "relevance_score": math.nan} for one in results],
    "without end": lambda results: [*results[1:], {**results[0], "relevance_score": -math.inf}],
    "null": lambda results: [{**one, "relevance_score": None} for one in results],
    "true": lambda results: [{**one, "relevance_score": True} for one in results],
    "too large": lambda results: [{**one, "relevance_score": 10**400} for one in results],
    "texts": lambda results: ["Lisbon", "Porto", "Faro"],
    "an object": lambda results: {"0": 0.5},
    "nothing": lambda results: None,
}


@pytest.mark.parametrize("lie", LIES)
async def test_a_wrong_answer_gives_no_scores(lie: str) -> None:
    with RerankServer(lie=LIES[lie]) as server:
        async with client(server.url) as reranker:
            with pytest.raises(NoScores):
                await reranker.score(QUESTION, TEXTS)


RAW = {
    "nothing": b"",
    "a page": b"<html><body>Welcome to nginx</body></html>",
    "half": b'{"results": [{"index": 0',
    "a number": b"5",
    "a text": b'"Lisbon"',
    "no text": b"\xff\xfe\x00",
    "deep": b"[" * 200_000,
    "an error": b'{"error": {"message": "model not loaded"}}',
}


@pytest.mark.parametrize("raw", RAW)
async def test_what_is_no_answer_gives_no_scores(raw: str) -> None:
    with RerankServer(raw=RAW[raw]) as server:
        async with client(server.url) as reranker:
            with pytest.raises(NoScores):
                await reranker.score(QUESTION, TEXTS)


@pytest.mark.parametrize("status", [200, 400, 500])
async def test_no_failure_repeats_a_word_of_what_was_asked(status: int) -> None:
    told = {"results": [{"index": "Ana does live in Lisbon."}]}
    with RerankServer(status=status, raw=json.dumps(told).encode()) as server:
        async with client(server.url) as reranker:
            with pytest.raises(NoScores) as refused:
                await reranker.score(QUESTION, TEXTS)
    assert not {"ana", "live", "lisbon", "train"} & set(str(refused.value).lower().split())


def test_results_may_come_in_any_order() -> None:
    results = [{"index": 2, "score": 0.3}, {"index": 0, "score": 0.1}, {"index": 1, "score": 0.2}]
    assert read_scores(json.dumps(results), expected=3) == [0.1, 0.2, 0.3]
    assert read_scores(json.dumps({"results": results}), expected=3) == [0.1, 0.2, 0.3]
