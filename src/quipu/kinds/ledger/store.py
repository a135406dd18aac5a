"""The queries of facts and assumptions, one short function each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg.rows import class_row, dict_row
from psycopg.types.json import Jsonb

from quipu.kernel.db import queries
from quipu.kernel.db.database import Connection, SpaceTransaction, ask
from quipu.kinds.ledger.keys import KeyRule, Known
from quipu.kinds.ledger.model import NAMESPACES, Cap, Event, EventType, Namespace, Scope, Value, ValueSource
from quipu.kinds.ledger.shapes import KeptShape

_SQL = queries.load("quipu.kinds.ledger")
# Its parameters are numbered once: the driver would look for the names in its text at every call.


@dataclass(frozen=True, slots=True)
class Appended:
    """Outcome of an append: a ``problem`` and nothing else, or the event and what stood before it."""

    problem: str | None
    detail: str | None
    event_id: int | None
    event_type: EventType
    created_at: datetime
    expires_at: datetime | None
    distinct_id: str | None
    turn_index: int
    stands: bool
    before_id: int | None
    before_value: Any
    before_source: ValueSource
    before_assumed: bool
    before_cap: Cap
    before_turn: int
    before_at: datetime
    before_expires_at: datetime | None


@dataclass(frozen=True, slots=True)
class Session:
    """A session as other kinds refer to it.

    ``owner`` is the person it was opened for, else the one user of its messages; empty where several
    ``users`` take part, None where nobody was named.
    """

    uid: UUID
    owner: str | None
    users: str | None
    messages: int


@dataclass(frozen=True, slots=True)
class Happening:
    """Part of an event that decides what stands after it. ``owner`` is the session or the person."""

    scope: Scope
    owner: str
    namespace: Namespace
    key: str
    id: int
    event_type: EventType
    source: ValueSource
    created_at: datetime
    expires_at: datetime | None


@dataclass(frozen=True, slots=True)
class Unfiled:
    """A fact that stands, or a piece of evidence, that the index does not know."""

    id: int
    source_table: str
    key: str
    value: Any
    happened_at: datetime
    recorded_at: datetime
    owner: str | None
    said: bool

    @property
    def place(self) -> tuple[str, int]:
        """Source table and id of its origin."""
        return self.source_table, self.id


@dataclass(frozen=True, slots=True)
class Marks:
    """Progress of the index: the last event and evidence, and the time up to which expiry was checked."""

    event_id: int = 0
    evidence_id: int = 0
    expired_until: datetime | None = None


async def append(conn: Connection, values: Mapping[str, object]) -> Appended:
    """Write an event; outside of a transaction it is one of its own."""
    row = await (await ask(conn, _SQL["append"], values, binary=True)).fetchone()
    assert row is not None
    return Appended(*row)


async def keep_shape(
    conn: Connection, rule: KeyRule, known: Known, given: Mapping[str, object]
) -> int | None:
    """Write the shape of a key; the new version, or None where others wrote one meanwhile."""
    values = {
        "space": given["space"],
        "pattern": rule.pattern,
        "namespace": rule.namespace,
        "scope": rule.scope,
        "shape": Jsonb(rule.shape.schema),
        "at": given["at"],
        "known": known.version,
    }
    row = await (await conn.execute(_SQL["keep_shape"], values)).fetchone()
    assert row is not None
    return row[0]


async def shapes(tx: SpaceTransaction) -> Known:
    """Return the keys that programs registered in the space, and the shapes of their values."""
    found = await (await tx.conn.execute(_SQL["shapes"], {"space": tx.space.id})).fetchall()
    rules = [
        KeyRule(p, KeptShape(shape, p), namespace, scope, at) for p, namespace, scope, shape, _, at in found
    ]
    return Known(max((row[4] for row in found), default=0), {rule.pattern: rule for rule in rules})


async def session(tx: SpaceTransaction, name: str) -> Session | None:
    """Return a session by its name, or None if there is none."""
    async with tx.conn.cursor(row_factory=class_row(Session)) as cursor:
        await cursor.execute(_SQL["session"], {"space": tx.space.id, "name": name})
        return await cursor.fetchone()


async def turns(tx: SpaceTransaction, name: str) -> int:
    """Count the turns of a session: messages of the user."""
    row = await (await tx.conn.execute(_SQL["turns"], {"space": tx.space.id, "name": name})).fetchone()
    return row[0] if row else 0


async def run(tx: SpaceTransaction, name: str, values: Mapping[str, object]) -> None:
    """Run a write by its name; ``space`` is filled in."""
    await tx.conn.execute(_SQL[name], {"space": tx.space.id, **values})


async def values(
    tx: SpaceTransaction, *, session: UUID | None, person: str | None, now: datetime
) -> list[Value]:
    """Return what stands in a session and for a person, by key."""
    given = {"space": tx.space.id, "session": session, "person": person, "now": now}
    async with tx.conn.cursor(row_factory=class_row(Value)) as cursor:
        return await (await cursor.execute(_SQL["values"], given)).fetchall()


async def values_of_space(
    tx: SpaceTransaction,
    *,
    now: datetime,
    limit: int,
    offset: int,
    assumed: bool = False,
    key: str | None = None,
) -> list[Value]:
    """Return what stands in the whole space, by key; only ``assumed`` values, or one key's, if asked."""
    given = {"now": now, "assumed": assumed, "key": key, "limit": limit, "offset": offset}
    given["space"] = tx.space.id
    async with tx.conn.cursor(row_factory=class_row(Value)) as cursor:
        return await (await cursor.execute(_SQL["values_of_space"], given)).fetchall()


