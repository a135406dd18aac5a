"""Condensing: by a worker (topic ``episodic_memory``), or because somebody asks for it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kernel.db.space import ErasedMeanwhile
from quipu.kernel.queue import outbox
from quipu.kernel.queue.model import Payload
from quipu.kinds.episodes.building import store
from quipu.kinds.episodes.building.service import EpisodeWriter, Ready
from quipu.kinds.episodes.decay.model import Condensation
from quipu.kinds.episodes.queues import EPISODES
from quipu.kinds.plug import Context
from quipu.recall.model import GenerationChanged

_AT_ONCE: Final = 20


async def condense_ready(context: Context, payload: Payload) -> None:
    """Make episodes of what is ready in the session of the payload; look again when the rest may be.

    The effect is one transaction: the episodes, their entries in the index, and the job for what is left.
    """
    session = str(payload["session"])
    writer = EpisodeWriter(
        context.database,
        context.models,
        clock=context.clock,
        language=context.language,
        secrets=context.settings.redact,
    )
    ready = await writer.ready(context.space, session)
    while True:
        try:
            async with context.effect() as tx:
                if ready is not None:
                    await writer.write(tx, ready)
                    await _look_again(tx, context.job.key, session, ready)
            return
        except GenerationChanged as moved:
            assert ready is not None  # without anything to file nothing moves
            ready = await writer.measured(context.space, ready, moved.generation)


async def _look_again(tx: SpaceTransaction, key: str, session: str, ready: Ready) -> None:
    due: datetime | None = None if ready.more else ready.again
    if ready.more or due is not None:
        # Under another key than this job has: what is put under its own would have it done once more instead.
        # No session has such a name.
        other = f"{session}\nlater"
        key = session if key == other else other
        await outbox.put(tx, EPISODES, {"session": session}, key=key, due=due, session=session)


async def condense(
    database: Database, writer: EpisodeWriter, *, space: str, session: str | None
) -> Condensation:
    """Make episodes of all that waits in a session, or in all, each batch in a transaction of its own."""
    async with database.snapshot_read(space) as tx:
        names = [] if tx is None else await store.sessions_waiting(tx, session=session)
    made: list[UUID] = []
    for name in names:
        more = True
        while more:
            ready = await writer.ready(space, name, finished=True)
            try:
                written = [] if ready is None else await _write(database, writer, space, ready)
            except ErasedMeanwhile:
                continue
            made += written
            more = ready is not None and ready.more and bool(written)
    return _report(writer, made)


async def rebuild(
    database: Database,
    writer: EpisodeWriter,
    *,
    space: str,
    ids: Sequence[UUID] | None,
    session: str | None,
    again: bool,
) -> Condensation:
    """Rewrite episodes, some at a time."""
    builder = writer.builder
    async with database.snapshot_read(space) as tx:
        rows = [] if tx is None else await store.rebuildable(
            tx, ids=ids, session=session, builder=builder.name, version=builder.version, again=again
        )  # fmt: skip
    made: list[UUID] = []
    troubles: list[str] = []
    left = list(rows)
    while left:
        ready = await writer.rewritten(space, left[:_AT_ONCE])
        if ready is not None:
            try:
                made += await _write(database, writer, space, ready)
            except ErasedMeanwhile:
                continue
            troubles += [one.trouble for one in ready.drafts if one.trouble is not None]
        del left[:_AT_ONCE]
    written = set(made)
    unwritten = [one for one in rows if one not in written]
    return _report(writer, made, unwritten, trouble=troubles[-1] if troubles else None)


async def _write(database: Database, writer: EpisodeWriter, space: str, ready: Ready) -> list[UUID]:
    """Write the episodes that are ready in a transaction, with the model that the space has by then.

    Raises:
        ErasedMeanwhile: something was erased in the space since it was read.
    """
    while True:
        try:
            async with database.write(space, as_of=ready.as_of) as tx:
                return await writer.write(tx, ready)
        except GenerationChanged as moved:
            ready = await writer.measured(space, ready, moved.generation)


def _report(
    writer: EpisodeWriter, made: Sequence[UUID], left: Sequence[UUID] = (), *, trouble: str | None = None
) -> Condensation:
    return Condensation(
        builder=writer.builder.name,
        version=writer.builder.version,
        episodes=tuple(map(str, made)),
        left=tuple(map(str, left)),
        trouble=trouble,
    )
