"""Filing messages that came in bulk: a sync embeds nothing, so recalls and ``index`` catch up with it.

A recall must not wait for a hundred thousand messages: it files the latest for about a second, and whatever
is left with the next one.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from anyio import to_thread
from numpy.typing import NDArray

from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kernel.db.space import AsOf, ErasedMeanwhile, Space
from quipu.kinds.transcripts.indexing import store
from quipu.kinds.transcripts.indexing.store import Unfiled
from quipu.recall import deferred
from quipu.recall.generations import Embedded, Models
from quipu.recall.model import Draft, GenerationChanged
from quipu.recall.unfiled import settle
from quipu.record.model import Incoming, Prepared, Role, prepare
from quipu.record.service import MESSAGE, Progress

CODE: Final = 3  # core.recall_kinds.code
_BIT: Final = 1 << (CODE - 1)
BEFORE_A_RECALL_SECONDS: Final = 1.0
_FIRST_AT_ONCE, _MOST_AT_ONCE = 32, 512
_STEP_SECONDS: Final = 0.25


@dataclass(slots=True)
class _Ready:
    as_of: AsOf
    found: Sequence[Unfiled]
    prepared: Sequence[Prepared]
    embedded: Embedded


async def catch_up(database: Database, models: Models, space: str) -> None:
    """File the latest messages for about a second; what is left waits for the next time."""
    await file(database, models, space, seconds=BEFORE_A_RECALL_SECONDS)


async def file(
    database: Database,
    models: Models,
    space: str,
    *,
    seconds: float | None = None,
    language: str = "auto",
    progress: Progress | None = None,
) -> int:
    """File messages, the latest first, until none is left or the time is over; how many were filed."""
    until = None if seconds is None else time.monotonic() + seconds
    at_once, done = _FIRST_AT_ONCE, 0
    while until is None or time.monotonic() < until:
        began = time.monotonic()
        async with database.snapshot_read(space) as tx:
            seen = None if tx is None else tx.space
            found = [] if tx is None else await store.latest(tx, limit=at_once)
        if seen is None or not found:
            await settle(database, space, CODE, _clear)
            break
        ready = await _ready(models, found, seen, language)
        try:
            filed = await _file(database, models, space, ready)
        except ErasedMeanwhile:
            continue
        done += filed
        if progress is not None:
            progress(filed)
        pace = len(found) / max(time.monotonic() - began, 1e-3)
        at_once = max(1, min(_MOST_AT_ONCE, 2 * at_once, round(pace * _STEP_SECONDS)))
    return done


async def waiting(database: Database, space: str) -> int:
    """Count the messages of a space that are not filed."""
    async with database.snapshot_read(space) as tx:
        return 0 if tx is None else await store.count(tx)


async def _ready(models: Models, found: Sequence[Unfiled], seen: Space, language: str) -> _Ready:
    prepared = await to_thread.run_sync(_prepared, found, language)
    embedded = await models.embed([one.content for one in found], generation=seen.generation)
    return _Ready(seen.as_of, found, prepared, embedded)


def _prepared(found: Sequence[Unfiled], language: str) -> list[Prepared]:
    return [prepare(_incoming(one), language=language, secrets=False, marks=None) for one in found]


def _incoming(one: Unfiled) -> Incoming:
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
            texts = [one.content for one in ready.found]
            ready.embedded = await models.embed(texts, generation=moved.generation)


async def _write(database: Database, space: str, ready: _Ready) -> int:
    async with database.write(space, as_of=ready.as_of) as tx:
        held = await store.hold(tx, [one.id for one in ready.found])
        chosen = [place for place, one in enumerate(ready.found) if one.id in held]
        drafts = [
            _draft(ready.found[place], ready.prepared[place], ready.embedded.vectors[place])
            for place in chosen
        ]
        ids = [ready.found[place].id for place in chosen]
        await deferred.file(tx, drafts, ids, generation=ready.embedded.generation)
        await store.run(tx, "filed", {"ids": Int8s(ids)})
    return len(ids)


async def _clear(tx: SpaceTransaction) -> None:
    """Have recalls look no more, unless something has come meanwhile."""
    await store.run(tx, "settle", {"bit": _BIT})


def _draft(one: Unfiled, prepared: Prepared, vector: NDArray[np.float32]) -> Draft:
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
