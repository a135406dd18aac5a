"""Forgetting through the ledger: a session, a person, a space; and nothing else."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from quipu import AsyncMemory
from quipu.kinds.ledger.ledger import AsyncLedger

pytestmark = pytest.mark.anyio

HERE: dict[str, Any] = {"space": "cafe", "session": "s-1"}
DANA: dict[str, Any] = {"space": "cafe", "user": "dana"}


async def fill(ledger: AsyncLedger) -> None:
    await ledger.set("team", 4, user="dana", **HERE)
    await ledger.set("boat", "green", scope="cross_session", **HERE)
    await ledger.set("boat", "blue", space="cafe", user="bob", actor="dana")
    await ledger.open_session(space="cafe", session="s-2", user="bob")
    await ledger.set("team", 5, space="cafe", session="s-2")
    await ledger.set("team", 6, space="bar", user="dana")


def events(url: str) -> list[tuple[object, ...]]:
    with psycopg.connect(url) as conn:
        return conn.execute(
            "select distinct_id, memory_key, new_value_json, session_id is null, actor"
            " from ledger.chat_memory_events order by id"
        ).fetchall()


async def test_a_forgotten_session_takes_what_was_known_in_it_and_leaves_what_is_the_persons(
    cafe: AsyncMemory, ledger: AsyncLedger, url: str
) -> None:
    await fill(ledger)
    await cafe.recall("boat", space="cafe")
    preview = await cafe.forget(space="cafe", session="s-1")
    assert (preview.counts["ledger.chat_memory_events"], preview.counts["messages"]) == (1, 3)
    await cafe.forget(space="cafe", session="s-1", confirm=True)
    assert [row[:4] for row in events(url)] == [
        ("dana", "boat", "green", True),
        ("bob", "boat", "blue", True),
        ("bob", "team", 5, False),
        ("dana", "team", 6, True),
    ]
    assert [s.name for s in await cafe.sessions(space="cafe")] == ["s-2"]
    assert {hit.text for hit in await cafe.recall("boat team", space="cafe")} == {
        "boat: green",
        "boat: blue",
        "team: 5",
    }
    assert (await ledger.rebuild(space="cafe")).changed == 0


async def test_a_forgotten_person_takes_their_facts_and_their_sessions(
    cafe: AsyncMemory, ledger: AsyncLedger, url: str
) -> None:
    await fill(ledger)
    await cafe.recall("boat", space="cafe")
    preview = await cafe.forget(**DANA)
    done = await cafe.forget(confirm=True, **DANA)
    assert done.counts == preview.counts
    assert done.counts["ledger.chat_memory_events"] == 2
    assert events(url) == [
        ("bob", "boat", "blue", True, None),  # what dana wrote of bob stays his, without her name
        ("bob", "team", 5, False, None),
        ("dana", "team", 6, True, None),  # another space
    ]
    assert [s.name for s in await cafe.sessions(space="cafe")] == ["s-2"]
    assert {hit.text for hit in await cafe.recall("boat team", space="cafe")} == {"boat: blue", "team: 5"}


async def test_a_forgotten_message_is_no_fact(cafe: AsyncMemory, ledger: AsyncLedger, url: str) -> None:
    await ledger.set("team", 4, **HERE)
    for message in ("q1", "a1", "q2"):
        await cafe.forget(space="cafe", message=message, confirm=True)
    assert len(events(url)) == 1
    assert (await ledger.state(**HERE))["team"].value == 4


async def test_a_forgotten_space_leaves_nothing_and_no_other_space_is_touched(
    cafe: AsyncMemory, ledger: AsyncLedger, url: str
) -> None:
    await fill(ledger)
    await cafe.recall("boat", space="cafe")
    await cafe.forget(space="cafe", confirm=True)
    assert [row[2] for row in events(url)] == [6]
    assert [space.name for space in await cafe._ready.database.spaces()] == ["bar"]  # pyright: ignore[reportPrivateUsage]
    assert (await ledger.set("team", 7, **DANA)).stands  # the space is made again
