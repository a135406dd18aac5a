"""Opening a file of ccrecall: only what is one, and with one sentence about what is wrong."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from quipu.errors import BadInput, DiskFull, NotFound
from quipu.kernel.db import queries

READ: Final = queries.load("quipu.kinds.transcripts.sqlite", folder="rows")
_LOCK_SECONDS: Final = 5.0
# Of these no file of ccrecall is without one.
_NEEDED: Final = {
    "sessions": {"id", "project_path", "first_timestamp", "last_timestamp"},
    "messages": {"uuid", "session_id", "type", "content_text", "timestamp"},
}
_LOCKED: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_BROKEN: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)

Connection = sqlite3.Connection


@contextmanager
def opened(path: Path, *, mode: str) -> Generator[Connection]:
    """The file, to be read (``ro``), changed (``rw``) or made (``rwc``); rows are found by name.

    Raises:
        NotFound: there is none.
        BadInput: it is no SQLite file, damaged, locked, or closed to us.
    """
    if mode != "rwc" and not path.is_file():
        raise NotFound(f"There is no file {path}.", hint="ccrecall keeps it as ~/.claude/ccrecall.db.")
    with told_plainly(path), closing(_connect(path, mode)) as connection:
        connection.row_factory = sqlite3.Row
        yield connection


def _connect(path: Path, mode: str) -> Connection:
    return sqlite3.connect(
        f"file:{quote(str(path.resolve()))}?mode={mode}",
        uri=True,
        timeout=_LOCK_SECONDS,
        isolation_level=None,
        check_same_thread=False,  # one thread at a time, though not always the same
    )


def check(connection: Connection, path: Path) -> dict[str, set[str]]:
    """The tables of the file with their columns.

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
                hint="ccrecall keeps its file as ~/.claude/ccrecall.db; nothing was changed.",
            )
    return tables


def rows(connection: Connection, query: str, **values: Any) -> list[dict[str, Any]]:
    """What a query of ours finds, by the names of the columns."""
    return [dict(row) for row in connection.execute(READ[query], values)]


@contextmanager
def told_plainly(path: Path) -> Generator[None]:
    """Errors of SQLite in our words."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in _LOCKED:
            raise BadInput(
                f"{path} is locked by another program.",
                hint="End ccrecall, then try again; nothing was changed.",
            ) from error
        if code in _BROKEN:
            raise BadInput(
                f"{path} is no SQLite file, or a damaged one: {error}.",
                hint="`sqlite3 FILE .recover` may save what is left of a damaged one.",
            ) from error
        if code == sqlite3.SQLITE_FULL:
            raise DiskFull(f"The disk of {path} is full; nothing of it was kept.") from error
        raise BadInput(f"{path} cannot be used: {error}.", hint="Look at its mode and owner.") from error
