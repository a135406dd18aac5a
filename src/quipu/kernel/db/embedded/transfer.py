"""Everything that a server has, written out and read in by another one; its extensions brought up.

PostgreSQL's own programs do it. Each server is read by those that it came with: a minor release may keep in
its catalogue what only its own pg_dump leaves out (15.20 does). Of rights on the catalogue nothing is taken
along: a version brings its own, and what everybody may do in it is settled again.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psycopg
from psycopg import sql

from quipu.errors import ServerError
from quipu.kernel.db import queries
from quipu.kernel.db.embedded.basebackup import LONGEST_SECONDS, call
from quipu.kernel.db.embedded.binaries import Binaries
from quipu.kernel.db.embedded.door import ADMIN_ROLE, Door, enter

_QUERIES = queries.load("quipu.kernel.db.embedded")
_MAINTENANCE: Final = "postgres"  # the database that each server has from its beginning
_MOST_JOBS: Final = 4
_OF_CATALOGUE = re.compile(r"^\d+; \d+ \d+ ACL (?:pg_catalog|information_schema) ")
Counts = dict[tuple[str, str, str], int]
"""Rows by database, schema and table."""

_log = logging.getLogger("quipu")


@dataclass(frozen=True, slots=True)
class Side:
    """A server, and the programs that it came with."""

    door: Door
    binaries: Binaries


def transfer(old: Side, new: Side, scratch: Path) -> Counts:
    """Have a new, empty server hold what the old one holds; how many rows each table has.

    Files in between lie in ``scratch``. Nobody writes meanwhile.

    Raises:
        ServerError, DiskFull: something could not be read in, and what; the new server is not to be used.
    """
    _roles(old, new, scratch)
    names = _databases(old.door)
    for name in names:
        _database(name, old, new, scratch)
        harden(new.door, name)
    before, after = _counts(old.door, names), _counts(new.door, names)
    if before != after:
        table = next(one for one in {**before, **after} if before.get(one) != after.get(one))
        raise ServerError(
            f"The table {'.'.join(table)} had {before.get(table)} rows and would have {after.get(table)}.",
            hint="Did another program write meanwhile? Nothing was changed; try again.",
        )
    return after


def without_catalogue(listed: str) -> str:
    """Return a table of contents of pg_restore without the rights on PostgreSQL's own catalogue."""
    return "".join(line for line in listed.splitlines(keepends=True) if not _OF_CATALOGUE.match(line))


def without_administrator(globals_: str) -> str:
    """Return the script of pg_dumpall without the making of the administrator, whom a new server has."""
    return globals_.replace(f"CREATE ROLE {ADMIN_ROLE};\n", "", 1)


def _roles(old: Side, new: Side, scratch: Path) -> None:
    script = scratch / "roles.sql"
    source = ("--dbname", old.door.conninfo(_MAINTENANCE), "--no-password")
    call(old.binaries, "pg_dumpall", "--globals-only", *source, "--file", str(script))
    script.write_text(without_administrator(script.read_text("utf-8")), "utf-8")
    quiet = ("--no-psqlrc", "--quiet", "--no-password", "--set", "ON_ERROR_STOP=1")
    call(new.binaries, "psql", *quiet, "--file", str(script), "--dbname", new.door.conninfo(_MAINTENANCE))
    script.unlink()  # it has hashes of passwords


def _databases(door: Door) -> list[str]:
    with enter(door) as conn:
        return [name for (name,) in conn.execute(_QUERIES["databases"]).fetchall()]


def _database(name: str, old: Side, new: Side, scratch: Path) -> None:
    dump, contents = scratch / "dump", scratch / "contents"
    form = ("--format", "custom", "--compress", "1", "--no-password")
    call(old.binaries, "pg_dump", *form, "--file", str(dump), "--dbname", old.door.conninfo(name))
    call(new.binaries, "pg_restore", "--list", "--file", str(contents), str(dump))
    contents.write_text(without_catalogue(contents.read_text("utf-8")), "utf-8")
    made = () if name == _MAINTENANCE else ("--create",)
    jobs = str(min(_MOST_JOBS, os.cpu_count() or 1))
    call(
        new.binaries,
        "pg_restore",
        *("--use-list", str(contents), *made, "--exit-on-error", "--jobs", jobs, "--no-password"),
        *("--dbname", new.door.conninfo(_MAINTENANCE), str(dump)),
    )
    dump.unlink()


def _counts(door: Door, databases: list[str]) -> Counts:
    return {(name, schema, table): rows for name in databases for schema, table, rows in _rows(door, name)}


def _rows(door: Door, database: str) -> Iterator[tuple[str, str, int]]:
    with enter(door, database, answer_seconds=LONGEST_SECONDS) as conn:
        for schema, table in conn.execute(_QUERIES["tables"]).fetchall():
            counting = sql.SQL("select count(*) from only {}").format(sql.Identifier(schema, table))
            row = conn.execute(counting).fetchone()
            yield schema, table, 0 if row is None else int(row[0])


def update(door: Door, database: str) -> None:
    """Update each extension that is older than the programs; what is new in it is closed to agents.

    One that cannot be updated goes on as it is, with a warning: its functions are those of the programs, and
    `quipu doctor` says so until it is.
    """
    with enter(door, database, answer_seconds=LONGEST_SECONDS) as conn:
        older = [name for (name,) in conn.execute(_QUERIES["older_extensions"]).fetchall()]
        for name in older:
            try:
                conn.execute(sql.SQL("alter extension {} update").format(sql.Identifier(name)))
            except psycopg.Error as error:
                _log.warning("The extension %s could not be updated: %s", name, error)
    if older:
        harden(door, database)


def harden(door: Door, database: str) -> None:
    """Close what a newer PostgreSQL or extension opens to everybody, if the database is one of ours."""
    with enter(door, database, answer_seconds=LONGEST_SECONDS) as conn:
        row = conn.execute(_QUERIES["can_harden"]).fetchone()
        if row is not None and row[0]:
            conn.execute(_QUERIES["harden"])
