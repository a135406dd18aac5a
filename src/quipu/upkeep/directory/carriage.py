"""Carrying a space from one database to another: what an archive has, and what is of the moment."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from shutil import rmtree
from typing import Any, Final

from anyio import to_thread
from psycopg.types.json import Jsonb

from quipu.kernel.db import queries
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.upkeep.archive.archive import AsyncArchives, RecordsDone
from quipu.upkeep.archive.export import About
from quipu.upkeep.erasure.service import Eraser, remove_space

_SQL = queries.load("quipu.upkeep.directory")
_OF_THE_MOMENT: Final = ("jobs", "answers")


@dataclass(frozen=True, slots=True)
class Load:
    """A space on its way: its number, its archive, and rows that no archive has, by what they are."""

    number: int
    folder: Path
    records: int
    rows: Mapping[str, Sequence[dict[str, Any]]]


class Carriage(AsyncArchives):
    """Archives that go straight into another database, with the work that waits in the space."""

    @asynccontextmanager
    async def packed(self, tx: SpaceTransaction, progress: RecordsDone = None) -> AsyncGenerator[Load]:
        """Write a space to files for the block. ``tx`` is one of ``Database.erase``: writers wait."""
        await tx.execute(_SQL["hold_still"])
        place = Path(await to_thread.run_sync(lambda: tempfile.mkdtemp(prefix="quipu-move-")))
        try:
            manifest, _ = await self._write(place, About(tx.space.name, with_vectors=True), progress)
            rows = {what: await tx.column(_SQL[f"{what}_of_space"]) for what in _OF_THE_MOMENT}
            yield Load(tx.space.id, place, sum(one.records for one in manifest.files), rows)
        finally:
            await to_thread.run_sync(lambda: rmtree(place, ignore_errors=True))

    async def unpack(self, space: str, load: Load, *, source: str) -> None:
        """Take a space in under the number that it has; nobody finds it here before ``arrived``."""
        coming = _while_coming(space)
        async with self._database.unscoped() as conn:
            await conn.execute(_SQL["note_moved"], {"name": space, "database": source})
        await self._database.receive(coming, load.number)
        await self.load(load.folder, space=coming, erased_too=True)
        async with self._database.write(coming) as tx:
            for what, rows in load.rows.items():
                await tx.execute(_SQL[f"take_{what}"], rows=Jsonb(rows))

    async def arrived(self, space: str) -> None:
        """Have a space that was taken in found here, by its name; if it was so before, nothing happens."""
        async with self._database.transaction(_while_coming(space)) as tx:
            if tx is not None:
                await tx.execute(_SQL["note_arrived"], name=space, number=tx.space.id)

    async def leave(self, tx: SpaceTransaction, erasers: Sequence[Eraser], *, to: str) -> None:
        """Take a space out whole in a transaction of ``Database.erase``; send who looks for it to ``to``."""
        name = tx.space.name
        await remove_space(tx, erasers)
        await tx.execute(_SQL["note_moved"], name=name, database=to)

    async def clear(self, space: str, erasers: Sequence[Eraser]) -> None:
        """Take out what a move that was cut off has left here of a space."""
        async with self._database.erase(_while_coming(space)) as tx:
            if tx is not None:
                await remove_space(tx, erasers)


def _while_coming(space: str) -> str:
    """Return the name that a space has until it has arrived."""
    return f"arriving {sha256(space.encode()).hexdigest()}"


async def forget_no_less(source: Database, target: Database) -> None:
    """Have what was forgotten in one database stay forgotten in another, if both know it by the same key."""
    async with source.owner() as theirs, target.owner() as ours:
        if await theirs.value(_SQL["names_key"]) == await ours.value(_SQL["names_key"]):
            rows = await theirs.value(_SQL["tombstones"])
            await ours.execute(_SQL["take_tombstones"], {"rows": Jsonb(rows)})
