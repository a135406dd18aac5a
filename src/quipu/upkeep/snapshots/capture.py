"""Snapshots and exports as they are written: a dump, sums of its tables, vectors, all as of one moment."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from io import BufferedWriter
from pathlib import Path
from typing import Final

from anyio import Path as AsyncPath
from anyio import to_thread
from psycopg import sql

from quipu.errors import BadInput, Conflict, DatabaseError, NotFound
from quipu.kernel.base.clock import Clock
from quipu.kernel.config import Settings
from quipu.kernel.db import queries
from quipu.kernel.db.connection import enduring, translated
from quipu.kernel.db.database import Connection, Database
from quipu.kernel.db.space import AsOf
from quipu.upkeep.exports.exports import note
from quipu.upkeep.snapshots import program
from quipu.upkeep.snapshots.forms import REGISTRY
from quipu.upkeep.snapshots.load import fill, look_through, sums
from quipu.upkeep.snapshots.model import Ground, HandedOut, Reason, Snapshot, Sum, Target
from quipu.upkeep.snapshots.rights import Kept, kept, notes
from quipu.upkeep.snapshots.shelf import Shelf, digest, hash_of

_SQL = queries.load("quipu.upkeep.snapshots")
_LONGEST_MILLISECONDS: Final = 3_600_000
_TRIES: Final = 3


@dataclass(frozen=True, slots=True)
class Written:
    """Content of a written dump: sums of its tables, the number of vectors beside it, and rights."""

    sums: dict[str, Sum]
    vectors: int
    rights: Kept


@dataclass(frozen=True, slots=True)
class Capture:
    """Writes snapshots to a shelf, and exports to files of the caller."""

    database: Database
    settings: Settings
    ground: Ground
    shelf: Shelf
    clock: Clock

    async def take(self, target: Target, reason: Reason) -> Snapshot:
        """Take a snapshot and put it on the shelf; again if something was forgotten in the space meanwhile.

        An erasure that starts too late to be seen here finds the snapshot on the shelf and names it in its
        receipt.

        Raises:
            DatabaseUnsuitable: no pg_dump here fits the server.
            DatabaseError: pg_dump failed, or the directory cannot be written.
            Conflict: something was forgotten each time.
            NotFound: the schema, or the whole space, is gone.
        """
        for _ in range(_TRIES):
            as_of = await self._read_now(target)
            snapshot = await self._take(target, reason)
            if await self.database.is_as_of(target.space, as_of):
                return snapshot
            await to_thread.run_sync(self.shelf.delete, snapshot)
        raise Conflict(
            f"Something was forgotten in the space {target.space!r} each time while a snapshot was taken.",
            hint="No snapshot was kept. Try again in a moment.",
        )

    async def _take(self, target: Target, reason: Reason) -> Snapshot:
        shelf, now = self.shelf, self.clock.now()
        try:
            room = shelf.room(target.space_id)
            name = shelf.free_name(target.space_id, target.schema, now)
            path, vectors = room / f"{name}.part", room / f"{name}.vectors.part"
            try:
                written = await self._write(target, path, vectors=vectors)
                snapshot = Snapshot(
                    name=name,
                    schema=target.schema,
                    space_id=target.space_id,
                    space_hash=hash_of(target.space),
                    taken_at=now,
                    reason=reason,
                    sums=written.sums,
                    bytes=path.stat().st_size,
                    sha256=await to_thread.run_sync(digest, path),
                    vectors=written.vectors,
                    vectors_sha256=await to_thread.run_sync(digest, vectors),
                    grants=await self.ground.grants(target),
                    rights=written.rights,
                )
                await to_thread.run_sync(shelf.keep_once, vectors, snapshot, target.space)
                vectors.replace((room / name).with_suffix(".vectors"))
                path.replace(room / name)
                shelf.keep(snapshot)
            finally:
                path.unlink(missing_ok=True)
                vectors.unlink(missing_ok=True)
        except OSError as error:
            raise _unwritten(error) from error
        return snapshot

    async def export(self, target: Target, path: Path, *, structure: bool) -> HandedOut:
        """Write a dump to a file of the caller's, and note it as an export of the space.

        Raises:
            DatabaseUnsuitable, DatabaseError, NotFound: as `take`.
            Conflict: something was forgotten in the space meanwhile.
        """
        as_of, now = await self._read_now(target), self.clock.now()
        part = path.with_name(f"{path.name}.part")
        try:
            try:
                written = await self._write(target, part, structure=structure)
                async with await AsyncPath(part).open("ab") as file:
                    await file.write(notes(written.rights))
                noted = await note(self.database, part, kind="tables", spaces={target.space: as_of}, now=now)
                part.replace(path)
            finally:
                part.unlink(missing_ok=True)
        except OSError as error:
            raise _unwritten(error) from error
        return HandedOut(
            path=path,
            bytes=noted.bytes,
            tables=len(written.sums),
            rows=0 if structure else sum(one.rows for one in written.sums.values()),
            id=noted.id,
            sha256=noted.sha256,
        )

    async def write_out(self, target: Target, path: Path, *, moment: str) -> Mapping[str, Sum]:
        """Write a dump of a schema as another transaction sees it; returns sums of its tables.

        Raises:
            DatabaseUnsuitable, DatabaseError, NotFound: as `take`.
        """
        written = await self._write(target, path, moment=moment)
        async with await AsyncPath(path).open("ab") as file:
            await file.write(notes(written.rights))
        return written.sums

    @asynccontextmanager
    async def while_there(self, target: Target) -> AsyncGenerator[None]:
        """Say that the schema is gone where that is why the database refuses something.

        Raises:
            NotFound: it was dropped meanwhile.
        """
        try:
            yield
        except (DatabaseError, BadInput) as error:
            try:
                is_there = (await self.ground.find(target.space, target.schema)).number == target.number
            except NotFound:
                is_there = False
            if not is_there:
                raise NotFound(
                    f"The schema {target.schema!r} is gone.", hint="It was dropped meanwhile; do it again."
                ) from error
            raise

    async def count(self, target: Target) -> dict[str, int]:
        """Count the rows that the tables of a schema have now."""
        await self.ground.open_up(target)
        async with self._moment() as (conn, moment):
            totals, _ = await self._sums_and_rights(conn, target, moment)
        return {name: one.rows for name, one in totals.items()}

    async def _write(
        self,
        target: Target,
        path: Path,
        *,
        vectors: Path | None = None,
        structure: bool = False,
        moment: str | None = None,
    ) -> Written:
        """Write a dump to ``path``, and the vectors of its rows to ``vectors``.

        ``structure``: of the rows only those of the registry. ``moment``: see what another transaction sees.
        """
        async with self.while_there(target):
            await self.ground.open_up(target)
            async with self._moment(moment) as (conn, moment):
                major = conn.info.server_version // 10_000
                tool, environment = await program.pg_dump(self.settings, major=major)
                dump = partial(
                    program.write,
                    tool,
                    environment,
                    self.database.url,
                    target.names,
                    to=path,
                    moment=moment,
                    without=[name for name in target.protected if name != REGISTRY],
                    bare=await _all_but_registry(conn, target) if structure else (),
                )
                await to_thread.run_sync(dump)
                look = partial(look_through, path, target.schema_name, protected=target.protected, code=True)
                await to_thread.run_sync(look)  # it can be restored
                totals, rights = await self._sums_and_rights(conn, target, moment)
                count = 0
                if vectors is not None:
                    with _private(vectors) as file:
                        count = await self.ground.save_vectors(conn, target, file.write)
        return Written(totals, count, rights)

    @asynccontextmanager
    async def _moment(self, of: str | None = None) -> AsyncGenerator[tuple[Connection, str]]:
        """Open a read-only transaction of the owner, and export the moment that it sees: now, or ``of``."""
        async with self.database.owner() as conn, conn.transaction():
            await conn.execute(fill("isolate"))
            if of is not None:
                await conn.execute(fill("at_moment", moment=of))
            await conn.execute(fill("as_owner"))
            yield conn, await conn.value(_SQL["export_moment"])

    async def _sums_and_rights(
        self, owner: Connection, target: Target, moment: str
    ) -> tuple[dict[str, Sum], Kept]:
        """Return sums of the tables, and rights, as the writer of the schema sees them at that moment."""
        tables = await self.ground.tables(owner, target)

        async def read(conn: Connection) -> tuple[dict[str, Sum], Kept]:
            with translated(), enduring(conn):
                async with conn.transaction():
                    await conn.execute(fill("isolate"))
                    await conn.execute(fill("at_moment", moment=moment))
                    await conn.execute(fill("limit", milliseconds=sql.Literal(_LONGEST_MILLISECONDS)))
                    await conn.execute(fill("bare"))
                    return await sums(conn, target, tables), kept(await self.ground.rights(conn, target))

        return await self.ground.look(target, read)

    async def _read_now(self, target: Target) -> AsOf:
        """Return the state of the space by which a later erasure is noticed.

        Raises:
            NotFound: the space is gone.
        """
        async with self.database.transaction(target.space) as tx:
            if tx is None or tx.space.id != target.space_id:
                raise NotFound(f"The space {target.space!r} is gone.", hint="It was forgotten meanwhile.")
            return tx.space.as_of


async def _all_but_registry(conn: Connection, target: Target) -> list[str]:
    """Return relations with rows or a state; descriptions and embedded fields belong to the structure."""
    rows = await conn.execute(_SQL["relations"], {"schema": target.schema_name})
    return [name for (name,) in await rows.fetchall() if name != REGISTRY]


def _private(path: Path) -> BufferedWriter:
    path.touch(mode=0o600)
    return path.open("wb")


def _unwritten(error: OSError) -> DatabaseError:
    return DatabaseError(
        f"A snapshot could not be written: {error.strerror} ({error.filename}).",
        hint="QUIPU_SNAPSHOT_DIRECTORY says where snapshots go.",
    )
