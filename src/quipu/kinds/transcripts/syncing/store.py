"""The queries of a sync, one short function each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg.rows import class_row

from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Int8s, Texts
from quipu.kernel.db.database import Within

_SQL = queries.load("quipu.kinds.transcripts.syncing")


@dataclass(frozen=True, slots=True)
class File:
    """How far a file was read, and what it was like then."""

    path: str
    size_bytes: int
    offset_bytes: int
    prefix_sha256: bytes
    modified_at: datetime


async def files(within: Within, paths: Sequence[str]) -> dict[str, File]:
    """What is known of files, by path."""
    values = {"space": within.space.id, "paths": Texts(paths)}
    async with within.conn.cursor(row_factory=class_row(File)) as cursor:
        return {one.path: one for one in await (await cursor.execute(_SQL["marks"], values)).fetchall()}


async def known_lines(within: Within, uuids: Sequence[str], sessions: Sequence[int]) -> set[int]:
    """The places (0 …) of lines that are stored already."""
    rows = await _rows(within, "known_lines", {"uuids": Texts(uuids), "sessions": Int8s(sessions)})
    return {place - 1 for (place,) in rows}


async def known_messages(within: Within, ids: Sequence[str], sessions: Sequence[int]) -> dict[int, int]:
    """Of messages, the numbers of those that the record has, by place (0 …)."""
    rows = await _rows(within, "known_messages", {"ids": Texts(ids), "sessions": Int8s(sessions)})
    return {place - 1: number for place, number in rows}


async def line_numbers(within: Within, count: int) -> list[int]:
    """Numbers for new lines."""
    rows = await (await within.conn.execute(_SQL["line_numbers"], {"count": count})).fetchall()
    return [number for (number,) in rows]


async def lazily(within: Within) -> None:
    """Let the transaction end before it is on the disk."""
    await within.conn.execute(_SQL["lazily"])


async def count(within: Within, name: str, values: Mapping[str, object]) -> int:
    """Run a write by its name; how many rows it changed."""
    return len(await _rows(within, name, values))


async def run(within: Within, name: str, values: Mapping[str, object]) -> None:
    """Run a write by its name; ``space`` is filled in."""
    await within.conn.execute(_SQL[name], {"space": within.space.id, **values})


async def _rows(within: Within, name: str, values: Mapping[str, object]) -> list[tuple[Any, ...]]:
    return await (await within.conn.execute(_SQL[name], {"space": within.space.id, **values})).fetchall()
