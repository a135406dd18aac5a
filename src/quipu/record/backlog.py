"""Messages that were written down and are not in the index of recall yet: recalls and workers catch up.

A recall must not wait for a hundred thousand messages: it files the latest for about a second, and leaves the
rest to the next one.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

import numpy as np
from anyio import to_thread
from numpy.typing import NDArray

from quipu.kernel.base.scope import acting_for
from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Int8s, Moments
from quipu.kernel.db.database import Connection, Database, Rows, SpaceTransaction, ask
from quipu.kernel.db.space import AsOf, ErasedMeanwhile, Space
from quipu.recall import deferred
from quipu.recall.generations import Embedded, Models
from quipu.recall.model import Draft, GenerationChanged
from quipu.recall.unindexed import settle
from quipu.record.model import MESSAGE, Incoming, PreparedMessage, Progress, Role, prepare

_SQL: Final = queries.load("quipu.record")
_BIT: Final = 1 << (MESSAGE - 1)
BEFORE_A_RECALL_SECONDS: Final = 1.0
_BEFORE_A_WRITE_SECONDS: Final = 0.25
_FIRST_AT_ONCE, _MOST_AT_ONCE = 32, 512
_STEP_SECONDS: Final = 0.25


@dataclass(frozen=True, slots=True)
class Unindexed:
    """A message that the index does not know yet."""

    id: int
    session_id: int | None
    role: str
    speaker: str | None
    user_name: str | None
    happened_at: datetime
    recorded_at: datetime
    content: str


@dataclass(slots=True)
class _Ready:
    as_of: AsOf
    unindexed: Sequence[Unindexed]
    prepared: Sequence[PreparedMessage]
    embedded: Embedded


async def leave(tx: SpaceTransaction, messages: Mapping[int, datetime]) -> None:
    """Leave messages, by their numbers with their times, to be filed by the next recall.

    They must be written before. It may be pipelined.
    """
    values = {"id": Int8s(list(messages)), "happened_at": Moments(list(messages.values()))}
    await tx.run(_SQL["leave_unindexed"], values)
    if not tx.space.unindexed & _BIT:  # it is taken away only where nobody writes
        await tx.run(_SQL["mark_unindexed"], {})


async def leave_behind(conn: Connection, values: Mapping[str, object]) -> Rows:
    """Write messages, in a pipeline, behind the last of the session ``name``, which is held, and leave them.

    Returns a row, whether the session is verbatim; none where it has no message, and nothing is written.
    """
    return await ask(conn, _SQL["leave_behind"], values)


async def catch_up(database: Database, models: Models, space: str) -> None:
    """File the latest messages for about a second; what is left waits for the next time."""
    await file(database, models, space, seconds=BEFORE_A_RECALL_SECONDS)


async def catch_up_briefly(database: Database, models: Models, space: str) -> None:
    """File the latest messages, which one that is to be written may end, replace or name, for a moment."""
    with acting_for(None):  # what waits is everybody's, and it is not shown
        await file(database, models, space, seconds=_BEFORE_A_WRITE_SECONDS)


async def file(
    database: Database,
    models: Models,
    space: str,
    *,
    seconds: float | None = None,
    progress: Progress | None = None,
) -> int:
    """File messages, the latest first, until none is left or the time is over; how many were filed."""
    until = None if seconds is None else time.monotonic() + seconds
    at_once, done = _FIRST_AT_ONCE, 0
    while until is None or time.monotonic() < until:
        began = time.monotonic()
        async with database.snapshot_read(space) as tx:
            if tx is None or not tx.space.unindexed & _BIT:
                break
            seen, language = tx.space, tx.settings.language
            unindexed = await _latest(tx, limit=at_once)
        if not unindexed:
            await settle(database, space, MESSAGE, _clear)
            break
        ready = await _ready(models, unindexed, seen, language)
        try:
            filed = await _file(database, models, space, ready)
        except ErasedMeanwhile:
            continue
        done += filed
        if progress is not None:
            progress(filed)
        pace = len(unindexed) / max(time.monotonic() - began, 1e-3)
        at_once = max(1, min(_MOST_AT_ONCE, 2 * at_once, round(pace * _STEP_SECONDS)))
    return done


async def waiting(database: Database, space: str) -> int:
    """Count the messages of a space that are not filed."""
    async with database.snapshot_read(space) as tx:
        if tx is None:
            return 0
        ((count,),) = await tx.rows(_SQL["count_unindexed"])
        return count


async def _latest(tx: SpaceTransaction, *, limit: int) -> list[Unindexed]:
    """Return the latest unindexed messages, in the order of their ids, with the text to be indexed."""
    unindexed = await tx.fetch(Unindexed, _SQL["latest_unindexed"], limit=limit)
    spoken = await tx.spoken([one.content for one in unindexed])
    return [replace(one, content=text) for one, text in zip(unindexed, spoken, strict=True)]


async def _ready(models: Models, unindexed: Sequence[Unindexed], seen: Space, language: str) -> _Ready:
    prepared = await to_thread.run_sync(_prepared, unindexed, language)
    embedded = await models.embed([one.content for one in unindexed], generation=seen.generation)
    return _Ready(seen.as_of, unindexed, prepared, embedded)


def _prepared(unindexed: Sequence[Unindexed], language: str) -> list[PreparedMessage]:
    return [prepare(_incoming(one), language=language, secrets=False, marks=None) for one in unindexed]


def _incoming(one: Unindexed) -> Incoming:
    role: Role = "user" if one.role == "user" else "assistant"
    return Incoming(content=one.content, role=role, speaker=one.speaker, user=one.user_name)


async def _file(database: Database, models: Models, space: str, ready: _Ready) -> int:
    """File what is still not filed of a batch, by whatever model the space has by then.

    Raises:
        ErasedMeanwhile: something was erased in the space since they were read.
    """
    while True:
        try:
            return await _write(database, space, ready)
        except GenerationChanged as moved:
            texts = [one.content for one in ready.unindexed]
            ready.embedded = await models.embed(texts, generation=moved.generation)


async def _write(database: Database, space: str, ready: _Ready) -> int:
    async with database.write(space, as_of=ready.as_of) as tx:
        candidates = Int8s([one.id for one in ready.unindexed])
        held = {id_ for (id_,) in await tx.rows(_SQL["hold_unindexed"], ids=candidates)}
        chosen = [place for place, one in enumerate(ready.unindexed) if one.id in held]
        drafts = [
            _draft(ready.unindexed[place], ready.prepared[place], ready.embedded.vectors[place])
            for place in chosen
        ]
        ids = [ready.unindexed[place].id for place in chosen]
        await deferred.file(tx, drafts, ids, generation=ready.embedded.generation)
        await tx.execute(_SQL["filed_messages"], ids=Int8s(ids))
    return len(ids)


async def _clear(tx: SpaceTransaction) -> None:
    """Have recalls look no more, unless something has come meanwhile."""
    await tx.execute(_SQL["settle_unindexed"])


def _draft(one: Unindexed, prepared: PreparedMessage, vector: NDArray[np.float32]) -> Draft:
    return Draft(
        kind=MESSAGE,
        bag=prepared.bag,
        vector=vector,
        happened_at=one.happened_at,
        recorded_at=one.recorded_at,
        thread=one.session_id,
        speaker=one.speaker,
        owner=one.user_name,
        by_user=one.role == "user",
        asks=prepared.asks,
        has_time=prepared.has_time,
    )
