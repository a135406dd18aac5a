"""The queries of facts and assumptions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from quipu.kernel.db import queries
from quipu.kernel.db.database import Connection, SpaceTransaction, ask
from quipu.kinds.ledger.keys import KeyRule, KnownKeys
from quipu.kinds.ledger.model import NAMESPACES, Cap, EventType, Namespace, Scope, ValueSource
from quipu.kinds.ledger.shapes import KeptShape

SQL = queries.load("quipu.kinds.ledger")


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
class LedgerSession:
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
class Unindexed:
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
    row = await (await ask(conn, SQL["append"], values, binary=True)).fetchone()
    assert row is not None
    return Appended(*row)


async def keep_shape(
    conn: Connection, rule: KeyRule, known: KnownKeys, given: Mapping[str, object]
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
    row = await (await conn.execute(SQL["keep_shape"], values)).fetchone()
    assert row is not None
    return row[0]


async def shapes(tx: SpaceTransaction) -> KnownKeys:
    """Return the keys that programs registered in the space, and the shapes of their values."""
    rows = await tx.rows(SQL["shapes"])
    rules = [
        KeyRule(p, KeptShape(shape, p), namespace, scope, at) for p, namespace, scope, shape, _, at in rows
    ]
    return KnownKeys(max((row[4] for row in rows), default=0), {rule.pattern: rule for rule in rules})


async def session(tx: SpaceTransaction, name: str) -> LedgerSession | None:
    """Return a session by its name, or None if there is none."""
    return await tx.fetch_one(LedgerSession, SQL["session"], name=name)


async def seen_key(tx: SpaceTransaction, key: str) -> KeyRule | None:
    """Return the rule of an unregistered key as its events show it, without a shape; None without events."""
    rows = await tx.rows(SQL["seen_key"], namespaces=list(NAMESPACES), key=key)
    return KeyRule(key, KeptShape({}), rows[0][0], rows[0][1]) if rows else None


async def doomed(
    tx: SpaceTransaction, *, session: str | None, user: str | None
) -> tuple[list[UUID], list[int]]:
    """Return the rows of an erasure: whole sessions, and single events besides."""
    rows = await tx.rows(SQL["doomed_sessions"], session=session, user=user)
    sessions: list[UUID] = [row[0] for row in rows]
    if session is not None and user is None:  # what was said there of a person stays theirs
        return sessions, []
    rows = await tx.rows(SQL["doomed_events"], session=session, user=user, sessions=sessions)
    return sessions, [row[0] for row in rows]


async def marks(tx: SpaceTransaction) -> Marks:
    """Return the progress of the index; none if it has nothing yet."""
    return await tx.fetch_one(Marks, SQL["marks"]) or Marks()
