"""The say of a re-ranker: scores stay what they are, and no failure of it is one of recall."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.errors import ModelMissing
from quipu.kernel.rerank.reranker import NoScores, beginning, logistic, relevances
from quipu.recall import rerank
from quipu.recall.model import Hit, Source
from quipu.recall.rerank import SIGNAL, Reranking, blended, gentle

NOW = datetime(2026, 5, 1, tzinfo=UTC)
probabilities = st.floats(0, 1)
own_scores = st.lists(st.floats(0, 1), max_size=60).map(lambda scores: sorted(scores, reverse=True))


def hit(score: float, text: str = "a text", question: str = "What?") -> Hit:
    parts = {"meaning": round(score / 2, 6), "words": round(score - round(score / 2, 6), 6)}
    return Hit("message", text, text, round(score, 6), parts, NOW, NOW, Source(text, None), question=question)


class Double:
    """A re-ranker that does what a test says."""

    name = "double"

    def __init__(
        self,
        scores: Sequence[float] | Exception = (),
        *,
        seconds: float = 0,
        loads: Exception | None = None,
        load_seconds: float = 0,
    ) -> None:
        self.scores, self.seconds, self.loads, self.load_seconds = scores, seconds, loads, load_seconds
        self.asked: list[tuple[str, list[str]]] = []

    async def load(self) -> None:
        await anyio.sleep(self.load_seconds)
        if self.loads is not None:
            raise self.loads

    async def score(self, question: str, texts: Sequence[str]) -> list[float]:
        self.asked.append((question, list(texts)))
        await anyio.sleep(self.seconds)
        if isinstance(self.scores, Exception):
            raise self.scores
        return relevances(self.scores[: len(texts)], expected=len(texts))

    async def aclose(self) -> None: ...


@given(own_scores, st.data())
def test_scores_stay_between_0_and_1_in_order_and_the_sum_of_their_parts(
    scores: list[float], data: st.DataObject
) -> None:
    given_ = data.draw(st.lists(probabilities, max_size=len(scores)))
    found = blended([hit(score, str(place)) for place, score in enumerate(scores)], given_)
    assert all(0 <= one.score <= 1 for one in found)
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    for one in found:
        assert one.score == pytest.approx(sum(one.parts.values()), abs=1e-5)
    assert sorted(int(one.id) for one in found) == list(range(len(scores)))


@given(own_scores, st.data())
def test_who_was_not_asked_about_overtakes_nobody_who_was(scores: list[float], data: st.DataObject) -> None:
    given_ = data.draw(st.lists(probabilities, max_size=len(scores)))
    found = blended([hit(score, str(place)) for place, score in enumerate(scores)], given_)
    places = [int(one.id) for one in found]
    assert set(places[: len(given_)]) == set(range(len(given_)))
    assert places[len(given_) :] == list(range(len(given_), len(scores)))
    assert [SIGNAL in one.parts for one in found] == [place < len(given_) for place in range(len(scores))]


@given(probabilities, probabilities)
def test_more_relevant_is_never_less(one: float, other: float) -> None:
    low, high = sorted((gentle(one), gentle(other)))
    assert 0 < low <= high < 1
    assert (low, high) == (gentle(min(one, other)), gentle(max(one, other)))


def test_doubtful_answers_still_tell_apart() -> None:
    assert gentle(0.0002) == pytest.approx(0.055, abs=0.001)
    assert gentle(0.05) == pytest.approx(0.273, abs=0.001)
    assert gentle(0.5) == 0.5
    assert gentle(0.99) == pytest.approx(0.822, abs=0.001)


def test_a_sure_reranker_overturns_a_doubtful_order() -> None:
    found = blended([hit(0.55, "near"), hit(0.40, "right")], [0.001, 0.98])
    assert [one.text for one in found] == ["right", "near"]
    assert found[0].parts[SIGNAL] > 0.35


@given(st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=50))
def test_scores_of_any_scale_become_probabilities_in_their_order(scores: list[float]) -> None:
    found = relevances(scores, expected=len(scores))
    assert all(0 <= one <= 1 for one in found)
    by_score = [one for _, one in sorted(zip(scores, found, strict=True))]
    assert by_score == sorted(found)


@pytest.mark.parametrize("scores", [[], [0.5], [0.1, 0.2, 0.3], [0.5, float("nan")], [float("inf"), 0.2]])
def test_scores_that_do_not_fit_are_refused(scores: list[float]) -> None:
    with pytest.raises(NoScores):
        relevances(scores, expected=2)


def test_log_odds_never_overflow() -> None:
    assert logistic(1e308) == 1
    assert logistic(-1e308) == 0
    assert logistic(0) == 0.5


@given(st.text(), st.integers(1, 500))
def test_a_beginning_is_short_and_can_be_sent(text: str, tokens: int) -> None:
    found = beginning(text, tokens=tokens)
    assert len(found) <= 3.5 * tokens
    assert " ".join(text.encode("utf-8", "ignore").decode().split()).startswith(found)


async def test_only_the_candidates_are_asked_about_and_the_limit_cuts_afterwards() -> None:
    double = Double([0.1, 0.2, 0.99])
    reranking = Reranking(double, candidates=3, seconds=60)
    assert reranking.depth(1) == 3
    assert reranking.depth(5) == 5
    hits = [hit(score, name) for score, name in ((0.5, "a"), (0.4, "b"), (0.3, "c"), (0.2, "d"))]
    (found,) = await reranking.reorder([hits], limit=2)
    assert double.asked == [("What?", ["a", "b", "c"])]
    assert [one.text for one in found] == ["c", "a"]
    assert [one.notice for one in found] == ["", ""]


async def test_an_earlier_asking_of_the_question_is_not_asked_about() -> None:
    double = Double([0.1, 0.9])
    hits = [hit(0.5, "a"), hit(0.4, "What?"), hit(0.3, "c")]
    hits[1] = replace(hits[1], parts={"meaning": 2.0, "echo": -1.6})
    (found,) = await Reranking(double, candidates=30, seconds=60).reorder([hits], limit=10)
    assert double.asked == [("What?", ["a", "c"])]
    assert [one.text for one in found] == ["c", "a", "What?"]
    assert found[-1].parts == {"meaning": 1.0, "echo": -0.8}


async def test_nothing_found_is_nothing_to_ask() -> None:
    double = Double(NoScores("never"))
    assert await Reranking(double, candidates=30, seconds=60).reorder([[], []], limit=10) == [[], []]
    assert double.asked == []


FAILURES = {
    "late": (Double([0.5, 0.5], seconds=3600), "did not answer within 0.05 s"),
    "refused": (Double(NoScores("answered with status 500")), "answered with status 500"),
    "too few": (Double([0.5]), "gave 1 scores for 2 texts"),
    "not a number": (Double([0.5, float("nan")]), "gave a score that is not a number"),
    "gone": (Double(loads=ModelMissing("/a/secret/place is empty")), "cannot be loaded"),
}


@pytest.mark.parametrize("failure", FAILURES)
async def test_after_a_failure_the_own_order_stands_and_says_why(failure: str) -> None:
    double, why = FAILURES[failure]
    hits = [hit(0.5, "first"), hit(0.4, "second")]
    begun = time.monotonic()
    (found,) = await Reranking(double, candidates=30, seconds=0.05).reorder([hits], limit=1)
    assert time.monotonic() - begun < 60
    (one,) = found
    assert (one.text, one.score, one.parts) == ("first", 0.5, hits[0].parts)
    assert one.notice == f"The re-ranker {why}; this is the order without it."


async def test_loading_has_time_of_its_own() -> None:
    reranking = Reranking(Double([0.1, 0.9], load_seconds=0.3), candidates=30, seconds=0.1)
    (found,) = await reranking.reorder([[hit(0.5, "first"), hit(0.4, "second")]], limit=2)
    assert [one.text for one in found] == ["second", "first"]


async def test_a_model_that_takes_long_to_load_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rerank, "_LOADING_SECONDS", 0.05)
    reranking = Reranking(Double([0.1, 0.9], load_seconds=3600), candidates=30, seconds=60)
    (found,) = await reranking.reorder([[hit(0.5, "first")]], limit=2)
    assert found[0].notice == "The re-ranker is still being loaded; this is the order without it."


async def test_many_questions_do_not_wait_for_a_dead_one_again_and_again() -> None:
    double = Double(NoScores("could not be reached"))
    answers = [[hit(0.5, question="a?")], [], [hit(0.5, question="b?")], [hit(0.5, question="c?")]]
    found = await Reranking(double, candidates=30, seconds=60).reorder(answers, limit=10)
    assert [question for question, _ in double.asked] == ["a?"]
    assert [[bool(one.notice) for one in hits] for hits in found] == [[True], [], [True], [True]]


async def test_a_failure_is_logged_once_and_names_no_memory(caplog: pytest.LogCaptureFixture) -> None:
    double = Double(NoScores("answered with status 500"))
    reranking = Reranking(double, candidates=30, seconds=60)
    with caplog.at_level(logging.DEBUG, logger="quipu"):
        for _ in range(3):
            await reranking.reorder([[hit(0.5, "Ana is ill", question="How is Ana?")]], limit=10)
    (record,) = [record for record in caplog.records if record.name == "quipu"]
    assert record.levelno == logging.WARNING
    assert "double answered with status 500" in record.getMessage()
    assert "Ana" not in record.getMessage()


async def test_it_is_asked_again_after_a_failure() -> None:
    double = Double(NoScores("answered with status 503"))
    reranking = Reranking(double, candidates=30, seconds=60)
    hits = [hit(0.5, "first"), hit(0.4, "second")]
    await reranking.reorder([hits], limit=2)
    double.scores = [0.1, 0.9]
    (found,) = await reranking.reorder([hits], limit=2)
    assert [(one.text, one.notice) for one in found] == [("second", ""), ("first", "")]
