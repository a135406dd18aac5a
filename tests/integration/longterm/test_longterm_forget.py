"""Forgetting: a memory goes with the words that it rests on, or stays without those that go."""

from __future__ import annotations

import psycopg
import pytest

from quipu import AsyncMemory
from quipu.kernel.base.clock import SystemClock
from quipu.kinds.longterm.changes import Changes, changed
from quipu.kinds.longterm.model import Kept, MemorySource, New, Rewording

pytestmark = pytest.mark.anyio


async def learn(
    memory: AsyncMemory, summary: str, message: str, session: str, *, space: str, user: str = "ana"
) -> Kept:
    """Keep a memory that rests on a message, as an evaluation does."""
    said = (MemorySource(excerpt=f"words of {message}", message=message, session=session),)
    new = New(summary=summary, category="context", importance="low", user=user, said=said, reason="new")
    return await apply(memory, lambda changes: changes.store(new), space=space)


async def move(
    memory: AsyncMemory, id_: str, summary: str, message: str, session: str, *, space: str
) -> None:
    """Change what a memory says because of a message."""
    said = (MemorySource(excerpt=f"words of {message}", message=message, session=session),)
    to = Rewording(summary=summary, said=said, reason=f"because of {message}")
    await apply(memory, lambda changes: changes.edit(id_, to), space=space)


async def apply(memory: AsyncMemory, work, *, space: str):  # type: ignore[no-untyped-def]
    parts = memory._ready
    return await changed(parts.database, parts.models, work, space=space, clock=SystemClock(), by="rules:1")


async def tell(memory: AsyncMemory, space: str) -> None:
    """Two sessions of Ana, with a message of Bob's in the second."""
    for session, messages in {"s1": ["m1", "m2"], "s2": ["m3", "m4"]}.items():
        said = [{"id": one, "content": f"words of {one}", "user": "ana"} for one in messages]
        await memory.observe(said, space=space, session=session)
    bob = {"id": "m5", "content": "words of m5", "speaker": "bob"}
    await memory.observe([bob], space=space, session="s2")


def trace(address: str, needle: str, *, space: str) -> list[str]:
    """The tables of long-term memory, of the record and of recall in which a text occurs."""
    found: list[str] = []
    with psycopg.connect(address) as conn:
        (number,) = conn.execute("select id from core.spaces where name = %s", [space]).fetchall()
        tables = conn.execute(
            "select c.oid::regclass::text from pg_class c"
            " join pg_attribute a on a.attrelid = c.oid and a.attname = 'space_id'"
            " where relkind = 'r' and relnamespace in ('longterm'::regnamespace, 'core'::regnamespace)"
        ).fetchall()
        for (table,) in tables:
            query = f"select exists (select from {table} t where space_id = %s and t::text ilike %s)"
            if conn.execute(query.encode(), [*number, f"%{needle}%"]).fetchone() == (True,):
                found.append(table)
    return found


async def test_a_memory_goes_with_the_only_words_that_tell_it(
    mind: AsyncMemory, space: str, address: str
) -> None:
    await tell(mind, space)
    kept = await learn(mind, "Aardvarks", "m1", "s1", space=space)
    assert [one.message for one in await mind.longterm.sources(str(kept.id), space=space)] == ["m1"]
    preview = await mind.forget(space=space, message="m1")
    assert preview.counts["long_term_memory"] == 1
    done = await mind.forget(space=space, message="m1", confirm=True)
    assert done.counts == preview.counts
    assert await mind.longterm.list(space=space, state="all") == []
    assert trace(address, "aardvark", space=space) == []


async def test_a_memory_that_others_tell_too_stays_without_what_goes(mind: AsyncMemory, space: str) -> None:
    await tell(mind, space)
    kept = await learn(mind, "Bonobos", "m1", "s1", space=space)
    again = await learn(mind, "bonobos", "m3", "s2", space=space)
    assert (again.id, again.outcome) == (kept.id, "restated")
    await mind.forget(space=space, session="s1", confirm=True)
    (left,) = await mind.longterm.list(space=space)
    assert (left.session, left.source) == (None, None)  # s1 is nowhere any more
    assert [one.message for one in await mind.longterm.sources(left.id, space=space)] == ["m3"]
    await mind.forget(space=space, session="s2", confirm=True)
    assert await mind.longterm.list(space=space) == []


async def test_what_replaced_an_earlier_wording_takes_it_along(
    mind: AsyncMemory, space: str, address: str
) -> None:
    await tell(mind, space)
    kept = await learn(mind, "Lives in Capybara", "m1", "s1", space=space)
    await move(mind, str(kept.id), "Lives in Dugong", "m3", "s2", space=space)
    await mind.forget(space=space, session="s2", confirm=True)
    assert await mind.longterm.list(space=space, state="all") == []  # Capybara is not true any more
    assert trace(address, "capybara", space=space) == trace(address, "dugong", space=space) == []


