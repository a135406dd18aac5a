"""What was believed when, what changed since, and how it is taken back."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import anyio
import psycopg
import pytest

from quipu.errors import BadInput, Conflict, NotFound
from quipu.kernel.base.clock import FrozenClock
from quipu.kinds.ledger.ledger import AsyncLedger
from quipu.kinds.ledger.model import Change

pytestmark = pytest.mark.anyio

HERE: dict[str, Any] = {"space": "cafe", "session": "s-1"}
DANA: dict[str, Any] = {"space": "cafe", "user": "dana"}


def number(change: Change) -> int:
    assert change.event is not None
    return change.event.id


async def believed(ledger: AsyncLedger, at: datetime | None = None, **whose: Any) -> dict[str, object]:
    return {key: v.value for key, v in (await ledger.state(as_of=at, **(whose or HERE))).items()}


async def test_the_state_as_of_a_moment_is_what_was_believed_then(
    ledger: AsyncLedger, clock: FrozenClock
) -> None:
    times: list[datetime] = []

    def tick() -> None:
        clock.advance(timedelta(minutes=1))
        times.append(clock.now())
        clock.advance(timedelta(minutes=1))

    await ledger.assume("team", 4, user="dana", **HERE)
    tick()
    await ledger.set("team", 5, **HERE)
    await ledger.set("tone", "dry", **DANA)
    tick()
    await ledger.set("team", 3, source="inferred", **HERE)  # weaker: changes nothing
    await ledger.set("place", "bar", expires_at=clock.now() + timedelta(minutes=2), **HERE)
    tick()
    await ledger.delete("team", **HERE)
    tick()
    history = [await believed(ledger, at) for at in times]
    assert history == [
        {"team": 4},
        {"team": 5, "tone": "dry"},
        {"team": 5, "tone": "dry", "place": "bar"},
        {"tone": "dry"},
    ]
    assert await believed(ledger) == await believed(ledger, clock.now()) == {"tone": "dry"}
    assert await believed(ledger, times[0] - timedelta(days=1)) == {}
    assert await believed(ledger, times[3], **DANA) == {"tone": "dry"}


async def test_a_difference_names_the_keys_that_are_believed_otherwise(
    ledger: AsyncLedger, clock: FrozenClock
) -> None:
    await ledger.set("same", 1, **HERE)
    await ledger.assume("team", 4, **HERE)
    since = clock.now()
    clock.advance(timedelta(minutes=1))
    await ledger.set("team", 4, **HERE)  # the same number, now said
    await ledger.set("new", 1, **HERE)
    found = await ledger.diff(since, **HERE)
    assert [(d.key, d.before and d.before.source, d.after and d.after.source) for d in found] == [
        ("new", None, "explicit"),
        ("team", "assumed", "explicit"),
    ]
    assert await ledger.diff(since, since, **HERE) == []


async def test_a_history_tells_when_why_who_and_what_it_belongs_to(
    ledger: AsyncLedger, clock: FrozenClock
) -> None:
    await ledger.set("note", 1, reason="why", actor="agent", correlation_id="c-1", **DANA)
    await ledger.set("note", 2, scope="cross_session", user="dana", **HERE)
    first, second = await ledger.history("note", **DANA)
    assert (first.reason, first.actor, first.correlation_id) == ("why", "agent", "c-1")
    assert (first.session, second.session, second.user, second.turn) == (None, "s-1", "dana", 2)
    assert (first.created_at, second.old, second.new) == (clock.now(), 1, 2)


async def test_undo_makes_the_key_what_it_was(ledger: AsyncLedger) -> None:
    await ledger.assume("team", 4, cap="low", **HERE)
    said = await ledger.set("team", 5, **HERE)
    undone = await ledger.undo(number(said), space="cafe")
    assert undone.event is not None
    assert undone.value is not None
    assert (undone.event.correlation_id, undone.event.old) == (str(number(said)), 5)
    assert (undone.value.value, undone.value.assumed, undone.value.confidence_cap) == (4, True, "low")
    again = await ledger.undo(number(undone), space="cafe")
    assert again.value is not None
    assert (again.value.value, again.value.assumed) == (5, False)
    assert len(await ledger.history("team", **HERE)) == 4
    assert (await ledger.rebuild(space="cafe")).changed == 0


async def test_undoing_the_first_event_leaves_nothing_and_undoing_that_brings_it_back(
    ledger: AsyncLedger,
) -> None:
    set_ = await ledger.set("ui.response_depth", {"value": "verbose"}, **DANA)
    undone = await ledger.undo(number(set_), space="cafe")
    assert (undone.value, undone.event and undone.event.event_type) == (None, "fact_deleted")
    back = await ledger.undo(number(undone), space="cafe")
    assert back.value is not None
    assert set_.value is not None
    assert (back.value.value, back.value.expires_at) == (set_.value.value, set_.value.expires_at)


async def test_only_the_latest_event_of_a_key_is_undone_unless_forced(ledger: AsyncLedger) -> None:
    first, second = await ledger.set("team", 4, **HERE), await ledger.set("team", 5, **HERE)
    with pytest.raises(BadInput, match="came after it"):
        await ledger.undo(number(first), space="cafe")
    assert (await ledger.undo(number(first), space="cafe", force=True)).value is None
    with pytest.raises(BadInput, match="came after it"):
        await ledger.undo(number(second), space="cafe")
    for space in ("bar", "cafe"):
        with pytest.raises(NotFound):
            await ledger.undo(10**9, space=space)


async def test_undoing_among_other_writers_loses_nothing(ledger: AsyncLedger) -> None:
    latest = number(await ledger.set("team", 0, **HERE))
    refused: list[str] = []

    async def undo() -> None:
        try:
            await ledger.undo(latest, space="cafe")
        except (BadInput, Conflict) as error:
            refused.append(type(error).__name__)

    async def write(team: int) -> None:
        await ledger.set("team", team, **HERE)

    async with anyio.create_task_group() as tasks:
        for team in range(1, 6):
            tasks.start_soon(write, team)
            tasks.start_soon(undo)
    history = await ledger.history("team", **HERE)
    assert len(history) == 1 + 5 + (5 - len(refused))
    assert (await ledger.rebuild(space="cafe")).changed == 0


async def test_a_rebuild_mends_what_was_written_into_the_projections_by_hand(
    ledger: AsyncLedger, url: str
) -> None:
    await ledger.set("team", 4, **HERE)
    await ledger.set("ui.response_depth", {"value": "verbose"}, **DANA)
    before = await ledger.list(space="cafe")
    with psycopg.connect(url) as conn:
        conn.execute("set session_replication_role = replica")  # what SQL writes is a fact else
        conn.execute("update ledger.chat_session_memory set value_json = '5', first_set_at = now()")
        conn.execute("delete from ledger.chat_user_preferences")
    rebuilt = await ledger.rebuild(space="cafe")
    assert (rebuilt.events, rebuilt.session_rows, rebuilt.preference_rows) == (2, 1, 1)
    assert rebuilt.changed == 3  # one row as it was, the same as it is, and one that was not there
    assert await ledger.list(space="cafe") == before
    assert (await ledger.rebuild(space="cafe")).changed == 0
    assert await ledger.rebuild(space="nowhere") == type(rebuilt)(0, 0, 0, 0)
