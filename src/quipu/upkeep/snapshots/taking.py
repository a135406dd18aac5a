"""Taking a snapshot: a dump, sums of its tables and vectors of its rows, all as of one moment."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from io import BufferedWriter
from pathlib import Path
from typing import Final

from anyio import Path as AsyncPath
from anyio import to_thread
from psycopg import sql

from quipu.errors import BadInput, Conflict, DatabaseError, NotFound
from quipu.kernel.config import Settings
from quipu.kernel.db import queries
from quipu.kernel.db.connection import enduring, translated
from quipu.kernel.db.database import Connection, Database
from quipu.kernel.db.space import AsOf
from quipu.upkeep.exports.exports import note
from quipu.upkeep.snapshots import program
from quipu.upkeep.snapshots.forms import REGISTRY
from quipu.upkeep.snapshots.loading import look_through
from quipu.upkeep.snapshots.model import Ground, HandedOut, Reason, Snapshot, Sum, Target
from quipu.upkeep.snapshots.rights import Kept, kept, notes
from quipu.upkeep.snapshots.shelf import Shelf, digest, hash_of
from quipu.upkeep.snapshots.statements import fill, sums

_SQL = queries.load("quipu.upkeep.snapshots")
_LONGEST_MILLISECONDS: Final = 3_600_000
_TRIES: Final = 3


@dataclass(frozen=True, slots=True)
class Taken:
    """Written snapshot, and what is in it."""

    sums: dict[str, Sum]
    vectors: int
    rights: Kept


async def take(
    database: Database,
    settings: Settings,
    ground: Ground,
    shelf: Shelf,
    target: Target,
    *,
    reason: Reason,
    now: datetime,
) -> Snapshot:
    """Take a snapshot and put it on the shelf; again where something was forgotten in the space meanwhile.

    An erasure that is not seen here sees the snapshot on the shelf, and its receipt names it.

    Raises:
        DatabaseUnsuitable: no pg_dump here fits the server.
        DatabaseError: pg_dump failed, or the directory cannot be written.
        Conflict: something was forgotten each time.
        NotFound: the schema, or the whole space, is gone.
    """
    for _ in range(_TRIES):
        as_of = await _read_now(database, target)
        taken = await _take(database, settings, ground, shelf, target, reason=reason, now=now)
        if await database.is_as_of(target.space, as_of):
            return taken
        await to_thread.run_sync(shelf.delete, taken)
    raise _erased(target)


async def _take(
    database: Database,
    settings: Settings,
    ground: Ground,
    shelf: Shelf,
    target: Target,
    *,
    reason: Reason,
    now: datetime,
) -> Snapshot:
    try:
        room = shelf.room(target.space_id)
        name = shelf.free_name(target.space_id, target.schema, now)
        path, vectors = room / f"{name}.part", room / f"{name}.vectors.part"
        try:
            taken = await write(database, settings, ground, target, path, vectors=vectors)
            snapshot = Snapshot(
                name=name,
                schema=target.schema,
                space_id=target.space_id,
                space_hash=hash_of(target.space),
                taken_at=now,
                reason=reason,
                sums=taken.sums,
                bytes=path.stat().st_size,
                sha256=await to_thread.run_sync(digest, path),
                vectors=taken.vectors,
                vectors_sha256=await to_thread.run_sync(digest, vectors),
                grants=await ground.grants(target),
                rights=taken.rights,
            )
            if snapshot.vectors_sha256 is not None:
                once = partial(
                    shelf.keep_once,
                    vectors,
                    snapshot.vectors_sha256,
                    space_id=target.space_id,
                    space=target.space,
                    schema=target.schema,
                )
                await to_thread.run_sync(once)
            vectors.replace((room / name).with_suffix(".vectors"))
            path.replace(room / name)
            shelf.keep(snapshot)
        finally:
            path.unlink(missing_ok=True)
            vectors.unlink(missing_ok=True)
    except OSError as error:
        raise _unwritten(error) from error
    return snapshot


async def export(
    database: Database,
    settings: Settings,
    ground: Ground,
    target: Target,
    path: Path,
    *,
    structure: bool,
    now: datetime,
) -> HandedOut:
    """Write a dump to a file of the caller's, and note it as an export of the space.

    Raises:
        DatabaseUnsuitable, DatabaseError, NotFound: as `take`.
        Conflict: something was forgotten in the space meanwhile.
    """
    as_of = await _read_now(database, target)
    part = path.with_name(f"{path.name}.part")
    try:
        try:
            taken = await write(database, settings, ground, target, part, structure=structure)
            async with await AsyncPath(part).open("ab") as file:
                await file.write(notes(taken.rights))
            noted = await note(database, part, kind="tables", spaces={target.space: as_of}, now=now)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
        rows = 0 if structure else sum(one.rows for one in taken.sums.values())
        return HandedOut(
            path=path,
            bytes=noted.bytes,
            tables=len(taken.sums),
            rows=rows,
            id=noted.id,
            sha256=noted.sha256,
        )
    except OSError as error:
        raise _unwritten(error) from error


@asynccontextmanager
async def while_there(ground: Ground, target: Target) -> AsyncGenerator[None]:
    """Tell what the database refuses by its reason, where that is that the schema is gone.

    Raises:
        NotFound: it was dropped meanwhile.
    """
    try:
        yield
    except (DatabaseError, BadInput) as error:
        try:
            is_there = (await ground.find(target.space, target.schema)).number == target.number
        except NotFound:
            is_there = False
        if not is_there:
            raise NotFound(
                f"The schema {target.schema!r} is gone.", hint="It was dropped meanwhile; do it again."
            ) from error
        raise


async def write(
    database: Database,
    settings: Settings,
    ground: Ground,
    target: Target,
    path: Path,
    *,
    vectors: Path | None = None,
    structure: bool = False,
) -> Taken:
    """Write a dump to ``path``, and the vectors of its rows where they are wanted.

    ``structure``: of the rows only those of the registry.
    """
    async with while_there(ground, target), database.owner() as conn, conn.transaction():
        await ground.open_up(target)
        await conn.execute(fill("isolate"))
        await conn.execute(fill("as_owner"))
        moment = await _moment(conn)
        tables = await ground.tables(conn, target)
        tool, environment = await program.pg_dump(settings, major=conn.info.server_version // 10_000)
        dump = partial(
            program.write,
            tool,
            environment,
            database.url,
            target.names,
            to=path,
            moment=moment,
            without=[name for name in target.protected if name != REGISTRY],
            bare=await _all_but_registry(conn, target) if structure else (),
        )
        await to_thread.run_sync(dump)
        look = partial(look_through, path, target.schema_name, protected=target.protected, code=True)
        await to_thread.run_sync(look)  # it can be restored
        found, rights = await ground.look(
            target, lambda login: _sums_and_rights(login, ground, target, tables, moment)
        )
        count = 0
        if vectors is not None:
            with _private(vectors) as file:
                count = await ground.save_vectors(conn, target, file.write)
    return Taken(found, count, rights)


async def count(database: Database, ground: Ground, target: Target) -> dict[str, int]:
    """Count the rows that the tables of a schema have now."""
    await ground.open_up(target)
    async with database.owner() as conn, conn.transaction():
        await conn.execute(fill("isolate"))
        await conn.execute(fill("as_owner"))
        moment = await _moment(conn)
        tables = await ground.tables(conn, target)
        found, _ = await ground.look(
            target, lambda login: _sums_and_rights(login, ground, target, tables, moment)
        )
    return {name: one.rows for name, one in found.items()}


async def _read_now(database: Database, target: Target) -> AsOf:
    """Return the state of the space by which a later erasure is noticed.

    Raises:
        NotFound: the space is gone.
    """
    async with database.transaction(target.space) as tx:
        if tx is None or tx.space.id != target.space_id:
            raise NotFound(f"The space {target.space!r} is gone.", hint="It was forgotten meanwhile.")
        return tx.space.as_of


def _erased(target: Target) -> Conflict:
    return Conflict(
        f"Something was forgotten in the space {target.space!r} each time while a snapshot was taken.",
        hint="No snapshot was kept. Try again in a moment.",
    )


async def _moment(conn: Connection) -> str:
    row = await (await conn.execute(_SQL["export_moment"])).fetchone()
    assert row is not None
    return row[0]


async def _all_but_registry(conn: Connection, target: Target) -> list[str]:
    """Return relations with rows or a state; descriptions and embedded fields belong to the structure."""
    rows = await conn.execute(_SQL["relations"], {"schema": target.schema_name})
    return [name for (name,) in await rows.fetchall() if name != REGISTRY]


async def _sums_and_rights(
    conn: Connection, ground: Ground, target: Target, tables: Sequence[str], moment: str
) -> tuple[dict[str, Sum], Kept]:
    with translated(), enduring(conn):
        async with conn.transaction():
            await conn.execute(fill("isolate"))
            await conn.execute(fill("at_moment", moment=sql.Literal(moment)))
            await conn.execute(fill("limit", milliseconds=sql.Literal(_LONGEST_MILLISECONDS)))
            await conn.execute(fill("bare"))
            return await sums(conn, target, tables), kept(await ground.rights(conn, target))


def _private(path: Path) -> BufferedWriter:
    path.touch(mode=0o600)
    return path.open("wb")


def _unwritten(error: OSError) -> DatabaseError:
    return DatabaseError(
        f"A snapshot could not be written: {error.strerror} ({error.filename}).",
        hint="QUIPU_SNAPSHOT_DIRECTORY says where snapshots go.",
    )
