"""Bringing an existing file of ccrecall to the seed's schema, and writing memories into it."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, closing
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from quipu.errors import BadInput
from quipu.kernel.base import sqlite
from quipu.kernel.base.sqlite import Connection
from quipu.kernel.db import queries
from quipu.kinds.transcripts.sqlite.model import Migrated

_SEED: Final = queries.load("quipu.kinds.transcripts.sqlite", folder="seed")
_COLUMNS: Final = ("memories_extracted", "extraction_attempted_at")
_OF_MEMORIES: Final = {"id", "session_id", "fact", "category", "confidence", "created_at", "updated_at"}

Row = Mapping[str, Any]
READ: Final = queries.load("quipu.kinds.transcripts.sqlite", folder="rows")
_PROGRAM: Final = "ccrecall"
_PLACE: Final = "~/.claude/ccrecall.db"
# Of these no file of ccrecall is without one.
_NEEDED: Final = {
    "sessions": {"id", "project_path", "first_timestamp", "last_timestamp"},
    "messages": {"uuid", "session_id", "type", "content_text", "timestamp"},
}


def opened(path: Path, *, mode: str) -> AbstractContextManager[Connection]:
    """Open the file to read (``ro``), change (``rw``) or make (``rwc``) it; see ``base.sqlite.opened``."""
    return sqlite.opened(path, mode=mode, program=_PROGRAM, place=_PLACE)


def told_plainly(path: Path) -> AbstractContextManager[None]:
    """Raise errors of SQLite inside the block as ours, in plain words."""
    return sqlite.told_plainly(path, program=_PROGRAM)


def check(connection: Connection, path: Path) -> dict[str, set[str]]:
    """Return the tables of the file with their columns.

    Raises:
        BadInput: it is no file of ccrecall.
    """
    tables = {
        name: {column["name"] for column in connection.execute(READ["columns"], {"name": name})}
        for kind, name in connection.execute(READ["objects"]).fetchall()
        if kind == "table"
    }
    for name, columns in _NEEDED.items():
        missing = columns - tables.get(name, set())
        if missing:
            what = f"no table {name}" if name not in tables else f"no column {name}.{min(missing)}"
            raise BadInput(
                f"{path} is no file of ccrecall: it has {what}.",
                hint=f"{_PROGRAM} keeps its file as {_PLACE}; nothing was changed.",
            )
    return tables


def rows(connection: Connection, query: str, **values: Any) -> list[dict[str, Any]]:
    """Return the rows of a query of ours, by the names of the columns."""
    return [dict(row) for row in connection.execute(READ[query], values)]


def migrate(
    path: Path,
    *,
    now: datetime,
    memories: Sequence[Row] | None = None,
    sources: Sequence[Row] = (),
    extracted: Sequence[Row] = (),
) -> Migrated:
    """Make the table and the columns of the seed where they are missing, in one transaction.

    Where something is changed, the file as it was is kept beside it; the second time nothing is. ``memories``
    are written too, with their sources and the sessions that they were extracted from: new ones are added and
    changed ones replaced, none is taken out.

    Raises:
        NotFound: there is no such file.
        BadInput: it is no file of ccrecall, has other tables of the same name, is locked, damaged or closed.
    """
    with opened(path, mode="rw") as connection:
        backup: Path | None = None
        missing = _missing(connection, path, writes=memories is not None)
        if missing or memories:
            backup = _kept(connection, path, now)
        connection.execute("begin immediate")  # nobody else writes meanwhile
        with connection:  # all or nothing
            missing = _missing(connection, path, writes=memories is not None)  # now nobody else can
            for name in missing:
                connection.execute(_SEED[name])
            written = sum(connection.execute(READ["put_memory"], one).rowcount for one in memories or ())
            told = sum(connection.execute(READ["put_source"], one).rowcount for one in sources)
            for one in extracted:
                connection.execute(READ["mark_extracted"], one)
    return Migrated(path=path, changed=tuple(missing), backup=backup, memories=written, sources=told)


def _missing(connection: Connection, path: Path, *, writes: bool) -> list[str]:
    """Return the parts of the seed's schema that the file lacks, in the order of their making."""
    tables = check(connection, path)
    there = {row["name"] for row in rows(connection, "objects")}
    if lacking := _OF_MEMORIES - tables.get("memories", _OF_MEMORIES):
        raise BadInput(
            f"{path} has a table memories of somebody else: it has no column {min(lacking)}.",
            hint="Rename that table, then migrate again; nothing was changed.",
        )
    wanted = [name for name in _SEED if writes or name != "memory_sources"]
    order = sorted(wanted, key=lambda name: (name.startswith("idx_"), name not in ("memories",)))
    return [name for name in order if name not in (tables["sessions"] if name in _COLUMNS else there)]


def _kept(connection: Connection, path: Path, now: datetime) -> Path:
    """Copy the file beside it, whole even while others read and write."""
    backup = path.with_name(f"{path.name}.{now:%Y%m%dT%H%M%S%fZ}.quipu-backup")
    backup.touch(mode=0o600, exist_ok=False)
    with closing(sqlite3.connect(backup)) as copy:
        connection.backup(copy)
    backup.chmod(path.stat().st_mode & 0o777)
    return backup
