"""An episode written by a language model, and by the rules where that fails."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from quipu.errors import BudgetSpent
from quipu.kernel.embedding.hashing import HashEmbedder
from quipu.kernel.policy.policy import policy
from quipu.kinds.episodes.building.builders import LONGEST_MESSAGE, MOST_CHARACTERS, NOTHING
from quipu.kinds.episodes.building.drafts import Draft, Drafter
from quipu.kinds.episodes.building.model import Utterance
from quipu.kinds.episodes.building.store import Exchange, Spoken
from quipu.kinds.episodes.shapes import Condensed
from quipu.testing import ScriptedLLM

pytestmark = pytest.mark.anyio
THEN = datetime(2026, 3, 2, 10, tzinfo=UTC)
KEY = "ghp_" + "a1B2" * 9
EXCHANGE = Exchange(1, 1, 1, 9, "ana", THEN, THEN + timedelta(minutes=9), None, "boats")
GOOD: dict[str, object] = {
    "intent": {"type": "planning", "direction": "decision-making"},
    "context": {"situational": "On Monday.", "conversational": "", "constraints": ["No sail before June."]},
    "action": "Ana sold her boat.",
    "emotion": {"type": "joy", "valence": "positive", "intensity": "low", "arc": "steady"},
    "outcome": "Bo has the boat.",
    "gist": "Ana sold her blue boat to Bo on 3 March 2026.",
    "salience_factors": {"novelty": 2.5, "emotional": 1, "commitment": 1, "unresolved": False},
    "open_loops": [],
}


def spoken(*texts: str) -> list[Spoken]:
    return [
        Spoken(Utterance(id=n, role="user", speaker="Ana", text=text, at=THEN + timedelta(minutes=n)), None)
        for n, text in enumerate(texts, start=1)
    ]


async def drafted(model: ScriptedLLM | None, *texts: str) -> Draft:
    drafting = Drafter(model, secrets=True)
    return await drafting.draft(
        UUID(int=1), [EXCHANGE], spoken(*texts), HashEmbedder(dimensions=64), policy=policy("", secrets=False)
    )


async def test_the_model_writes_it_and_is_told_who_spoke_and_when() -> None:
    model = ScriptedLLM([GOOD])
    draft = await drafted(model, "I sold the blue boat to Bo.")
    assert (draft.builder, draft.trouble, draft.measured) == ("llm:scripted", None, False)
    assert draft.said == Condensed.model_validate(GOOD)
    assert draft.text == f"{GOOD['gist']}\n{GOOD['outcome']}"
    (asked,) = model.calls
    assert (asked.purpose, asked.shape) == ("episodes.build", Condensed)
    assert "Topic: boats\n\n[2026-03-02 10:01 Ana] I sold the blue boat to Bo." in asked.text


async def test_what_the_model_gets_wrong_once_it_may_repair() -> None:
    wrong = GOOD | {"salience_factors": {"novelty": 9, "emotional": 1, "commitment": 1, "unresolved": False}}
    model = ScriptedLLM([wrong, GOOD])
    assert (await drafted(model, "I sold the blue boat.")).builder == "llm:scripted"
    assert len(model.calls) == 2


@pytest.mark.parametrize("answers", [["no JSON", "none either"], [BudgetSpent("Spent.")], []])
async def test_where_the_model_fails_the_rules_write_it_and_it_shows(
    answers: list[str | BudgetSpent],
) -> None:
    by_rules = await drafted(None, "I sold the blue boat to Bo.")
    draft = await drafted(ScriptedLLM(answers), "I sold the blue boat to Bo.")
    assert (draft.builder, draft.measured, draft.said) == ("rules", True, by_rules.said)
    assert draft.trouble
    assert by_rules.trouble is None


async def test_secrets_that_the_model_writes_are_cut_out() -> None:
    leaking = GOOD | {
        "gist": f"The key is {KEY}.",
        "open_loops": [f"Is {KEY} valid?"],
        "action": KEY,
        "outcome": KEY,
        "context": {"constraints": [f"only with {KEY}"]},
    }
    assert KEY not in repr(await drafted(ScriptedLLM([leaking]), "Well."))


async def test_what_the_model_tells_of_people_is_held_to_the_policy() -> None:
    telling = GOOD | {
        "gist": "Ana has diabetes.",
        "open_loops": ["Ana's biopsy is open.", "Who gets the boat?"],
        "action": "Ana takes a spray for asthma.",
        "outcome": "Ana is allergic to nuts.",
    }
    said = (await drafted(ScriptedLLM([telling]), "Remember that I take a spray for asthma.")).said
    assert (said.gist, said.outcome) == (NOTHING, "Ana is allergic to nuts.")
    assert said.open_loops == ("Who gets the boat?",)
    assert said.action == telling["action"]  # somebody asked to remember it


async def test_long_messages_are_cut_and_of_many_the_middle_is_left_out() -> None:
    model = ScriptedLLM([GOOD, GOOD])
    await drafted(model, "word " * 50_000)
    assert LONGEST_MESSAGE < len(model.calls[0].text) < 2 * LONGEST_MESSAGE
    await drafted(model, *(f"{n} " + "word " * 200 for n in range(90)))
    text = model.calls[1].text
    assert len(text) < MOST_CHARACTERS + 500
    assert "] 0 word" in text
    assert "] 89 word" in text
    assert "] 45 word" not in text
