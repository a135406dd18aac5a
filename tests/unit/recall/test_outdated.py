"""Statements that a later one has probably replaced."""

from __future__ import annotations

from dataclasses import astuple, replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from quipu.recall.changes import Compared, Grounds, Numbers, Statements, statements
from quipu.recall.model import Cited, Found, Source
from quipu.recall.question import Question, understand
from quipu.recall.ranking import Distinct

NOW = datetime(2026, 3, 14, 15, 9, tzinfo=UTC)
LINES = ("I live in Rome, by the river.", "We unpacked the last box, home is Oslo.", "It rains again today.")


def cited(*lines: str) -> dict[int, Cited]:
    """Statements by their numbers, two months apart and in sessions of their own."""
    return {
        place: Cited(
            line, NOW + timedelta(days=60 * place), NOW, Source(f"m{place}", f"s{place}", "ana", "user")
        )
        for place, line in enumerate(lines, 1)
    }


def ranked(*ids: int) -> list[Found]:
    """Messages of these ids, best first."""
    return [Found(id_, 1, round(0.9 - place / 20, 6), {}) for place, id_ in enumerate(ids)]


def directed(angle: float, *terms: int) -> Compared:
    return Compared(frozenset(terms), np.array([np.cos(angle), np.sin(angle)], dtype=np.float32))


def asked(text: str) -> Question:
    return understand(text, people=[], languages=["english"], now=NOW, first=NOW, last=NOW)


NEAR = {1: directed(0, 7, 8), 2: directed(0.6, 7, 9), 3: directed(1.3, 10)}


def replaced(
    *ids: int,
    question: str = "Where do I live?",
    lines: dict[int, Cited] | None = None,
    compared: dict[int, Compared] = NEAR,
) -> list[tuple[int, int]]:
    """Pairs, newer and older, among messages that were found in this order."""
    known = cited(*LINES) if lines is None else lines
    found = Statements(asked(question), ranked(*ids), known, compared).replaced()
    return [(one.newer, one.older) for one in found]


def test_a_later_statement_on_the_matter_replaces_an_earlier_one_without_a_sign_of_change() -> None:
    assert replaced(1, 2, 3) == [(2, 1)]


def test_what_is_above_already_needs_nothing() -> None:
    assert replaced(2, 1) == []


@pytest.mark.parametrize(
    "source", [{"speaker": "ben"}, {"session": "s1"}, {"user": "ben"}], ids=lambda change: next(iter(change))
)
def test_another_person_or_the_same_session_replaces_nothing(source: dict[str, str]) -> None:
    lines = cited(*LINES)
    lines[2] = replace(lines[2], source=replace(lines[2].source, **source))
    assert replaced(1, 2, lines=lines) == []


def test_a_mere_question_replaces_nothing() -> None:
    assert replaced(1, 2, lines=cited(LINES[0], "Is home by the river? Or Oslo?")) == []


def test_what_is_about_something_else_replaces_nothing() -> None:
    assert replaced(1, 2, compared={**NEAR, 2: directed(1.5, 7, 9)}) == []


def test_one_that_the_model_in_force_does_not_know_is_passed_over() -> None:
    assert replaced(1, 2, compared={1: NEAR[1]}) == []


def test_a_number_that_is_asked_for_speaks_for_the_statement_that_has_one() -> None:
    numbers = Numbers((0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), 0.0)
    lines = cited("The rent is 700.", "They wrote: 740 from May.", "They wrote again about it.")
    found = Statements(asked("How much is my rent?"), ranked(1, 2, 3), lines, NEAR)
    assert {(one.newer, one.odds) for one in found.weighed(numbers)} == {(2, 0.5), (3, -0.5)}


def test_of_two_the_likelier_is_taken_and_stands_above_a_later_memory_of_the_older() -> None:
    lines = cited(LINES[0], LINES[1], "A letter by the river reminded me of Rome.")
    compared = {**NEAR, 3: directed(0.9, 8)}
    assert replaced(1, 3, 2, lines=lines, compared=compared) == [(2, 1), (2, 3)]


def test_words_are_not_looked_at_where_they_could_not_be_enough() -> None:
    numbers = Numbers((-9.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), 0.0)
    (one,) = Statements(asked("Where do I live?"), ranked(1, 2), cited(*LINES), NEAR).weighed(numbers)
    assert one.odds == pytest.approx(-7.0)


def test_every_ground_has_a_weight() -> None:
    lines = cited(*LINES)
    found = Statements(asked("Where do I live?"), ranked(1, 2), lines, NEAR)
    ((older, newer),) = found.pairs()
    grounds = found.grounds(older, newer)
    assert grounds == Grounds(
        sign=0.0,
        on_matter=1.0,
        form=0.0,
        cosine=pytest.approx(0.825, abs=1e-3),
        share=pytest.approx(0.944, abs=1e-3),
        asked_terms=0,
        other_terms=1,
        days=1.0,
        length=1,
        is_first=1.0,
    )
    with pytest.raises(ValueError, match="zip"):
        Numbers((0.0,) * len(astuple(grounds)), 0.0).odds(grounds)


def test_only_what_people_said_is_looked_at() -> None:
    lines = cited(*LINES)
    lines[2] = replace(lines[2], source=replace(lines[2].source, role="assistant"))
    entries = [Distinct(one) for one in ranked(1, 2, 3)]
    assert [one.id for one in statements(entries, lines, kind=1)] == [1, 3]
    assert statements(entries, lines, kind=9) == []
