"""Bring a database to the schema that this code expects, as its owner: ordered .sql files, forward only."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final, LiteralString, cast

from psycopg import AsyncConnection
from psycopg.rows import TupleRow

from quipu.errors import DatabaseUnsuitable, MigrationRefused
from quipu.kernel.config import Settings
from quipu.kernel.db.address import connect
from quipu.kernel.db.connection import Connection, translated
from quipu.kernel.db.recorded import RecordedConnection

_OLDEST: Final = 150_000  # PostgreSQL 15
_LOCK = 7_310_522_001  # any fixed number: one migrator at a time per database
_TABLE = """
create schema if not exists core;
create table if not exists core.migrations (
    room text not null,
    version text not null,
    sha256 text not null,
    applied_at timestamptz not null default now(),
    primary key (room, version)
)"""


@dataclass(frozen=True, slots=True)
class Migration:
    """One ``sql/migrations/NNNN_what_it_does.sql`` file of a room (the last part of its package's name)."""

    room: str
    version: str
    text: str

    @property
    def sha256(self) -> str:
        """Fingerprint of the text: a migration that has been applied must not change."""
        return hashlib.sha256(self.text.encode()).hexdigest()


@cache
def found_in(package: str) -> tuple[Migration, ...]:
    """Return the migrations of one package, oldest first; read once in a process."""
    folder = resources.files(package) / "sql" / "migrations"
    room = package.rsplit(".", 1)[-1]
    files = sorted((f for f in folder.iterdir() if f.name.endswith(".sql")), key=lambda f: f.name)
    return tuple(Migration(room, f.name.removesuffix(".sql"), f.read_text("utf-8")) for f in files)


def missing(expected: Iterable[Migration], applied: dict[tuple[str, str], str]) -> list[Migration]:
    """Return the migrations that still have to be applied, in order.

    Raises:
        MigrationRefused: the database was made before the first release; or it has a migration that this code
            does not know (it is newer), or one whose text is different from ours.
    """
    known = {(m.room, m.version): m for m in expected}
    first = {m.room: m for m in reversed(known.values())}
    for room, version in applied:
        if room in first and _is_first(version) and version != first[room].version:
            raise MigrationRefused(
                f"The database was made before the first release of Quipu (it has {room}/{version}).",
                hint="Keep it with the version that made it, and begin another: --home DIR, QUIPU_HOME, or"
                " another database. What was recorded is read again: quipu transcripts sync, quipu import.",
            )
    for key, sha256 in applied.items():
        if key not in known:
            raise MigrationRefused(
                f"The database was written by a newer version of Quipu (it has {key[0]}/{key[1]}).",
                hint="Upgrade: pip install --upgrade quipu-memory",
            )
        if known[key].sha256 != sha256:
            raise MigrationRefused(
                f"Migration {key[0]}/{key[1]} has been edited since it was applied.",
                hint="Restore the file as it was and put the change into a new migration.",
            )
    return [m for key, m in known.items() if key not in applied]


def _is_first(version: str) -> bool:
    return version.startswith("0001_")


async def pending(conn: AsyncConnection[TupleRow], packages: Iterable[str]) -> list[Migration]:
    """Return the migrations that ``migrate`` would apply; all of them on an empty database."""
    expected = [m for package in packages for m in found_in(package)]
    present = await (await conn.execute("select to_regclass('core.migrations') is not null")).fetchone()
    if not present or not present[0]:
        return expected
    return missing(expected, await _applied(conn))


async def migrate(conn: AsyncConnection[TupleRow], packages: Iterable[str]) -> list[Migration]:
    """Apply what is missing and return it.

    All of it is one transaction under an advisory lock: two processes that start together cannot
    collide, and a file that fails leaves the database as it was.

    Raises:
        MigrationRefused: the versions do not fit.
    """
    expected = [m for package in packages for m in found_in(package)]
    async with conn.transaction():
        await conn.execute("select pg_advisory_xact_lock(%s)", [_LOCK])
        await conn.execute(_TABLE)
        todo = missing(expected, await _applied(conn))
        for migration in todo:
            await conn.execute(cast(LiteralString, migration.text))
            await conn.execute(
                "insert into core.migrations (room, version, sha256) values (%s, %s, %s)",
                [migration.room, migration.version, migration.sha256],
            )
    return todo


async def _applied(conn: AsyncConnection[TupleRow]) -> dict[tuple[str, str], str]:
    rows = await (await conn.execute("select room, version, sha256 from core.migrations")).fetchall()
    return {(room, version): sha256 for room, version, sha256 in rows}


@asynccontextmanager
async def owner(url: str, settings: Settings) -> AsyncGenerator[Connection]:
    """Open a connection as the user of the URL, for migrations and upkeep."""
    with translated():
        conn = await connect(
            url,
            settings,
            kind=RecordedConnection,
            options="-c timezone=UTC -c application_name=quipu-owner",
        )
        async with conn:
            encoding = conn.info.parameter_status("server_encoding")
            if encoding != "UTF8":
                raise DatabaseUnsuitable(
                    f"The database has the encoding {encoding}, which cannot hold every text.",
                    hint="Make one that can: createdb --encoding UTF8 --template template0 NAME",
                )
            if conn.info.server_version < _OLDEST:
                raise DatabaseUnsuitable(
                    f"The server is PostgreSQL {conn.info.server_version // 10_000}.",
                    hint="Quipu needs 15 or newer.",
                )
            yield conn
