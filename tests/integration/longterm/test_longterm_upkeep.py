"""What the house does with long-term memory: another model, an audit that does not grow for ever."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from quipu import AsyncMemory
from quipu.app.kinds import ERASERS
from quipu.kernel.base.clock import FrozenClock
from quipu.kernel.config import Settings
from quipu.kernel.queue.attempt import Run
from quipu.kernel.queue.model import Job
from quipu.kinds.longterm.kind import AUDIT_PRUNING
from quipu.kinds.plug import Context

pytestmark = pytest.mark.anyio


async def test_memories_are_found_and_changed_under_another_embedding_model(settings: Settings) -> None:
    async with AsyncMemory(settings=settings) as memory:
        boat = await memory.longterm.add("Has a green boat", space="s", details="of oak")
        gone = await memory.longterm.add("Has a dog", space="s")
        await memory.longterm.archive(gone.id, space="s")
        async with AsyncMemory(settings=replace(settings, embedding_dimensions=100)) as other:
            await other.reembed()
            (hit,) = await other.recall("green boat oak", space="s")
            assert hit.text == "Has a green boat\nof oak"
        # Opened before the change: what it writes has vectors of the new model nevertheless.
        await memory.longterm.edit(boat.id, space="s", summary="Has a red boat")
        await memory.longterm.unarchive(gone.id, space="s")
        found = await memory.longterm.search("red boat dog", space="s")
        assert {one.memory.summary for one in found} == {"Has a red boat", "Has a dog"}


@pytest.mark.parametrize(("days", "left"), [(90, ["new"]), (0, ["new", "old"])])
async def test_lines_of_the_audit_go_when_they_are_past_their_time(
    mind: AsyncMemory, clock: FrozenClock, space: str, shared: Settings, days: int, left: list[str]
) -> None:
    await mind.longterm.add("Has a green boat", space=space)
    await mind.longterm.recover("boat", space=space, session="old")
    clock.advance(timedelta(days=90, seconds=1))
    await mind.longterm.recover("boat", space=space, session="new")
    parts = mind._ready
    job = Job(
        space_id=1,
        id=1,
        topic="schedules",
        key="",
        payload={},
        version=1,
        attempts=1,
        session=None,
        user=None,
        space=space,
    )
    context = Context(
        database=parts.database,
        models=parts.models,
        clock=clock,
        settings=replace(shared, tuned={**shared.tuned, "longterm_audit_days": days}),
        language=None,
        erasers=ERASERS,
        run=Run(parts.database, job),
    )
    await AUDIT_PRUNING.handler(context)
    assert [line.session for line in await mind.longterm.audit(space=space)] == left
