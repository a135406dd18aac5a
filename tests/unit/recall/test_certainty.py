"""How sure an answer is."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from quipu.recall.model import Hit, LinkedStatement, Source
from quipu.recall.ranking import NEAREST, NOTHING, Answer, judged, signs

NOW = datetime(2026, 3, 14, tzinfo=UTC)
PART = st.floats(0, 1)


def hit(score: float, cosine: float, coverage: float, text: str = "The boat is green.") -> Hit:
    source = Source("m1", "s1", "Ana", "user")
    return Hit("message", "1", text, score, {}, NOW, NOW, source, cosine=cosine, coverage=coverage)


NEAR = hit(0.8, 0.75, 1.0)
FAR = hit(0.2, 0.15, 0.1)


def test_an_answer_is_the_list_of_its_hits() -> None:
    answer = judged([NEAR, FAR])
    assert isinstance(answer, list)
    assert [one.score for one in answer] == [0.8, 0.2]
    assert answer[:1] == [answer[0]]
    assert "known=" in repr(answer)


def test_what_has_meaning_and_words_of_the_question_is_known() -> None:
    answer = judged([NEAR, FAR])
    assert answer.known > 0.9
    assert answer.notice == ""
    assert [one.certainty for one in answer] == ["sure", "maybe"]


def test_nothing_is_known_where_all_is_far() -> None:
    answer = judged([FAR, FAR])
    assert answer.known < 0.1
    assert answer.notice == NEAREST
    assert {one.certainty for one in answer} == {"maybe"}


def test_no_hits_are_no_knowledge() -> None:
    assert (judged([]), judged([]).known, judged([]).notice) == (Answer(), 0.0, NOTHING)


def test_an_earlier_asking_of_the_question_is_no_knowledge() -> None:
    echo = replace(NEAR, parts={"echo": -0.6})
    assert judged([echo, FAR]).notice == NEAREST
    assert [one.certainty for one in judged([replace(NEAR, text="Yes, green."), echo])][1] == "maybe"


def test_what_was_replaced_is_not_sure() -> None:
    later = LinkedStatement("2", "The boat is blue now.", NOW, NEAR.source)
    assert judged([replace(NEAR, superseded_by=(later,)), FAR])[0].certainty == "likely"


def test_two_that_are_equally_good_are_not_sure() -> None:
    assert [one.certainty for one in judged([NEAR, NEAR])] == ["likely", "likely"]


def test_a_hit_that_asks_is_less_sure_than_one_that_tells() -> None:
    order = ["maybe", "likely", "sure"]
    tells, asks = hit(0.8, 0.6, 0.8), hit(0.8, 0.6, 0.8, "Is the boat green?")
    other = hit(0.6, 0.3, 0.4)
    assert order.index(judged([asks, other])[0].certainty) < order.index(judged([tells, other])[0].certainty)


@given(st.lists(st.builds(hit, PART, PART, PART), max_size=12), PART)
def test_known_is_a_chance_and_grows_with_the_signs(hits: list[Hit], more: float) -> None:
    known = judged(hits).known
    assert 0 <= known <= 1
    better = [replace(one, score=min(1.0, one.score + more)) for one in hits]
    assert judged(better).known >= known
    assert all(0 <= sign <= 1 for sign in signs(hits))