async def believed(
    tx: SpaceTransaction, *, session: UUID | None, person: str | None, at: datetime
) -> list[Value]:
    """Return what stood at a moment, by key."""
    given = {"space": tx.space.id, "session": session, "person": person, "at": at}
    async with tx.conn.cursor(row_factory=class_row(Value)) as cursor:
        return await (await cursor.execute(_SQL["believed"], given)).fetchall()


async def seen_key(tx: SpaceTransaction, key: str) -> KeyRule | None:
    """Return what events tell of an unregistered key: all but the shape. None without events."""
    given = {"space": tx.space.id, "namespaces": list(NAMESPACES), "key": key}
    row = await (await tx.conn.execute(_SQL["seen_key"], given)).fetchone()
    return None if row is None else KeyRule(key, KeptShape({}), row[0], row[1])


async def history(
    tx: SpaceTransaction, *, namespace: Namespace, key: str, session: UUID | None, person: str | None
) -> list[Event]:
    """Return every event of a key, oldest first; also those from before it was registered."""
    given = {
        "space": tx.space.id,
        "namespace": namespace,
        "key": key,
        "session": session,
        "person": person,
    }
    async with tx.conn.cursor(row_factory=class_row(Event)) as cursor:
        return await (await cursor.execute(_SQL["history"], given)).fetchall()


async def events(tx: SpaceTransaction, *, before: int, limit: int) -> list[Event]:
    """Return what was written in the space before an event, latest first."""
    return await _events(tx, "events", {"before": before, "limit": limit})


async def events_of(
    tx: SpaceTransaction, *, session: UUID | None, person: str | None, before: int, limit: int
) -> list[Event]:
    """Return what was written in a session and for a person before an event, latest first."""
    given = {"session": session, "person": person, "before": before, "limit": limit}
    return await _events(tx, "events_of", given)


async def _events(tx: SpaceTransaction, name: str, given: Mapping[str, object]) -> list[Event]:
    async with tx.conn.cursor(row_factory=class_row(Event)) as cursor:
        return await (await cursor.execute(_SQL[name], {"space": tx.space.id, **given})).fetchall()


async def history_of(tx: SpaceTransaction, event_id: int) -> list[Event]:
    """Return every event of the key of an event, oldest first; nothing if there is no such event."""
    async with tx.conn.cursor(row_factory=class_row(Event)) as cursor:
        await cursor.execute(_SQL["history_of"], {"space": tx.space.id, "id": event_id})
        return await cursor.fetchall()


async def happened(tx: SpaceTransaction) -> list[Happening]:
    """Return all events of the space, key by key, in their order."""
    async with tx.conn.cursor(row_factory=class_row(Happening)) as cursor:
        return await (await cursor.execute(_SQL["happened"], {"space": tx.space.id})).fetchall()


async def rows(tx: SpaceTransaction, name: str) -> set[str]:
    """Return the rows of a projection, each as JSON text."""
    found = await (await tx.conn.execute(_SQL[name], {"space": tx.space.id})).fetchall()
    return {row[0] for row in found}


async def doomed(
    tx: SpaceTransaction, *, session: str | None, user: str | None
) -> tuple[list[UUID], list[int]]:
    """Return what an erasure takes: sessions with all that is known of them, and events besides."""
    given: dict[str, object] = {"space": tx.space.id, "session": session, "user": user}
    found = await (await tx.conn.execute(_SQL["doomed_sessions"], given)).fetchall()
    sessions: list[UUID] = [row[0] for row in found]
    if session is not None and user is None:  # what was said there of a person stays theirs
        return sessions, []
    found = await (await tx.conn.execute(_SQL["doomed_events"], {**given, "sessions": sessions})).fetchall()
    return sessions, [row[0] for row in found]


async def count_doomed(tx: SpaceTransaction, values: Mapping[str, object]) -> dict[str, int]:
    """Count the rows that would go, by table; tables without any are left out."""
    async with tx.conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(_SQL["count_doomed"], {"space": tx.space.id, **values})
        row = await cursor.fetchone()
    return {f"ledger.{table}": number for table, number in (row or {}).items() if number}


async def cited(tx: SpaceTransaction, ids: Sequence[int] | object) -> list[dict[str, Any]]:
    """Return the texts of the index's entries, and their origin."""
    async with tx.conn.cursor(row_factory=dict_row) as cursor:
        return await (await cursor.execute(_SQL["cite"], {"space": tx.space.id, "ids": ids})).fetchall()


async def marks(tx: SpaceTransaction) -> Marks:
    """Return the progress of the index; none if it has nothing yet."""
    async with tx.conn.cursor(row_factory=class_row(Marks)) as cursor:
        found = await (await cursor.execute(_SQL["marks"], {"space": tx.space.id})).fetchone()
    return found or Marks()


async def unfiled(tx: SpaceTransaction, name: str, *, after: int, limit: int) -> list[Unfiled]:
    """Return what stands beyond a mark and is not filed: ``unfiled_facts`` or ``unfiled_evidence``, by id."""
    async with tx.conn.cursor(row_factory=class_row(Unfiled)) as cursor:
        await cursor.execute(_SQL[name], {"space": tx.space.id, "after": after, "limit": limit})
        return await cursor.fetchall()


async def last_ids(tx: SpaceTransaction) -> tuple[int, int]:
    """Return the last event and the last piece of evidence of the space."""
    row = await (await tx.conn.execute(_SQL["last_ids"], {"space": tx.space.id})).fetchone()
    assert row is not None
    return row[0], row[1]


async def entries(tx: SpaceTransaction, name: str, **values: object) -> list[int]:
    """Return entries of the index that are to go, by the name of the query that finds them."""
    found = await tx.conn.execute(_SQL[name], {"space": tx.space.id, **values})
    return [row[0] for row in await found.fetchall()]
