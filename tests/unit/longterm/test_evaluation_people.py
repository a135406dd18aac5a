"""Casual talk: names written small, thoughts that run on, whom "he" and "she" are, and what others said."""

from __future__ import annotations

import pytest

from quipu.kinds.longterm.evaluation.rules import RulesEvaluator
from quipu.kinds.longterm.sati import SatiEvaluationInput


async def kept(*texts: str) -> list[str]:
    asked = {"recent_conversation": [{"role": "user", "content": text} for text in texts]}
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