async def test_an_earlier_wording_goes_with_its_words_and_the_reason_of_its_change(
    mind: AsyncMemory, space: str, address: str
) -> None:
    await tell(mind, space)
    kept = await learn(mind, "Lives in Echidna", "m1", "s1", space=space)
    await move(mind, str(kept.id), "Lives in Flamingo", "m3", "s2", space=space)
    await mind.forget(space=space, session="s1", confirm=True)
    (left,) = await mind.longterm.list(space=space)
    assert left.summary == "Lives in Flamingo"
    assert await mind.longterm.history(left.id, space=space) == []
    assert trace(address, "echidna", space=space) == []


async def test_a_change_of_importance_rests_on_the_same_words(mind: AsyncMemory, space: str) -> None:
    await tell(mind, space)
    kept = await learn(mind, "Gibbons", "m1", "s1", space=space)
    await mind.longterm.edit(str(kept.id), space=space, importance="high")
    own = await learn(mind, "Hoopoes", "m2", "s1", space=space)
    await mind.longterm.edit(str(own.id), space=space, summary="Hoopoes, as I know myself")
    await mind.forget(space=space, session="s1", confirm=True)
    (left,) = await mind.longterm.list(space=space)
    assert left.summary == "Hoopoes, as I know myself"  # a person wrote that
    assert await mind.longterm.history(left.id, space=space) == []


async def test_a_person_is_forgotten_whosesoever_memory_rests_on_their_words(
    mind: AsyncMemory, space: str, address: str
) -> None:
    await tell(mind, space)
    await mind.longterm.add("Ibexes", space=space, user="bob")
    await learn(mind, "Jackals", "m5", "s2", space=space)
    await learn(mind, "Koalas", "m3", "s2", space=space)
    await mind.longterm.recover("Ibexes", space=space, user="bob", injected=True)
    await mind.forget(space=space, user="bob", confirm=True)
    assert [one.summary for one in await mind.longterm.list(space=space)] == ["Koalas"]
    for word in ("ibex", "jackal", "bob"):
        assert trace(address, word, space=space) == [], word
    await mind.forget(space=space, user="ana", confirm=True)
    assert await mind.longterm.list(space=space, state="all") == []


async def test_what_was_written_by_hand_goes_with_its_session_and_the_rest_stays(
    mind: AsyncMemory, space: str
) -> None:
    await tell(mind, space)
    await mind.longterm.add("Lemurs", space=space, user="ana", session="s1")
    await mind.longterm.add("Mandrills", space=space, user="ana")
    await mind.longterm.recover("Mandrills", space=space, user="ana", session="s1")
    await mind.forget(space=space, session="s1", confirm=True)
    assert [one.summary for one in await mind.longterm.list(space=space)] == ["Mandrills"]
    assert await mind.longterm.audit(space=space) == []


async def test_words_that_were_forgotten_meanwhile_make_no_memory(mind: AsyncMemory, space: str) -> None:
    await tell(mind, space)
    said = (MemorySource(excerpt="gone", number=12345, message="m9", session="s1"),)
    new = New(summary="Numbats", category="context", importance="low", said=said)
    kept = await apply(mind, lambda changes: changes.store(new), space=space)
    assert (kept.id, kept.outcome) == (None, "gone")
    assert await mind.longterm.list(space=space) == []


async def test_the_same_words_change_nothing_a_second_time(mind: AsyncMemory, space: str) -> None:
    await tell(mind, space)
    kept = await learn(mind, "Ocelots", "m1", "s1", space=space)
    again = await learn(mind, "Ocelots", "m1", "s1", space=space)
    assert (again.id, again.outcome) == (kept.id, "kept")
    await mind.longterm.archive(str(kept.id), space=space)
    old = await learn(mind, "Ocelots", "m1", "s1", space=space)
    assert old.outcome == "kept"  # what a person archived does not come back by itself
    new = await learn(mind, "Ocelots", "m3", "s2", space=space)
    assert new.outcome == "revived"
    (one,) = await mind.longterm.list(space=space)
    assert (one.stated_count, one.sources) == (2, 2)


async def test_the_policy_refuses_what_is_written_automatically(mind: AsyncMemory, space: str) -> None:
    new = New(summary="Earns 5,000 a month", category="personal_data", importance="low")
    parts = mind._ready

    async def work(changes: Changes) -> Kept:
        return await changes.store(new)

    kept = await changed(
        parts.database,
        parts.models,
        work,
        space=space,
        clock=SystemClock(),
        by="rules:1",
        refuses=lambda text, category, asked: None if asked else f"{category}: money",
    )
    assert (kept.outcome, kept.reason) == ("refused", "personal_data: money")
    assert await mind.longterm.list(space=space) == []
