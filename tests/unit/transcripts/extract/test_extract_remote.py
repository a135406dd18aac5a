"""A language model is believed only where it quotes what the person said."""

from __future__ import annotations

import pytest

from quipu.errors import BudgetSpent, LanguageFailed
from quipu.kinds.transcripts.extract.model import Extractor, SessionTurn
from quipu.kinds.transcripts.extract.remote import CHUNK_CHARACTERS, RemoteExtractor, chunks
from quipu.testing import ScriptedLLM

pytestmark = pytest.mark.anyio

SESSION = [
    SessionTurn(index=0, role="assistant", text="I prefer spaces."),
    SessionTurn(index=1, role="user", text="No. I prefer\ntabs, always.", message_id=7),
]


def fact(excerpt: str, turn: int = 1, **changed: object) -> dict[str, object]:
    given = {"fact": "The user prefers tabs.", "category": "preferences", "confidence": 0.9}
    return {**given, "turn": turn, "excerpt": excerpt, **changed}


async def test_a_fact_quotes_its_turn_letter_by_letter() -> None:
    model = ScriptedLLM([{"facts": [fact("I prefer tabs, always")]}])
    found = await RemoteExtractor(model).extract(SESSION, project="acme")
    (one,) = found.findings
    assert (one.fact, one.turn_index, one.message_id) == ("The user prefers tabs.", 1, 7)
    assert one.excerpt == "I prefer\ntabs, always"
    assert found.dropped == 0
    assert "Project: acme" in model.calls[0].text
    assert "[1 user] No. I prefer\n    tabs, always." in model.calls[0].text


@pytest.mark.parametrize(
    "unfounded",
    [
        fact("I love tabs"),
        fact("I prefer spaces.", 0),
        fact("I prefer tabs", 9),
        fact("i prefer tabs"),
        fact("   "),
    ],
    ids=["not said", "said by the agent", "no such turn", "other letters", "nothing"],
)
async def test_what_was_not_said_is_dropped_and_counted(unfounded: dict[str, object]) -> None:
    found = await RemoteExtractor(ScriptedLLM([{"facts": [unfounded, fact("I prefer tabs")]}])).extract(
        SESSION
    )
    assert (len(found.findings), found.dropped) == (1, 1)


async def test_the_same_fact_counts_once() -> None:
    twice = [fact("I prefer tabs"), fact("always.", fact="the user prefers tabs")]
    found = await RemoteExtractor(ScriptedLLM([{"facts": twice}])).extract(SESSION)
    assert len(found.findings) == 1


async def test_an_answer_that_never_fits_is_an_error() -> None:
    with pytest.raises(LanguageFailed):
        await RemoteExtractor(ScriptedLLM(["no", "still no"])).extract(SESSION)


async def test_what_was_found_before_an_error_is_kept_with_the_error() -> None:
    said = [SessionTurn(index=at, role="user", text=f"I prefer {at} " + "x" * 3_900) for at in range(6)]
    answers = [{"facts": [fact("I prefer 0", 0)]}, BudgetSpent("The tokens of today are used up.")]
    found = await RemoteExtractor(ScriptedLLM(answers)).extract(said)
    assert len(found.findings) == 1
    assert found.error is not None
    assert "used up" in found.error


async def test_a_session_in_which_nobody_spoke_asks_nothing() -> None:
    model = ScriptedLLM()
    said = [
        SessionTurn(index=0, role="assistant", text="x"),
        SessionTurn(index=1, role="other", text="I prefer tabs"),
    ]
    assert (await RemoteExtractor(model).extract(said)).findings == ()
    assert model.calls == []


async def test_a_long_session_is_asked_in_parts_that_end_between_turns() -> None:
    said = [SessionTurn(index=at, role="user", text=f"{at} " + "x" * 3_000) for at in range(20)]
    parts = list(chunks(said, project=None))
    assert len(parts) > 1
    assert all(len(part) <= CHUNK_CHARACTERS + 100 for part in parts)
    assert [part.count("[") for part in parts]
    assert sum(part.count(" user] ") for part in parts) == 20


def test_each_model_is_an_extractor_of_its_own() -> None:
    extractor = RemoteExtractor(ScriptedLLM(name="openai:x"))
    assert isinstance(extractor, Extractor)
    assert extractor.name == "llm:openai:x"
