"""The queries of a sync, one short function each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Self

from psycopg.rows import class_row

from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Int8s, Texts
from quipu.kernel.db.database import Connection, Rows, SpaceTransaction, ask

_SQL: Final = queries.load("quipu.kinds.transcripts.syncing")

Line = tuple[str, int]
"""The uuid of a line and the number of its session."""


@dataclass(frozen=True, slots=True)
class File:
    """Progress of reading a file, and its state then."""

    path: str
    size_bytes: int
    offset_bytes: int
    prefix_sha256: bytes
    modified_at: datetime


async def files(tx: SpaceTransaction, paths: Sequence[str]) -> dict[str, File]:
    """Return what is known of files, by path."""
    values = {"space": tx.space.id, "paths": Texts(paths)}
    async with tx.conn.cursor(row_factory=class_row(File)) as cursor:
        return {one.path: one for one in await (await cursor.execute(_SQL["marks"], values)).fetchall()}


class Known:
    """Lines of a batch that are stored already, and numbers for the others.

    All of it is asked in one round trip: ``Known.of(…)``.
    """

    def __init__(self, lines: Sequence[int], messages: dict[int, int], numbers: Sequence[int]) -> None:
        self.lines = lines
        """The places (0 …) of lines that are stored."""
        self.messages = messages
        """Of what was said, the numbers of messages that the record has, by place (0 …)."""
        self.numbers = numbers
        """As many new numbers as there are lines."""

    @classmethod
    async def of(cls, tx: SpaceTransaction, lines: Sequence[Line], said: Sequence[Line]) -> Self:
        """Ask for ``lines`` and, among them, ``said``: those that somebody said."""
        async with tx.conn.pipeline():
            known = await tx.run(_SQL["known_lines"], _columns(lines))
            messages = await tx.run(_SQL["known_messages"], _columns(said))
            numbers = await tx.run(_SQL["line_numbers"], {"count": len(lines)}, binary=True)
        return cls(
            [place - 1 for (place,) in await known.fetchall()],
            {place - 1: number for place, number in await messages.fetchall()},
            (await numbers.fetchall())[0][0],
        )


def _columns(lines: Sequence[Line]) -> dict[str, object]:
    return {"uuids": Texts([uuid for uuid, _ in lines]), "sessions": Int8s([number for _, number in lines])}


async def lazily(conn: Connection) -> None:
    """Let the transaction end before it is on the disk."""
    await conn.execute(_SQL["lazily"])


async def has_erased(conn: Connection, space: str) -> Rows:
    """Ask, in a pipeline, whether anything was ever erased in a space of this name."""
    return await ask(conn, _SQL["has_erased"], {"name": space})


async def count(tx: SpaceTransaction, name: str, values: Mapping[str, object]) -> int:
    """Run a write by its name; how many rows it changed."""
    return len(await (await tx.run(_SQL[name], values)).fetchall())


async def run(tx: SpaceTransaction, name: str, values: Mapping[str, object]) -> None:
    """Run a write by its name; ``space`` is filled in. In a pipeline it is on its way when this returns."""
    await tx.run(_SQL[name], values)
