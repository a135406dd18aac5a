"""Before an answer: what matters of what is known, in time or not at all, and what that leaves behind."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta

import psycopg
import pytest

from frames import MARKS
from quipu import AsyncMemory
from quipu.kernel.base.clock import FrozenClock
from quipu.kernel.config import Settings
from quipu.kinds.longterm.longterm import AsyncLongterm
from quipu.longterm import SatiMemoryResult, SatiRetrievalInput

pytestmark = pytest.mark.anyio


@pytest.fixture
async def known(longterm: AsyncLongterm, space: str) -> AsyncLongterm:
    """What is known of Ana, of Bob, and of everybody."""
    for user, summary, category in (
        ("ana", "Eats no meat and no fish", "constraint"),
        ("ana", "Has a green boat called Marta", "favorite_things"),
        ("bob", "Eats meat every day", "preference"),
        (None, "The office kitchen has no oven", "context"),
    ):
        await longterm.add(summary, space=space, user=user, category=category)  # type: ignore[arg-type]
    return longterm


async def test_what_matters_comes_back_in_the_seed_s_shape(known: AsyncLongterm, space: str) -> None:
    asked = SatiRetrievalInput(current_message="What meat or fish do I eat?", memory_limit=5)
    found = await known.recover(asked, space=space, user="ana")
    assert isinstance(found, SatiMemoryResult)
    assert found.outcome == "found"
    assert found.relevant_memories[0].summary == "Eats no meat and no fish"
    assert found.document()["relevant_memories"][0] == {  # type: ignore[index]
        "summary": "Eats no meat and no fish",
        "category": "constraint",
        "importance": "medium",
    }
    assert "Eats meat every day" not in found.block  # that is Bob's
    assert len(found.ids) == len(found.scores) == len(found.parts) == len(found.relevant_memories)
    assert list(found.scores) == sorted(found.scores, reverse=True)


async def test_no_more_come_back_than_were_asked_for(known: AsyncLongterm, space: str) -> None:
    asked = SatiRetrievalInput(current_message="meat, fish, green boat, kitchen oven", memory_limit=5)
    several = await known.recover(asked, space=space, user="ana")
    one = await known.recover(asked.model_copy(update={"memory_limit": 1}), space=space, user="ana")
    assert len(several.relevant_memories) > 1
    assert one.relevant_memories == several.relevant_memories[:1]


async def test_what_holds_for_everybody_is_known_of_each(known: AsyncLongterm, space: str) -> None:
    found = await known.recover("Is there an oven in the office kitchen?", space=space, user="eve")
    assert [one.summary for one in found.relevant_memories] == ["The office kitchen has no oven"]


async def test_the_turns_before_say_what_a_short_message_is_about(known: AsyncLongterm, space: str) -> None:
    alone = await known.recover("And the name?", space=space, user="ana")
    assert all("Marta" not in one.summary for one in alone.relevant_memories)
    asked = await known.recover(
        "And the name?", recent=("Let us talk about the green boat.", "Gladly!"), space=space, user="ana"
    )
    assert asked.relevant_memories[0].summary == "Has a green boat called Marta"


async def test_nothing_relevant_is_an_answer(known: AsyncLongterm, space: str) -> None:
    for message in ("", "  ", "\U0001f44d", MARKS.mark("Has a green boat called Marta")):
        found = await known.recover(message, space=space, user="ana")
        assert (found.outcome, found.block, found.tokens, found.ids) == ("nothing", "", 0, ()), message
    assert (await known.recover("boat", space="nowhere", user="ana")).outcome == "nothing"


async def test_the_block_keeps_its_budget_and_is_stripped_from_what_is_observed(
    mind: AsyncMemory, known: AsyncLongterm, space: str
) -> None:
    full = await known.recover("meat, fish, green boat, kitchen oven", space=space, user="ana")
    assert len(full.ids) == 3
    tight = await known.recover(
        "meat, fish, green boat, kitchen oven", space=space, user="ana", budget_tokens=full.tokens - 1
    )
    assert 0 < len(tight.ids) < 3
    assert tight.tokens < full.tokens
    assert tight.left_out == 3 - len(tight.ids)
    none = await known.recover("green boat", space=space, user="ana", budget_tokens=5)
    assert (none.block, none.outcome, none.left_out) == ("", "nothing", 1)
    await mind.observe([{"content": f"{full.block}\nGood morning!"}], space=space, session="s1")
    (said,) = await mind.recall("green boat morning", space=space, kinds=("message",))
    assert said.text == "Good morning!"


async def test_only_what_is_injected_counts_as_an_access_once_in_an_hour(
    known: AsyncLongterm, space: str, clock: FrozenClock
) -> None:
    async def accessed() -> list[int]:
        return [one.access_count for one in await known.list(space=space, text="boat")]

    await known.recover("green boat", space=space, user="ana")
    await known.search("green boat", space=space, user="ana")
    assert await accessed() == [0]
    for _ in range(3):
        await known.recover("green boat", space=space, user="ana", injected=True)
    assert await accessed() == [1]
    clock.advance(timedelta(hours=1))
    await known.recover("green boat", space=space, user="ana", injected=True)
    assert await accessed() == [2]
    (one,) = await known.list(space=space, text="boat")
    assert one.last_accessed_at == clock.now()


async def test_the_audit_tells_what_was_recovered_for_which_message_and_why(
    known: AsyncLongterm, space: str
) -> None:
    found = await known.recover(
        "green boat", space=space, user="ana", session="s1", message_id="m7", injected=True
    )
    await known.recover("", space=space, user="bob", session="s2")
    (nothing, line) = await known.audit(space=space)
    assert (nothing.outcome, nothing.session, nothing.memories) == ("nothing", "s2", ())
    assert (line.act, line.outcome, line.user, line.session, line.message) == (
        "recover",
        "found",
        "ana",
        "s1",
        "m7",
    )
    assert [one.id for one in line.memories] == list(found.ids)
    assert {one.action for one in line.memories} == {"injected"}
    assert line.memories[0].parts == dict(found.parts[0])
    assert [one.session for one in await known.audit(space=space, user="ana")] == ["s1"]


@pytest.fixture
async def hurried(shared: Settings, clock: FrozenClock) -> AsyncIterator[AsyncMemory]:
    """A memory that has one second."""
    async with AsyncMemory(
        settings=replace(shared, tuned={**shared.tuned, "longterm_timeout_ms": 1_000}), clock=clock
    ) as memory:
        await memory.longterm.add("Has a green boat", space="hurried", user="ana")
        yield memory


async def test_a_database_that_does_not_answer_in_time_costs_no_more_than_the_limit(
    hurried: AsyncMemory, address: str
) -> None:
    with psycopg.connect(address) as blocking:
        blocking.execute("lock table longterm.long_term_memory in access exclusive mode")
        found = await hurried.longterm.recover("green boat", space="hurried", user="ana")
    assert (found.outcome, found.block) == ("timeout", "")
    assert found.trouble is not None
    assert "1000 ms" in found.trouble
    await hurried.settings.set("longterm_timeout_ms", 60_000, space="hurried")
    again = await hurried.longterm.recover("green boat", space="hurried", user="ana")
    assert again.outcome == "found"  # and nothing of it was broken


async def test_a_fault_of_the_database_is_an_answer_without_memory(
    known: AsyncLongterm, space: str, address: str
) -> None:
    with psycopg.connect(address, autocommit=True) as breaking:
        breaking.execute("alter table core.recall_entries rename to hidden")
        try:
            found = await known.recover("green boat", space=space, user="ana", session="s9")
        finally:
            breaking.execute("alter table core.hidden rename to recall_entries")
    assert (found.outcome, found.block) == ("failed", "")
    assert found.trouble
    (line,) = await known.audit(space=space, session="s9")
    assert (line.outcome, line.trouble) == ("failed", found.trouble)
