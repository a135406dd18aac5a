"""The queries of recall and erasure, one short function each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from psycopg.rows import class_row

from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.transcripts.lessons.ageing import Life

_SQL = queries.load("quipu.kinds.transcripts")


@dataclass(frozen=True, slots=True)
class Found:
    """A memory that was found; ``said`` is its id."""

    id: int
    text: str
    happened_at: datetime
    recorded_at: datetime
    said: str
    session: str | None
    category: str | None


@dataclass(frozen=True, slots=True)
class Resting:
    """A wording of a memory and one of the memory's sources; ``goes`` where the source is erased.

    ``edit`` is the id of an earlier wording, None of the present one.
    """

    memory: UUID
    entry: int | None
    edit: int | None
    text: str
    session: str
    message: int | None
    excerpt: str
    goes: bool


async def cited(tx: SpaceTransaction, ids: Sequence[int]) -> list[Found]:
    """Return the active lessons of entries."""
    async with tx.conn.cursor(row_factory=class_row(Found)) as cursor:
        values = {"space": tx.space.id, "ids": Int8s(ids)}
        return await (await cursor.execute(_SQL["cited"], values)).fetchall()


async def lives(tx: SpaceTransaction, ids: Sequence[int]) -> dict[int, Life]:
    """Return the histories of entries' lessons, by entry."""
    rows = await _rows(tx, "lives", {"ids": Int8s(ids)})
    return {
        entry: Life(
            judged=judged,
            said_at=said_at,
            sessions=sessions,
            used_at=used_at,
            confirmed_at=confirmed_at,
            edited_at=edited_at,
            uses=uses,
            contradictions=contradictions,
        )
        for entry, judged, said_at, sessions, used_at, confirmed_at, edited_at, uses, contradictions in rows
    }


async def used(tx: SpaceTransaction, ids: Sequence[int], *, now: datetime, apart: timedelta) -> int:
    """Note a use of the memories of entries; how many of them count."""
    return len(await _rows(tx, "used", {"ids": Int8s(ids), "now": now, "apart": apart}))


async def lately(tx: SpaceTransaction, limit: int) -> list[tuple[int, datetime]]:
    """Return the entries of the lessons used last, with the time; latest first."""
    return [(entry, at) for entry, at in await _rows(tx, "lately", {"limit": limit})]


async def memories(tx: SpaceTransaction, values: Mapping[str, object]) -> list[tuple[UUID, int | None]]:
    """Return the lessons that an erasure takes, each with its entry in the index."""
    return await _rows(tx, "doomed_memories", values)


async def wordings(tx: SpaceTransaction, values: Mapping[str, object]) -> list[Resting]:
    """Return the wordings of memories with a source in sessions that lose messages, by memory."""
    return [Resting(*row) for row in await _rows(tx, "wordings", values)]


async def said_in(tx: SpaceTransaction, sessions: Sequence[str]) -> dict[str, dict[int, str]]:
    """Return what was said in sessions: by name of the session, by id of the message."""
    said: dict[str, dict[int, str]] = {}
    for session, id_, content in await _rows(tx, "said_in", {"sessions": list(sessions)}):
        said.setdefault(session, {})[id_] = content
    return said


async def lines(tx: SpaceTransaction, numbers: Sequence[int]) -> int:
    """Count the lines of sessions."""
    ((count,),) = await _rows(tx, "count_lines", {"numbers": Int8s(numbers)})
    return count


async def identities(tx: SpaceTransaction, name: str, values: Mapping[str, object]) -> list[tuple[str, str]]:
    """Return session and id of lines or prompts that an erasure takes, by the name of the query."""
    return await _rows(tx, name, values)


async def run(tx: SpaceTransaction, name: str, values: Mapping[str, object]) -> None:
    """Run a write by its name; ``space`` is filled in."""
    await tx.conn.execute(_SQL[name], {"space": tx.space.id, **values})


async def _rows(tx: SpaceTransaction, name: str, values: Mapping[str, object]) -> list[tuple[Any, ...]]:
    return await (await tx.conn.execute(_SQL[name], {"space": tx.space.id, **values})).fetchall()
