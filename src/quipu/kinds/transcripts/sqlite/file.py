"""Opening a file of ccrecall: only what is one, and with one sentence about what is wrong."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Final

from quipu.errors import BadInput
from quipu.kernel.base import sqlite
from quipu.kernel.base.sqlite import Connection
from quipu.kernel.db import queries

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
    """Return what a query of ours finds, by the names of the columns."""
    return [dict(row) for row in connection.execute(READ[query], values)]
