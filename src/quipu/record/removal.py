"""Taking messages back: gone from every read at once, kept until retention, put back at their place.

A removal is no erasure: it has no preview and no receipt, and nobody waits for it but who writes to the same
session. What was derived from a message stays; ``forget`` takes that as well.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

import numpy as np
from psycopg.errors import UniqueViolation

from quipu.errors import Conflict, DatabaseError, NotFound
from quipu.kernel.base.setting import Setting, whole
from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import Connection, Database, Rows, SpaceTransaction, ask
from quipu.kernel.db.space import AsOf, ErasedMeanwhile
from quipu.recall import deferred, index
from quipu.recall import store as entries
from quipu.recall.generations import Embedded, Models
from quipu.recall.model import THREAD_SHIFT, GenerationChanged
from quipu.record import aliases, store
from quipu.record.model import Incoming, PreparedMessage, SessionMessage, prepare
from quipu.record.writing import follow
from quipu.upkeep.erasure.model import What

REMOVED_DAYS: Final[Setting[int]] = Setting(
    name="removed_days",
    meaning="Days for which messages that were taken back can be restored.",
    form=whole(1, 36_500),
    default=30,
    unit="days",
)
Restored = Callable[[SpaceTransaction, int], Awaitable[None]]
"""Takes up a message that is there again, by its number."""

EVERY_MESSAGE: Final = 2**31 - 1
_LAST: Final = (1 << 24) - 1
_SQL: Final = queries.load("quipu.record")


async def one(tx: SpaceTransaction | None, message: str, *, session: str | None) -> SessionMessage:
    """Return the message with an id, in a session or in the latest that has one.

    Raises:
        NotFound: there is none.
    """
    rows = [] if tx is None else await tx.rows(_SQL["message"], message=message, session=session)
    if not rows:
        raise NotFound(f"There is no message {message!r} here.", hint="Messages tell their ids.")
    return _read(rows)[0]


async def listed(
    tx: SpaceTransaction | None, session: str, *, limit: int, after: str | None, before: str | None
) -> list[SessionMessage]:
    """Return messages of a session in order: the first behind ``after``, else the last before ``before``.

    Raises:
        NotFound: the session has no such message.
    """
    number = None if tx is None else await store.session_id(tx, session)
    if tx is None or number is None:
        for field, message in (("before", before), ("after", after)):
            if message is not None:
                raise _missing(message, field)
        return []
    start, end = number << 24, (number << 24) + _LAST + 1
    if before is not None:
        end = await _place(tx, number, before, "before")
    if after is not None:
        place = await _place(tx, number, after, "after")
        return _read(await tx.rows(_SQL["messages_after"], after=place, before=end, limit=limit))
    return _read(await tx.rows(_SQL["messages_last"], first=start, before=end, limit=limit))


async def _place(tx: SpaceTransaction, session: int, message: str, field: str) -> int:
    rows = await tx.rows(_SQL["place_of"], session=session, message=message)
    if not rows:
        raise _missing(message, field)
    return rows[0][0]


def _missing(message: str, field: str) -> NotFound:
    return NotFound(f"The session has no message {message!r} ({field}).", hint="Messages tell their ids.")


async def take_last(database: Database, session: str, *, space: str, now: datetime) -> SessionMessage | None:
    """Take back the last message of a session and return it, None where there is none."""
    while True:
        try:
            taken = await _take(database, session, space=space, now=now, every=False)
        except GenerationChanged:
            continue
        return taken[0] if taken else None


async def clear(database: Database, session: str, *, space: str, now: datetime) -> int:
    """Take back all messages of a session and return how many there were."""
    while True:
        try:
            return len(await _take(database, session, space=space, now=now, every=True))
        except GenerationChanged:
            continue


async def _take(
    database: Database, session: str, *, space: str, now: datetime, every: bool
) -> list[SessionMessage]:
    """Take back the last message of a session, or every one; whoever writes to it waits meanwhile."""
    taken: list[Rows] = []

    async def take(conn: Connection) -> None:
        await store.hold_session(conn, session)
        most = EVERY_MESSAGE if every else 1
        taken.append(await ask(conn, _SQL["take_back"], {"session": session, "most": most, "now": now}))

    async with database.write(space, ask=take) as tx:
        rows = await taken[0].fetchall()
        if filed := [row[0] for row in rows if row[-1]]:
            await index.take_back(tx, filed, thread=filed[0] >> THREAD_SHIFT, whole=every)
    return _read(row[:-1] for row in rows)


async def restore(
    database: Database,
    models: Models,
    message: str,
    *,
    space: str,
    session: str | None,
    language: str,
    follows: Sequence[Restored] = (),
) -> SessionMessage:
    """Put a message that was taken back at its old place, searchable again; then others take it up.

    Raises:
        NotFound: no message with that id was taken back, or its time is over.
        Conflict: the session has another message with that id by now.
    """
    generation: int | None = None
    while True:
        removed = await _removed(database, message, space=space, session=session, language=language)
        vector = Embedded(0, np.zeros((1, 1), dtype=np.float32))
        if removed.prepared.is_indexed:
            vector = await models.embed(
                [removed.prepared.spoken], generation=generation or removed.generation
            )
        try:
            return await _put_back(database, space, removed, vector, follows)
        except ErasedMeanwhile:
            continue
        except GenerationChanged as moved:
            generation = moved.generation
        except DatabaseError as error:
            if isinstance(error.__cause__, UniqueViolation):
                raise Conflict(
                    f"the session has another message {message!r} by now.",
                    field="message",
                    hint="Forget or take back that one first.",
                ) from error
            raise


@dataclass(frozen=True, slots=True)
class _Removed:
    """A message that was taken back, with what is needed to file it again."""

    number: int
    thread: int
    session: str
    as_of: AsOf
    generation: int | None
    happened_at: datetime
    recorded_at: datetime
    prepared: PreparedMessage


async def _removed(
    database: Database, message: str, *, space: str, session: str | None, language: str
) -> _Removed:
    async with database.transaction(space) as tx:
        rows = [] if tx is None else await tx.rows(_SQL["find_removed"], message=message, session=session)
        if tx is None or not rows:
            raise NotFound(
                f"No message {message!r} was taken back here.", hint="Its time may be over (removed_days)."
            )
        number, name, thread, role, speaker, user, happened_at, recorded_at, content = rows[0]
        (spoken,) = await tx.spoken([content])
        said = Incoming(content=spoken, role=role, speaker=speaker, user=user, session=name, time=happened_at)
        prepared = prepare(said, language=language, secrets=False, marks=None)
        generation = tx.space.generation
        return _Removed(number, thread, name, tx.space.as_of, generation, happened_at, recorded_at, prepared)


async def _put_back(
    database: Database, space: str, removed: _Removed, vector: Embedded, follows: Sequence[Restored]
) -> SessionMessage:
    number, said = removed.number, removed.prepared
    async with database.write(space, as_of=removed.as_of) as tx:
        await store.lock_sessions(tx, [removed.session])
        rows = await tx.rows(_SQL["put_back"], id=number)
        if not rows:
            raise NotFound("The message was put back meanwhile.", hint="Read the session.")
        chosen = store.Chosen(0, said, removed.thread, removed.happened_at)
        await store.run(tx, "grow_sessions", store.growth([(removed.thread, removed.happened_at)]))
        if said.is_indexed:
            ends, _ = await entries.lock_threads(tx, [removed.thread])
            draft = replace(store.draft(chosen, removed.recorded_at), vector=vector.vectors[0])
            await deferred.file(tx, [draft], [number], generation=vector.generation)
            if learnt := store.learnt([chosen], [number]):
                await aliases.add(tx, learnt, now=removed.recorded_at, made_by="rule")
            held = index.Locked(vector.generation, {}, ends, 0, (), ())
            await follow(tx, [chosen], [number], vector, held, now=removed.recorded_at)
        for take_up in follows:
            await take_up(tx, number)
    return _read(rows)[0]


async def drop_old(database: Database, space: str, *, now: datetime, days: int) -> int:
    """Drop for good what was taken back more than so many days ago, and sessions that are empty then."""
    async with database.write(space) as tx:
        rows = await tx.rows(_SQL["drop_removed"], before=now - timedelta(days=days))
        if rows:
            # Positions have gaps from now on, as after an erasure.
            await tx.execute(_SQL["count_removal"])
            sessions = await drop_threads(tx, [row[0] for row in rows])
            await tx.execute(_SQL["drop_emptied"], ids=Int8s(sessions))
    return len(rows)


async def matching(tx: SpaceTransaction, what: What) -> dict[int, tuple[str, str]]:
    """Return the removed messages that an erasure takes: number to session and own id."""
    rows = await tx.rows(_SQL["removed_matching"], **asdict(what))
    return {number: (session, message) for number, session, message in rows}


async def erase(tx: SpaceTransaction, what: What) -> list[int]:
    """Erase the removed messages that an erasure takes and return their numbers."""
    gone = list(await matching(tx, what))
    if gone:
        await tx.execute(_SQL["erase_removed"], ids=Int8s(gone))
    return gone


async def drop_threads(tx: SpaceTransaction, gone: Sequence[int]) -> list[int]:
    """Drop the threads of removed messages that are gone, where nothing else is in them; their sessions."""
    sessions = sorted({number >> 24 for number in gone})
    if sessions:
        await tx.execute(_SQL["drop_threads"], ids=Int8s(sessions))
    return sessions


def _read(rows: Iterable[Sequence[Any]]) -> list[SessionMessage]:
    """Return rows as messages, by the order of their numbers."""
    return [
        SessionMessage(id_, role, content, None if item is None else json.loads(item), metadata, *rest)
        for _, id_, role, content, item, metadata, *rest in sorted(rows, key=lambda row: row[0])
    ]
