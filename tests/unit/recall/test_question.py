"""A question taken apart."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from hypothesis import given
from long_form import sized

from hostile import texts
from quipu.recall.question import Name, Question, understand
from quipu.recall.terms import question_terms

NOW = datetime(2026, 3, 14, tzinfo=UTC)
PEOPLE = [Name(1, "Ana", 0.3), Name(2, "Boris", 0.95), Name(3, "Chiara", 0.2)]


def ask(text: str, *, aliases: Sequence[tuple[str, str]] = ()) -> Question:
    return understand(
        text, people=PEOPLE, aliases=aliases, languages=["english"], now=NOW, first=NOW, last=NOW
    )


def test_one_person_named_is_the_speaker_and_two_are_only_people() -> None:
    assert (ask("What did Ana paint?").speakers, ask("What did Ana paint?").people) == ((1,), (1,))
    assert (ask("What did Ana and Chiara paint?").speakers, ask("Ana and Chiara?").people) == ((), (1, 3))


def test_names_leave_the_meaning_and_those_of_everybody_the_words_too() -> None:
    assert ask("What did Ana paint?").meaning == "What did paint?"
    assert "ana" in ask("What did Ana paint?").terms
    assert "boris" not in ask("What did Boris paint?").terms


def test_the_asker_is_asked_about_only_where_nobody_is_named() -> None:
    assert ask("Where do I live?").asker
    assert not ask("Where do I live, Ana?").asker


@given(texts)
def test_no_question_is_too_strange(text: str) -> None:
    question = ask(text)
    assert question.text == text
    assert {m.person.id for m in question.mentions} == set(question.people)


@pytest.mark.long
def test_a_question_of_any_length_is_understood() -> None:
    many = [Name(n, f"Person{n} Family{n}", 0.1) for n in range(1000)]
    size = sized(25_000, long=100_000)
    for piece in ("x", " ", "3 May 2024 ", "Persom1x ", "中", "a_"):
        understand((piece * size)[:size], people=many, languages=["english"], now=NOW, first=NOW, last=NOW)


def test_a_name_is_looked_for_under_the_other_names_of_that_person_too() -> None:
    plain = question_terms("Bo Bogdan walnuts", ["english"])
    asked = ask("Is Bo allergic to walnuts?", aliases=[("Bo", "Bogdan")])
    assert set(asked.terms["bo"]) == {*plain["bo"], *plain["bogdan"]}
    assert asked.terms["walnuts"] == plain["walnuts"]
