"""Sixty sentences that tell an allergy, other health, or only sound like it, read by the rules."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from quipu.kinds.longterm.evaluation.rules import RulesEvaluator
from quipu.kinds.longterm.model import Evaluation
from quipu.kinds.longterm.sati import SatiEvaluationInput

FILE = Path(__file__).parents[2] / "data" / "longterm_health.tsv"
REPORTED = 27
"""So many of the second half were read right when it was read first, before any of them was looked at."""


@dataclass(frozen=True)
class Told:
    half: str
    constraint: str
    also: str
    never: str
    text: str


LINES = [line for line in FILE.read_text("utf-8").splitlines() if line and not line.startswith("#")]
SENTENCES = [Told(*line.split("\t")) for line in LINES]


async def evaluated(text: str) -> Evaluation:
    asked = {"recent_conversation": [{"role": "user", "content": text}]}
    return await RulesEvaluator().evaluate(SatiEvaluationInput.model_validate(asked))


async def right(one: Told) -> bool:
    """Whether the constraint, and what else is told, was found; and nothing kept that must not be."""
    kept = (await evaluated(one.text)).inclusions
    constraints = [
        said.summary.lower() for said in kept if (said.category, said.importance) == ("constraint", "high")
    ]
    if one.constraint == "-":
        found = not any(word in said for said in constraints for word in ("allerg", "intoleran", "nuts"))
    else:
        found = any(one.constraint in said for said in constraints)
    also = one.also == "-" or any(one.also in said.summary.lower() for said in kept)
    spoken = " ".join(f"{said.summary} {said.reason} {said.sources[0].excerpt}".lower() for said in kept)
    return found and also and (one.never == "-" or not any(word in spoken for word in one.never.split(",")))


@pytest.mark.parametrize("one", [one for one in SENTENCES if one.half == "tune"], ids=lambda one: one.text)
async def test_the_first_half_is_read_right(one: Told) -> None:
    assert await right(one)


@pytest.mark.parametrize(
    ("text", "summary"),
    {
        "Latex gloves make my skin swell up, I'm allergic.":
            "Latex gloves make the user's skin swell up.",
        "Birch pollen gets me every April, I'm so allergic.":
            "Birch pollen gets the user every April, the user is so allergic.",
        "Mango makes my lips go numb, turns out I'm allergic to it.":
            "Mango makes the user's lips go numb, turns out the user is allergic to it.",
        "Keep lilies away from our cat, they're deadly to her.":
            "Keep lilies away from the user's cat, they're deadly to her.",
    }.items(),
)  # fmt: skip
async def test_an_allergy_that_points_back_takes_along_whatever_it_points_at(text: str, summary: str) -> None:
    kept = (await evaluated(text)).inclusions
    assert [one.summary for one in kept if (one.category, one.importance) == ("constraint", "high")] == [
        summary
    ]


async def test_a_clause_that_is_refused_is_not_taken_along() -> None:
    kept = (
        await evaluated("Crayfish make me swell up, gout plagues me, and I play poker on Sundays.")
    ).inclusions
    assert not any("gout" in f"{one.summary} {one.sources}" for one in kept)


async def test_the_second_half_is_read_as_well_as_it_was() -> None:
    assert sum([await right(one) for one in SENTENCES if one.half == "report"]) >= REPORTED


async def test_nothing_that_must_not_be_kept_is_kept_of_either_half() -> None:
    for one in SENTENCES:
        spoken = repr((await evaluated(one.text)).inclusions).lower()
        assert one.never == "-" or not any(word in spoken for word in one.never.split(",")), one.text


async def test_a_home_and_an_allergy_in_one_sentence_are_two_memories() -> None:
    kept = (await evaluated("I live in Lisbon, I'm allergic to peanuts and I have epilepsy.")).inclusions
    assert [(one.category, one.importance, one.summary) for one in kept] == [
        ("identity", "high", "The user lives in Lisbon."),
        ("constraint", "high", "The user is allergic to peanuts."),
    ]
    assert {one.sources[0].excerpt for one in kept} == {"I live in Lisbon, I'm allergic to peanuts"}


async def test_other_health_is_kept_when_asked_for() -> None:
    (kept,) = (await evaluated("Please remember that I have asthma.")).inclusions
    assert kept.summary == "The user has asthma."


async def test_words_that_confirm_a_memory_are_cut_too() -> None:
    asked = {
        "recent_conversation": [{"role": "user", "content": "Remember that I like tea, and my PIN is 4821."}],
        "existing_memories": [
            {"id": "a", "category": "preference", "importance": "low", "summary": "The user likes tea."}
        ],
    }
    evaluation = await RulesEvaluator().evaluate(SatiEvaluationInput.model_validate(asked))
    assert [one.id for one in evaluation.edits] == ["a"]
    assert "4821" not in repr(evaluation)


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        (
            "Remember that my mother must not be given aspirin.",
            "The user's mother must not be given aspirin.",
        ),
        (
            "My mother Ilse must never be given aspirin.",
            "The user's mother Ilse must never be given aspirin.",
        ),
    ],
)
async def test_what_somebody_must_not_be_given_is_more_than_that_there_is_somebody(
    text: str, summary: str
) -> None:
    kept = (await evaluated(text)).inclusions
    assert ("constraint", "high", summary) in [(one.category, one.importance, one.summary) for one in kept]


async def test_an_allergy_that_points_back_names_what_it_points_at() -> None:
    kept = (await evaluated("I love peanuts, but my brother is deathly allergic to them.")).inclusions
    (said,) = [one.summary for one in kept if one.category == "constraint"]
    assert "peanuts" in said
    assert "brother" in said


async def test_a_number_to_call_somebody_on_is_no_name() -> None:
    for text in ("You can call me on +44 7700 900123.", "You may call me tonight.", "Call me 0151 123456."):
        assert not [one for one in (await evaluated(text)).inclusions if one.category == "naming"], text
    (named,) = (await evaluated("You can call me Tess.")).inclusions
    assert named.category == "naming"
