"""The turns of a session that are to be evaluated, and how far it was evaluated: the queries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from psycopg.rows import class_row

from quipu.kernel.db import queries
from quipu.kernel.db.database import SpaceTransaction

_SQL = queries.load("quipu.kinds.longterm")


@dataclass(frozen=True, slots=True)
class Turn:
    """A message of the record; ``external_id`` is the caller's."""

    id: int
    external_id: str
    role: Literal["user", "assistant"]
    user: str | None
    happened_at: datetime
    content: str


@dataclass(frozen=True, slots=True)
class Place:
    """Progress of evaluating a session: the last message, and the number of users' turns by then."""

    message: int = 0
    turns: int = 0


async def session_number(tx: SpaceTransaction, name: str) -> int | None:
    """Return the number of a session."""
    values = {"space": tx.space.id, "name": name}
    row = await (await tx.conn.execute(_SQL["session_number"], values)).fetchone()
    return None if row is None else row[0]


async def place(tx: SpaceTransaction, session: int, evaluator: str, *, hold: bool = False) -> Place:
    """Return an evaluator's place in a session; ``hold`` locks it until the transaction ends."""
    query = _SQL["evaluated" if hold else "evaluated_so_far"]
    values = {"space": tx.space.id, "session": session, "evaluator": evaluator}
    row = await (await tx.conn.execute(query, values)).fetchone()
    return Place() if row is None else Place(*row)


async def mark(
    tx: SpaceTransaction, session: int, evaluator: str, version: int, place_: Place, *, now: datetime
) -> None:
    """Note how far an evaluator has come in a session."""
    values = {
        "space": tx.space.id,
        "session": session,
        "evaluator": evaluator,
        "version": version,
        "message": place_.message,
        "turns": place_.turns,
        "now": now,
    }
    await tx.conn.execute(_SQL["mark_evaluated"], values)


async def after(tx: SpaceTransaction, session: int, message: int, *, limit: int) -> list[Turn]:
    """Return turns of users and assistants after a message, at most ``limit``, in order."""
    values = {"space": tx.space.id, "session": session, "after": message, "limit": limit}
    return await _turns(tx, "turns_after", values)


async def until(tx: SpaceTransaction, session: int, message: int, *, limit: int) -> list[Turn]:
    """Return the last turns up to a message, in order."""
    values = {"space": tx.space.id, "session": session, "until": message, "limit": limit}
    return (await _turns(tx, "turns_until", values))[::-1]


async def _turns(tx: SpaceTransaction, query: str, values: Mapping[str, object]) -> list[Turn]:
    async with tx.conn.cursor(row_factory=class_row(Turn)) as cursor:
        found = await (await cursor.execute(_SQL[query], values)).fetchall()
    spoken = await tx.spoken([turn.content for turn in found])
    return [replace(turn, content=text) for turn, text in zip(found, spoken, strict=True)]
