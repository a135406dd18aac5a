"""Casual talk: names written small, thoughts that run on, whom "he" and "she" are, and what others said."""

from __future__ import annotations

import pytest

from quipu.kinds.longterm.evaluation.rules import RulesEvaluator
from quipu.kinds.longterm.sati import SatiEvaluationInput


async def kept(*texts: str, **more: str) -> list[str]:
    asked = {"recent_conversation": [{"role": "user", "content": text, **more} for text in texts]}
    read = await RulesEvaluator().evaluate(SatiEvaluationInput.model_validate(asked))
    return [one.summary for one in read.inclusions]


@pytest.mark.parametrize(
    ("text", "summaries"),
    [
        (
            "my son ben is 4 and my daughter lily just turned 7",
            ["The user's son Ben is 4 years old.", "The user's daughter Lily is 7 years old."],
        ),
        ("wed was crazy i finally got the job at Pixar", ["The user finally got the job at Pixar."]),
        (
            "my sister in law nora is a nurse and she's allergic to nuts",
            [
                "The user's sister-in-law Nora is a nurse.",
                "The user's sister-in-law Nora is allergic to nuts.",
            ],
        ),
        (
            "our dog waffle is four and he hates baths",
            ["The user's dog Waffle is four years old.", "The user's dog Waffle hates baths."],
        ),
        ("my brother dan moved to Oslo", ["The user's brother Dan lives in Oslo."]),
        ("nadia has handed in her notice", ["Nadia has handed in her notice."]),
        ("me and tom got engaged!!", ["The user and Tom got engaged."]),
    ],
)
async def test_casual_talk_is_read(text: str, summaries: list[str]) -> None:
    assert await kept(text) == summaries


@pytest.mark.parametrize(
    "text",
    [
        "max was like 'i'm allergic to cats'",
        "dan says i live in a dream world",
        "there's a cat in the sandpit, it isn't our cat",
        "her boy's allergic to sesame",
        "dad has the heating on again",
        "milo is the administrator",
        "my dad met my brother and he's a plumber",
    ],
)
async def test_nothing_is_kept_of_what_others_said_or_of_whom_nobody_knows(text: str) -> None:
    assert await kept(text) == []


async def test_a_relative_clause_is_no_thought_of_its_own() -> None:
    assert await kept("The startup I'm building matches retirees with schools.") == [
        "The startup the user is building matches retirees with schools."
    ]


@pytest.mark.parametrize(
    ("text", "summaries"),
    [
        ("bc of mia, shes allergic to kiwi and sesame", ["Mia is allergic to kiwi and sesame."]),
        ("max is out all day, hes an electrician, he gets home late", ["Max is an electrician."]),
        ("walt, thats doreens husband, is a plumber", ["Walt is a plumber."]),
        (
            "ive been a hygienist here six yrs and i hate the chairs",
            ["The user has been a hygienist.", "The user hates the chairs."],
        ),
        (
            "also WE GOT A DOG. greyhound, five years old, her name is pickle",
            ["The user's dog is called Pickle."],
        ),
        (
            "my mother, who is eighty-eight, lives in Skokie",
            ["The user's mother is eighty-eight years old.", "The user's mother lives in Skokie."],
        ),
        ("dev plays drums and passed his driving test", ["Dev plays drums.", "Dev passed his driving test."]),
        ("so since the start of april i eat fish", ["The user eats fish."]),
        (
            "I'm passionate about a safe, inviting place",
            ["The user is passionate about a safe, inviting place."],
        ),
        ("we bought a used car, grey, smells of hockey", ["The user bought a used car."]),
    ],
)
async def test_thoughts_that_run_on_are_told_of_whom_they_speak(text: str, summaries: list[str]) -> None:
    assert await kept(text) == summaries


async def test_what_another_speaker_says_is_told_of_that_speaker() -> None:
    said = ["I'm allergic to shellfish.", "My brother is called Roar.", "Always answer in French."]
    assert await kept(*said, speaker="Kofi Mensah") == [
        "Kofi is allergic to shellfish.",
        "Kofi's brother is called Roar.",
    ]


async def test_what_does_not_pass_the_gate_is_told_with_the_reason() -> None:
    asked = {
        "recent_conversation": [{"role": "user", "content": "I love making him happy. I live in the past."}]
    }
    read = await RulesEvaluator().evaluate(SatiEvaluationInput.model_validate(asked))
    assert read.inclusions == ()
    assert [(one.statement, one.reason) for one in read.left_out] == [
        ("The user loves making him happy.", "it points at what was said elsewhere"),
        ("The user lives in the past.", "it holds for the moment only"),
    ]


async def test_a_speaker_without_a_name_is_the_user() -> None:
    assert await kept("I'm allergic to shellfish.", speaker="  ") == ["The user is allergic to shellfish."]


async def test_an_age_is_told_with_its_month_and_changes() -> None:
    said = ["ida is 7", "ida is 8"]
    assert await kept(*said, time="2025-05-04T10:00:00Z") == ["Ida is 8 years old (May 2025)."]


async def test_a_diet_ends_with_what_it_forbids() -> None:
    assert await kept("I've been vegetarian for years.", "I eat fish now.") == ["The user eats fish."]


async def test_what_holds_under_a_condition_only_is_left_out_of_a_sentence() -> None:
    assert await kept("if we moved i'd live in Rome, but my sister lives in Turin") == [
        "The user's sister lives in Turin."
    ]
