"""Files of SQLite that other programs keep: opened, and with one sentence about what is wrong."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import quote

from quipu.errors import BadInput, DiskFull, NotFound

_LOCK_SECONDS: Final = 5.0
_LOCKED: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_BROKEN: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)

Connection = sqlite3.Connection


@contextmanager
def opened(path: Path, *, mode: str, program: str, place: str) -> Generator[Connection]:
    """Open an SQLite file to read (``ro``), change (``rw``) or make (``rwc``) it; rows go by column name.

    ``program`` owns the file and keeps it at ``place``.

    Raises:
        NotFound: there is none.
        BadInput: it is no SQLite file, damaged, locked, or closed to us.
    """
    if mode != "rwc" and not path.is_file():
        raise NotFound(f"There is no file {path}.", hint=f"{program} keeps it as {place}.")
    with told_plainly(path, program=program), closing(_connect(path, mode)) as connection:
        connection.row_factory = sqlite3.Row
        yield connection


@contextmanager
def told_plainly(path: Path, *, program: str) -> Generator[None]:
    """Raise errors of SQLite inside the block as ours, in plain words."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in _LOCKED:
            raise BadInput(
                f"{path} is locked by another program.",
                hint=f"End {program}, then try again; nothing was changed.",
            ) from error
        if code in _BROKEN:
            raise BadInput(
                f"{path} is no SQLite file, or a damaged one: {error}.",
                hint="`sqlite3 FILE .recover` may save what is left of a damaged one.",
            ) from error
        if code == sqlite3.SQLITE_FULL:
            raise DiskFull(f"The disk of {path} is full; nothing of it was kept.") from error
        raise BadInput(f"{path} cannot be used: {error}.", hint="Look at its mode and owner.") from error


def _connect(path: Path, mode: str) -> Connection:
    return sqlite3.connect(
        f"file:{quote(str(path.resolve()))}?mode={mode}",
        uri=True,
        timeout=_LOCK_SECONDS,
        isolation_level=None,
        check_same_thread=False,  # one thread at a time, though not always the same
    )
