"""A message that only tells something is kept as it is said, where it speaks of what lasts."""

from __future__ import annotations

import pytest

from quipu.kinds.longterm.evaluation.alone import told_alone
from quipu.kinds.longterm.evaluation.rules import RulesEvaluator
from quipu.kinds.longterm.sati import SatiEvaluationInput


async def kept(*said: str) -> list[str]:
    turns = [{"role": "user", "content": text} for text in said]
    asked = SatiEvaluationInput.model_validate({"recent_conversation": turns})
    return [one.summary for one in (await RulesEvaluator().evaluate(asked)).inclusions]


@pytest.mark.parametrize(
    ("said", "summary"),
    [
        ("our house has solar panels, 12 of them", "The user's house has solar panels, 12 of them."),
        ("At work we do all the invoicing in Xero.", "At work the user does all the invoicing in Xero."),
        ("Mum's 80th is on the second of May.", "The user's mum's 80th is on the second of May."),
        (
            "We employ two apprentices, Callum and Reece.",
            "The user employs two apprentices, Callum and Reece.",
        ),
        (
            "There are five of us at home, counting my mother-in-law.",
            "There are five people, the user among them, at home, counting the user's mother-in-law.",
        ),
        (
            "The power goes off most evenings in our area so we run a generator.",
            "The power goes off most evenings in the user's area so the user runs a generator.",
        ),
        (
            "I'm writing a history of my village for the parish council.",
            "The user is writing a history of the user's village for the parish council.",
        ),
    ],
)
async def test_what_is_told_alone_is_kept_as_it_is_said(said: str, summary: str) -> None:
    assert await kept(said) == [summary]


@pytest.mark.parametrize(
    "said",
    [
        "We're having pizza tonight.",
        "Our bus is late again.",
        "I just had lunch with Tom.",
        "My back is a bit sore.",
        "I watched a good film with Ifeoma.",
        "We moved in together last week.",
        "My meeting is on Monday.",
        "My build fails on the server.",
        "I have a question about sorting.",
        "Most nurses I met love their job.",
        "I have to finish the slides.",
        "Our dinner was great.",
        "Thanks, that helps me a lot.",
    ],
)
async def test_what_holds_for_the_moment_is_not(said: str) -> None:
    assert await kept(said) == []


async def test_beside_a_question_or_much_talk_a_statement_is_not_told_alone() -> None:
    assert await kept("We employ two apprentices. How do I pay them?") == []
    assert not told_alone("one. two. three.", ["one.", "two.", "three."])
    assert not told_alone("see `x = 1` of mine", ["see `x = 1` of mine"])
    assert told_alone("We employ two apprentices.", ["We employ two apprentices."])


async def test_what_a_family_of_sayings_reads_is_not_told_twice() -> None:
    assert await kept("I live in Lisbon, in a small flat near the river.") == ["The user lives in Lisbon."]
