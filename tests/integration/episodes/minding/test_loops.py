"""Open loops from end to end: said, found by a worker, resolved by what is said later, or by hand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from quipu import AsyncMemory
from quipu.errors import BadInput, NotFound
from quipu.interfaces.hooks.daemon.answers import Answers
from quipu.kinds.episodes.extraction.loops.model import Loop
from quipu.recall.render import estimate_tokens

pytestmark = pytest.mark.anyio

BEGIN = datetime(2026, 3, 2, 10, tzinfo=UTC)


async def say(
    memory: AsyncMemory, *lines: str, day: int = 0, session: str = "s", user: str | None = "ana"
) -> None:
    """Lines of "U: …" and "A: …", a minute apart, and the work that follows."""
    messages = [
        {
            "id": f"{session}-{day}-{place}",
            "role": "user" if line.startswith("U: ") else "assistant",
            "content": line[3:],
            "time": BEGIN + timedelta(days=day, minutes=place),
        }
        for place, line in enumerate(lines)
    ]
    await memory.observe(messages, space="a", session=session, user=user)
    await memory.work()


async def only(memory: AsyncMemory, *, state: str = "all") -> Loop:
    (loop,) = await memory.loops.list(space="a", state=state)
    return loop


async def test_a_promise_stays_open_until_a_later_exchange_resolves_it(memory: AsyncMemory) -> None:
    await say(memory, "U: I'll send the contract to Dana tomorrow.", "A: Sounds good.")
    loop = await only(memory)
    assert (loop.kind, loop.state, loop.by, loop.user) == ("promise", "open", "user", "ana")
    assert (loop.text, loop.message) == ("I'll send the contract to Dana tomorrow.", "s-0-0")
    assert loop.due == datetime(2026, 3, 4, tzinfo=UTC)

    await say(memory, "U: I sent the contract to Dana.", "A: Great.", day=2, session="t")
    loop = await only(memory)
    assert (loop.state, loop.outcome) == ("closed", "resolved")
    assert (loop.evidence, loop.evidence_message) == ("I sent the contract to Dana.", "t-2-0")
    assert loop.closed_at == BEGIN + timedelta(days=2)


async def test_a_loop_whose_day_is_long_past_is_closed_by_what_is_said_later(memory: AsyncMemory) -> None:
    await say(memory, "U: I'll send the contract to Dana by the ninth of March.", "A: Sounds good.")
    await say(memory, "U: Which soup is good today?", "A: Leek.", day=20, session="t")
    assert (await only(memory)).state == "open"

    await say(memory, "U: Which soup is good today?", "A: Leek.", day=23, session="u")
    loop = await only(memory)
    assert (loop.state, loop.outcome, loop.evidence_message) == ("closed", "dropped", None)
    assert loop.evidence == "Its day is long past, and nobody said that it came about."


async def test_a_loop_without_a_day_is_closed_after_three_months(memory: AsyncMemory) -> None:
    await say(memory, "U: I'll call the plumber about the sink.", "A: Good.")
    await say(memory, "U: Which soup is good today?", "A: Leek.", day=89, session="t")
    assert (await only(memory)).state == "open"
    await say(memory, "U: Which soup is good today?", "A: Leek.", day=91, session="u")
    assert (await only(memory)).state == "closed"


async def test_what_one_person_says_resolves_nothing_of_another(memory: AsyncMemory) -> None:
    await say(memory, "U: I'll send the contract to Dana tomorrow.", "A: Good.")
    await say(memory, "U: I sent the contract to Dana.", "A: Good.", day=1, session="t", user="ben")
    assert (await only(memory)).state == "open"


async def test_a_question_is_open_where_the_answer_evades_it(memory: AsyncMemory) -> None:
    await say(memory, "U: When does the library open?", "A: At ten.")
    assert await memory.loops.list(space="a", state="all") == []
    await say(memory, "U: What is the gate code for the storage unit?", "A: I don't know that one.", day=1)
    assert (await only(memory)).kind == "question"


async def test_reading_a_session_again_changes_nothing(memory: AsyncMemory) -> None:
    await say(memory, "U: I'll send the contract to Dana tomorrow.", "A: Good.")
    before = await only(memory)
    await memory.work()
    await say(memory, "U: Nice weather.", "A: Indeed.", day=1)
    assert await only(memory) == before


async def test_what_is_said_again_is_one_loop_mentioned_twice(memory: AsyncMemory) -> None:
    await say(memory, "U: I'll send the contract to Dana tomorrow.", "A: Good.")
    await say(memory, "U: Hm, I'll send Dana the contract on Friday.", "A: Good.", day=2)
    loop = await only(memory)
    assert (loop.mentions, loop.due) == (2, datetime(2026, 3, 7, tzinfo=UTC))


async def test_a_loop_is_closed_and_reopened_by_hand(memory: AsyncMemory) -> None:
    await say(memory, "U: I'll send the contract to Dana tomorrow.", "A: Good.")
    loop = await only(memory)
    closed = await memory.loops.close(str(loop.id)[:8], space="a", evidence="Dana has it.")
    assert (closed.state, closed.evidence, closed.evidence_message) == ("closed", "Dana has it.", None)
    assert await memory.loops.list(space="a") == []
    assert await memory.loops.close(loop.id, space="a", outcome="dropped") == closed
    back = await memory.loops.reopen(loop.id, space="a")
    assert (back.state, back.evidence, back.reopened) == ("open", None, 1)
    with pytest.raises(NotFound):
        await memory.loops.get("ffff0000", space="a")
    with pytest.raises(BadInput):
        await memory.loops.close(loop.id, space="a", outcome="won")


async def test_secrets_given_as_evidence_are_not_kept(memory: AsyncMemory) -> None:
    await say(memory, "U: I'll send the contract to Dana tomorrow.", "A: Good.")
    loop = await only(memory)
    key = "AKIA" + "IOSFODNN7EXAMPLX"
    closed = await memory.loops.close(loop.id, space="a", evidence=f"uploaded with {key}")
    assert key not in str(closed.evidence)


async def test_a_loop_goes_with_every_message_whose_words_are_in_it(memory: AsyncMemory) -> None:
    await say(
        memory,
        "U: Please send the quarterly report to finance by Wednesday.",
        "A: I'll prepare it and send it on Tuesday evening.",
    )
    assert "finance" in (await only(memory)).text
    await memory.forget(space="a", message="s-0-0", confirm=True)
    assert await memory.loops.list(space="a", state="all") == []


async def test_the_words_that_closed_a_loop_go_with_their_message(memory: AsyncMemory) -> None:
    await say(memory, "U: I'll send the contract to Dana tomorrow.", "A: Good.")
    await say(memory, "U: I sent the contract to Dana.", "A: Great.", day=2, session="t")
    await memory.forget(space="a", session="t", confirm=True)
    loop = await only(memory)
    assert (loop.state, loop.evidence, loop.evidence_message) == ("closed", None, None)


async def test_the_loops_of_a_person_go_with_the_person(memory: AsyncMemory) -> None:
    await say(memory, "U: I'll send the contract to Dana tomorrow.", "A: Good.")
    receipt = await memory.forget(space="a", user="ana", confirm=True)
    assert receipt.counts["loops"] == 1
    assert await memory.loops.list(space="a", state="all") == []


async def test_reminders_come_in_the_order_of_their_urgency(memory: AsyncMemory) -> None:
    await say(memory, "U: I promised my sister to fix her bike.", "A: Kind of you.")
    await say(memory, "U: We haven't heard from the caterer yet.", "A: Call them.", day=0, session="t")
    now = datetime.now(UTC) - BEGIN
    await say(
        memory,
        "U: I'll book the dentist tomorrow.",
        "A: Good.",
        day=now.days,
        session="u",
    )
    reminded = await memory.loops.remind(space="a", user="ana")
    assert reminded[0].text == "I'll book the dentist tomorrow."


async def test_a_session_that_begins_is_told_what_is_open_in_its_space(memory: AsyncMemory) -> None:
    await say(memory, "U: I'll send the contract to Dana next week.", "A: Good.", day=days_ago(0))
    begins = {"do": "session-start", "space": "a", "session": "new"}
    hooks = Answers(memory)
    told = await hooks.answer(begins)
    assert "\nOpen:\n- user, " in told
    assert "I'll send the contract to Dana next week." in told
    assert (await memory.marks(space="a")).hear(told).text.strip() == ""
    for tokens in (1, 30, 60, 100, 400):
        assert estimate_tokens(await hooks.answer({**begins, "budget-tokens": tokens})) <= tokens
    assert await memory.reminders(space="a", user="somebody else") == []
    await memory.loops.close((await only(memory)).id, space="a")
    assert "Open:" not in await hooks.answer(begins)


@pytest.mark.parametrize(
    ("given", "field"), [({"user": ""}, "user"), ({"session": 5}, "session"), ({"kinds": ["dream"]}, "kinds")]
)
async def test_reminders_that_cannot_be_given_are_refused(
    memory: AsyncMemory, given: dict[str, Any], field: str
) -> None:
    with pytest.raises(BadInput, match=field):
        await memory.reminders(**{"space": "a"} | given)


async def test_the_block_for_prompts_tells_what_is_open_within_its_budget(memory: AsyncMemory) -> None:
    await say(memory, "U: I'll send the contract to Dana next week.", "A: Good.", day=days_ago(0))
    asked = {"space": "a", "user": "ana"}
    made = await memory.recall_block("contract", budget_tokens=400, **asked)
    assert "\nOpen:\n- user, " in made.text
    assert made.text.count("send the contract to Dana next week.") == 2  # open, and said (or its episode)
    assert made.tokens <= 400
    small = await memory.recall_block("contract", budget_tokens=60, **asked)
    assert "Open:" not in small.text
    messages = await memory.recall_block("contract", budget_tokens=400, kinds=["message"], **asked)
    assert "Open:" not in messages.text
    await memory.loops.close((await only(memory)).id, space="a")
    assert "Open:" not in (await memory.recall_block("contract", budget_tokens=400, **asked)).text


def days_ago(days: int) -> int:
    """The day of ``say`` that was so many days ago."""
    return (datetime.now(UTC) - BEGIN).days - days
