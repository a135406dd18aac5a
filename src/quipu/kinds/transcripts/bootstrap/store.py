"""The queries of a session's beginning, one short function each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from psycopg.rows import class_row

from quipu.kernel.db import queries
from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.transcripts.bootstrap.model import FrequentFile, KnownLesson, OpenTask, RecentSession

_SQL = queries.load("quipu.kinds.transcripts.bootstrap")

Row = TypeVar("Row", RecentSession, KnownLesson, OpenTask, FrequentFile)


async def activity(tx: SpaceTransaction, values: Mapping[str, object]) -> list[RecentSession]:
    """Return the latest sessions."""
    return await _rows(tx, "activity", RecentSession, values)


async def lessons(tx: SpaceTransaction, values: Mapping[str, object]) -> list[KnownLesson]:
    """Return lessons, in the order of ``entries`` if these are given, else surest first."""
    return await _rows(tx, "lessons", KnownLesson, values)


async def files(tx: SpaceTransaction, values: Mapping[str, object]) -> list[FrequentFile]:
    """Return the files edited most."""
    return await _rows(tx, "files", FrequentFile, values)


async def todos(tx: SpaceTransaction, values: Mapping[str, object]) -> list[OpenTask]:
    """Open tasks: the agent's own list first, then what was remembered, then those of teams."""
    return await _rows(tx, "todos", OpenTask, values)


async def _rows(tx: SpaceTransaction, name: str, row: type[Row], values: Mapping[str, object]) -> list[Row]:
    async with tx.conn.cursor(row_factory=class_row(row)) as cursor:
        found = await cursor.execute(_SQL[name], {"space": tx.space.id, **values})
        return await found.fetchall()
