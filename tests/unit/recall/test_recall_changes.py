"""The order of statements that replace each other."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from quipu.recall.changes import Pair, arranged, satisfies, shown
from quipu.recall.model import Cited, Filters, Found, Source
from quipu.recall.question import Question, understand
from quipu.recall.ranking import Distinct

NOW = datetime(2026, 3, 14, 15, 9, tzinfo=UTC)
MOVED = Pair(newer=2, older=1, reason="moved")


def entries(*ids: int) -> list[Distinct]:
    """Entries of these ids, best first."""
    return [
        Distinct(Found(id_, 1, round(0.9 - place / 10, 6), {"meaning": round(0.9 - place / 10, 6)}))
        for place, id_ in enumerate(ids)
    ]


def cited(**lines: str) -> dict[int, Cited]:
    """Statements by their numbers, ``_1="I live in Rome."``, a month apart and in sessions of their own."""
    return {
        int(name[1:]): Cited(
            line, NOW + timedelta(days=30 * int(name[1:])), NOW, Source(name, f"s{name}", "ana", "user")
        )
        for name, line in lines.items()
    }


TOLD = cited(_1="I live in Rome.", _2="I moved to Oslo.", _3="It rains.", _4="I moved to Lima.")


def order(found: list[Distinct]) -> list[int]:
    return [one.found.id for one in found]


def asked(text: str) -> Question:
    return understand(text, people=[], languages=["english"], now=NOW, first=NOW, last=NOW)


def test_asked_for_the_present_the_newer_stands_directly_above_the_older() -> None:
    assert order(arranged("present", entries(3, 1, 4, 2), [MOVED], TOLD)) == [3, 2, 1, 4]


def test_asked_for_the_past_or_the_change_the_older_stands_directly_above_the_newer() -> None:
    for time in ("past", "change"):
        assert order(arranged(time, entries(2, 3, 1), [MOVED], TOLD)) == [1, 2, 3]  # pyright: ignore[reportArgumentType]


def test_an_order_that_is_right_already_stays() -> None:
    assert arranged("present", entries(2, 3, 1), [MOVED], TOLD) == entries(2, 3, 1)


def test_a_question_that_does_not_say_changes_nothing() -> None:
    assert arranged(None, entries(1, 2), [MOVED], TOLD) == entries(1, 2)


def test_of_several_values_the_newest_stands_first() -> None:
    pairs = [Pair(4, 2), MOVED]
    assert order(arranged("present", entries(1, 2, 4), pairs, TOLD)) == [4, 2, 1]
    assert order(arranged("past", entries(4, 2, 1), pairs, TOLD)) == [1, 2, 4]


def test_the_newer_is_brought_in_beside_the_older() -> None:
    found = arranged("present", entries(3, 1), [MOVED], TOLD)
    assert order(found) == [3, 2, 1]
    assert found[1].found.score == found[2].found.score
    assert found[1].found.parts == {"newer": found[2].found.score}


def test_asked_for_the_past_the_end_that_was_not_found_is_brought_in() -> None:
    assert order(arranged("past", entries(3, 1), [MOVED], TOLD)) == [3, 1, 2]
    assert order(arranged("change", entries(3, 2), [MOVED], TOLD)) == [3, 1, 2]


def test_one_whose_text_is_not_there_is_not_brought_in() -> None:
    told = {id_: one for id_, one in TOLD.items() if id_ != 2}
    assert order(arranged("present", entries(3, 1), [MOVED], told)) == [3, 1]


def test_what_is_lifted_says_so_and_its_parts_are_its_score() -> None:
    lifted = arranged("present", entries(1, 3, 2), [MOVED], TOLD)[0].found
    assert lifted.parts["newer"] == pytest.approx(0.2)
    assert sum(lifted.parts.values()) == pytest.approx(lifted.score)


def test_a_question_of_a_time_is_answered_as_of_that_time() -> None:
    before = TOLD[2].happened_at
    assert order(arranged("present", entries(1, 2), [MOVED], TOLD, as_of=before)) == [1, 2]


def test_hits_tell_what_they_replace_and_what_replaces_them() -> None:
    older, newer = shown(entries(1, 2), [MOVED], TOLD)
    assert [(one.id, one.text, one.reason) for one in older.superseded_by] == [
        ("2", "I moved to Oslo.", "moved")
    ]
    assert [(one.id, one.happened_at) for one in newer.supersedes] == [("1", TOLD[1].happened_at)]
    assert older.supersedes == newer.superseded_by == ()


def test_filters_hold_for_what_is_brought_in() -> None:
    told = Cited("I moved.", NOW, NOW, Source("m", "s", user="ana"))
    assert satisfies(told, Filters())
    assert satisfies(told, Filters(user="ana", since=NOW))
    assert not satisfies(told, Filters(user="ben"))
    assert not satisfies(told, Filters(user="ben", or_nobody=True))
    assert satisfies(replace(told, source=Source("m", "s")), Filters(user="ben", or_nobody=True))
    assert not satisfies(told, Filters(until=NOW))
    assert not satisfies(told, Filters(since=NOW + timedelta(seconds=1)))
