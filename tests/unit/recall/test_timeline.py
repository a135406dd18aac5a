"""Timelines: what belongs, in which order, in which parts."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frames import MARKS
from quipu.errors import BadInput
from quipu.recall.model import Cited, Hit, Repeat, Source
from quipu.recall.question import Mention, Name, Question, understand
from quipu.recall.ranking import Answer
from quipu.recall.render import block
from quipu.recall.terms import question_terms
from quipu.recall.timeline import (
    LISTED,
    Moment,
    TimelineCursor,
    beside,
    estimate,
    exchanges_of,
    least_score,
    moment,
    not_told,
    of_block,
    own_first,
    part,
    read_cursor,
    shortened,
)

NOON = datetime(2026, 3, 14, 12, tzinfo=UTC)
THREAD = 7 << 24


def hit(
    text: str,
    *,
    number: int = THREAD,
    role: str = "user",
    speaker: str | None = None,
    user: str | None = None,
    day: int = 0,
    score: float = 0.5,
) -> Hit:
    source = Source(f"m{number}", "s1", speaker, role, user)
    at = NOON + timedelta(days=day)
    return Hit("message", str(number), text, score, {}, at, at, source)


def cited(text: str, *, role: str = "user", speaker: str | None = None, day: int = 0) -> Cited:
    at = NOON + timedelta(days=day)
    return Cited(text, at, at, Source("beside", "s1", speaker, role))


def question(text: str) -> Question:
    return understand(text, people=[], languages=["english"], now=NOON, first=NOON, last=NOON)


def moments(*places: tuple[int, int]) -> list[Moment]:
    return [
        replace(moment(hit("x")), id=str(number), happened_at=NOON + timedelta(days=day))
        for day, number in places
    ]


def lines_of(hits: list[Hit], *, budget_tokens: int = 1000) -> list[str]:
    return block(hits, budget_tokens=budget_tokens, marks=MARKS, layout=LISTED).text.splitlines()[3:-1]


def test_a_list_has_a_heading_for_each_day_in_the_order_of_time_and_no_ids() -> None:
    hits = [hit("Later.", day=2), hit("Earlier.", number=3), hit("Ana, too.", number=4, speaker="Ana")]
    assert lines_of(hits) == [
        "2026-03-14",
        "- user: Earlier.",
        "- Ana: Ana, too.",
        "2026-03-16",
        "- user: Later.",
    ]


def test_a_list_says_what_was_said_again_and_cuts_to_short_passages() -> None:
    again = Repeat("9", NOON + timedelta(days=3), Source("m9", "s1"))
    (_, line) = lines_of([replace(hit("word " * 200), repeats=(again,))])
    assert line.endswith("… (said 2 times, last on 2026-03-17)")
    assert len(line) < 240


def test_what_the_asker_said_comes_first_where_they_ask_about_themselves() -> None:
    hits = [hit("advice", role="assistant"), hit("mine", user="ana"), hit("of Ben", user="ben")]
    asked = question("In which order did I visit the towns?")
    assert [one.text for one in own_first(hits, asked, user=None)] == ["mine", "of Ben", "advice"]
    assert [one.text for one in own_first(hits, asked, user="ana")] == ["mine", "advice", "of Ben"]
    assert own_first(hits, question("In which order were the towns visited?"), user=None) == hits
    assert own_first(hits, question("Which towns did you suggest to me?"), user=None) == hits


def test_what_is_remote_stands_only_in_a_list_of_something_known() -> None:
    near, remote = replace(hit("near"), coverage=0.5), replace(hit("remote"), cosine=0.15)
    assert of_block(Answer([near, remote], known=0.9), is_list=True) == [near, remote]
    assert of_block(Answer([near, remote], known=0.9), is_list=False) == [near]
    assert of_block(Answer([near, remote], known=0.01), is_list=True) == [near]


def test_a_question_that_names_somebody_is_not_about_the_asker_alone() -> None:
    hits = [hit("Go to Rome.", role="user", speaker="Una"), hit("mine")]
    asked = replace(
        question("Which towns did Una show me?"), mentions=(Mention(Name(1, "Una", 0.5), ((17, 20),)),)
    )
    assert own_first(hits, asked, user=None) == hits


def test_what_is_far_below_the_best_does_not_belong() -> None:
    assert least_score([hit("x", score=0.8), hit("y", score=0.2)]) == pytest.approx(0.36)
    assert least_score([]) == 0


def test_an_estimate_counts_what_was_seen_and_goes_on_where_the_search_ended() -> None:
    assert estimate([0.9, 0.5, 0.3], least=0.4, most=100) == 2
    falling = [1 - 0.03 * n**0.5 for n in range(1, 201)]
    assert estimate(falling, least=0.45, most=100_000) == pytest.approx(336, abs=4)
    assert estimate(falling, least=0.45, most=250) == 250
    assert estimate([0.9] * 10, least=0.4, most=1_000) == 10
    assert estimate([0.9], least=0.4, most=1_000) == 1


@given(
    st.lists(st.floats(0.01, 1, allow_nan=False), max_size=40), st.floats(0.001, 1), st.integers(40, 10_000)
)
def test_an_estimate_lies_between_what_was_seen_and_the_most(
    scores: list[float], least: float, most: int
) -> None:
    ordered = sorted(scores, reverse=True)
    held = sum(score >= least for score in ordered)
    assert held <= estimate(ordered, least=least, most=most) <= most


@given(
    st.sets(st.tuples(st.integers(0, 5), st.integers(-50, 50)), max_size=30), st.integers(1, 7), st.randoms()
)
def test_parts_follow_each_other_without_losing_or_repeating_anything(
    places: set[tuple[int, int]], limit: int, rng: Any
) -> None:
    told = {number: day for day, number in places}  # an id has one time
    shuffled = moments(*((day, number) for number, day in told.items()))
    rng.shuffle(shuffled)
    seen: list[Moment] = []
    cursor = None
    while True:
        found = part(shuffled, least=0.1, about=0, behind=read_cursor(cursor), limit=limit)
        seen += found.items
        assert found.count == len(seen)
        cursor = found.cursor
        if cursor is None:
            break
    assert seen == sorted(shuffled, key=lambda one: (one.happened_at, int(one.id)))
    assert found.about == len(told)


def test_the_coverage_is_told_in_words() -> None:
    every = moments((0, 1), (1, 2), (2, 3))
    assert part(every, least=0.1, about=45, behind=None, limit=2).coverage == "2 of about 45"
    assert part(every, least=0.1, about=3, behind=None, limit=5).coverage == "all 3"


def test_a_cursor_is_read_as_it_was_written() -> None:
    for place in (TimelineCursor(NOON, -5, 0.45), TimelineCursor(NOON + timedelta(microseconds=1), 2**62)):
        assert read_cursor(str(place)) == place
    assert read_cursor(None) is None


@pytest.mark.parametrize(
    "cursor", ["", "x", "1", "1.2.3.4", "1.99999999999999999999", "1" * 40, "1.9999999999999999999"]
)
def test_what_is_no_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(BadInput) as refused:
        read_cursor(cursor)
    assert refused.value.field == "after"


def test_an_exchange_is_what_was_said_and_the_reply_once() -> None:
    asked, answered = (
        hit("Where is it?", number=THREAD + 1),
        hit("In Rome.", number=THREAD + 2, role="assistant"),
    )
    sides = {THREAD + 1: cited("Where is it?"), THREAD + 2: cited("In Rome.", role="assistant")}
    assert beside([asked]) == [THREAD, THREAD + 2]
    (one,) = exchanges_of([answered, asked], sides)
    assert (one.id, one.text, one.reply, one.replier) == (
        str(THREAD + 1), "Where is it?", "In Rome.", "assistant",
    )  # fmt: skip


def test_among_people_a_question_belongs_to_its_answer_and_nobody_answers_themselves() -> None:
    answer = hit("At the mill.", number=THREAD + 2, speaker="Ben")
    asked = {THREAD + 1: cited("Where do we meet?", speaker="Ana")}
    told = {THREAD + 1: cited("I am tired.", speaker="Ana")}
    own = {THREAD + 1: cited("Where do we meet?", speaker="Ben")}
    assert exchanges_of([answer], asked)[0].text == "Where do we meet?"
    assert exchanges_of([answer], told)[0].text == "At the mill."
    assert exchanges_of([answer], own)[0].reply == ""


def test_nothing_stands_beside_what_has_no_session_or_is_no_message() -> None:
    alone = hit("x", number=-4)
    lesson = replace(hit("y", number=5), kind="lesson")
    assert beside([alone, lesson]) == []
    assert beside([hit("first", number=THREAD)]) == [THREAD + 1]
    assert [one.reply for one in exchanges_of([alone, lesson], {})] == ["", ""]


def test_of_an_exchange_only_what_the_part_before_has_not_told_is_told() -> None:
    first, second = moments((0, 1), (4, 2))
    behind = TimelineCursor(NOON + timedelta(days=1), 9)
    assert not_told([first, second], behind=behind, since=None) == [second]
    assert not_told([first, second], behind=behind, since=NOON + timedelta(hours=1)) == [first, second]
    assert not_told([first, second], behind=None, since=None) == [first, second]


def test_only_the_passages_of_a_part_are_shown() -> None:
    filler = "Nothing of interest happened there. " * 12
    long = replace(moment(hit(f"{filler}The boat is green. {filler}")), reply=filler)
    (one,) = shortened(
        part([long], least=0.1, about=1, behind=None, limit=1),
        question_terms("boat green", ["english"]),
        exchanges=True,
    ).items
    assert "The boat is green." in one.text
    assert len(one.text) < 150
    assert len(one.reply) < 150
