"""The queries of facts and assumptions, one short function each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import Connection, SpaceTransaction, ask
from quipu.kinds.ledger.keys import KeyRule, Known
from quipu.kinds.ledger.model import NAMESPACES, Cap, Event, EventType, Namespace, Scope, Value, ValueSource
from quipu.kinds.ledger.shapes import KeptShape

_SQL = queries.load("quipu.kinds.ledger")


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
class Cited:
    """An entry of the index as recall shows it; ``role`` is its certainty, or the source of evidence."""

    id: int
    text: str
    happened_at: datetime
    recorded_at: datetime
    said: str
    role: str
    session: str | None
    person: str | None


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
    found = await tx.rows(_SQL["shapes"])
    rules = [
        KeyRule(p, KeptShape(shape, p), namespace, scope, at) for p, namespace, scope, shape, _, at in found
    ]
    return Known(max((row[4] for row in found), default=0), {rule.pattern: rule for rule in rules})


async def session(tx: SpaceTransaction, name: str) -> Session | None:
    """Return a session by its name, or None if there is none."""
    return await tx.fetch_one(Session, _SQL["session"], name=name)


async def run(tx: SpaceTransaction, name: str, /, **values: object) -> None:
    """Run a write by its name."""
    await tx.execute(_SQL[name], **values)


async def values(
    tx: SpaceTransaction, *, session: UUID | None, person: str | None, now: datetime
) -> list[Value]:
    """Return the current values of a session and a person, by key."""
    return await tx.fetch(Value, _SQL["values"], session=session, person=person, now=now)


async def values_of_space(
    tx: SpaceTransaction,
    *,
    now: datetime,
    limit: int,
    offset: int,
    assumed: bool = False,
    key: str | None = None,
) -> list[Value]:
    """Return the current values of the whole space, by key; only ``assumed`` ones, or one key's."""
    return await tx.fetch(
        Value, _SQL["values_of_space"], now=now, assumed=assumed, key=key, limit=limit, offset=offset
    )


async def believed(
    tx: SpaceTransaction, *, session: UUID | None, person: str | None, at: datetime
) -> list[Value]:
    """Return the values at a moment, by key."""
    return await tx.fetch(Value, _SQL["believed"], session=session, person=person, at=at)


async def seen_key(tx: SpaceTransaction, key: str) -> KeyRule | None:
    """Return the rule of an unregistered key as its events show it, without a shape; None without events."""
    rows = await tx.rows(_SQL["seen_key"], namespaces=list(NAMESPACES), key=key)
    return KeyRule(key, KeptShape({}), rows[0][0], rows[0][1]) if rows else None


async def history(
    tx: SpaceTransaction, *, namespace: Namespace, key: str, session: UUID | None, person: str | None
) -> list[Event]:
    """Return every event of a key, oldest first; also those from before it was registered."""
    return await tx.fetch(
        Event, _SQL["history"], namespace=namespace, key=key, session=session, person=person
    )


async def events(tx: SpaceTransaction, *, before: int, limit: int) -> list[Event]:
    """Return the events of the space before an event, latest first."""
    return await tx.fetch(Event, _SQL["events"], before=before, limit=limit)


async def events_of(
    tx: SpaceTransaction, *, session: UUID | None, person: str | None, before: int, limit: int
) -> list[Event]:
    """Return the events of a session and a person before an event, latest first."""
    return await tx.fetch(
        Event, _SQL["events_of"], session=session, person=person, before=before, limit=limit
    )


async def history_of(tx: SpaceTransaction, event_id: int) -> list[Event]:
    """Return every event of the key of an event, oldest first; nothing if there is no such event."""
    return await tx.fetch(Event, _SQL["history_of"], id=event_id)


async def happened(tx: SpaceTransaction) -> list[Happening]:
    """Return all events of the space, key by key, in their order."""
    return await tx.fetch(Happening, _SQL["happened"])


async def rows(tx: SpaceTransaction, name: str) -> set[str]:
    """Return the rows of a projection, each as JSON text."""
    return {row[0] for row in await tx.rows(_SQL[name])}


async def doomed(
    tx: SpaceTransaction, *, session: str | None, user: str | None
) -> tuple[list[UUID], list[int]]:
    """Return the rows of an erasure: whole sessions, and single events besides."""
    found = await tx.rows(_SQL["doomed_sessions"], session=session, user=user)
    sessions: list[UUID] = [row[0] for row in found]
    if session is not None and user is None:  # what was said there of a person stays theirs
        return sessions, []
    found = await tx.rows(_SQL["doomed_events"], session=session, user=user, sessions=sessions)
    return sessions, [row[0] for row in found]


async def count_doomed(tx: SpaceTransaction, values: Mapping[str, object]) -> dict[str, int]:
    """Count the rows that would go, by table; tables without any are left out."""
    row = await tx.fetch_one(dict[str, Any], _SQL["count_doomed"], **values)
    return {f"ledger.{table}": number for table, number in (row or {}).items() if number}


async def cited(tx: SpaceTransaction, ids: Sequence[int]) -> list[Cited]:
    """Return the entries of the index as recall shows them."""
    return await tx.fetch(Cited, _SQL["cite"], ids=Int8s(ids))


async def marks(tx: SpaceTransaction) -> Marks:
    """Return the progress of the index; none if it has nothing yet."""
    return await tx.fetch_one(Marks, _SQL["marks"]) or Marks()


async def unfiled(tx: SpaceTransaction, name: str, *, after: int, limit: int) -> list[Unfiled]:
    """Return rows after a mark that the index lacks: ``unfiled_facts`` or ``unfiled_evidence``, by id."""
    return await tx.fetch(Unfiled, _SQL[name], after=after, limit=limit)


async def last_ids(tx: SpaceTransaction) -> tuple[int, int]:
    """Return the last event and the last piece of evidence of the space."""
    ((event, evidence),) = await tx.rows(_SQL["last_ids"])
    return event, evidence


async def entries(tx: SpaceTransaction, name: str, values: Mapping[str, object]) -> list[int]:
    """Return entries of the index that are to go, by the name of the query that finds them."""
    return [row[0] for row in await (await tx.run(_SQL[name], values)).fetchall()]
