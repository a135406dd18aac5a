"""Opening and writing a file of the seed."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from quipu.errors import BadInput, Conflict
from quipu.kernel.base import sqlite
from quipu.kernel.db import queries
from quipu.kinds.longterm.sqlite.rules import written
from quipu.upkeep.exports.exports import Export

_ROWS: Final = queries.load("quipu.kinds.longterm.sqlite", folder="rows")
_SEED: Final = queries.load("quipu.kinds.longterm.sqlite", folder="seed")
_PROGRAM: Final = "Morpheus"
_PLACE: Final = "~/.morpheus/memory/sati-memory.db (or santi-memory.db)"
_NEEDED: Final = frozenset(("id", "category", "importance", "summary"))

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """Rows in a new file, rows left out because it has them already, and its export."""

    rows: int
    repeated: int
    export: Export


def read(path: Path) -> list[dict[str, Any]]:
    """Read every row of the file, as of one moment.

    Raises:
        NotFound: there is no such file.
        BadInput: it is no file of the seed, damaged, or locked.
    """
    with sqlite.opened(path, mode="ro", program=_PROGRAM, place=_PLACE) as connection:
        connection.execute("begin")
        columns = {row["name"] for row in connection.execute(_ROWS["columns"])}
        missing = _NEEDED - columns
        if missing:
            what = "table long_term_memory" if not columns else f"column long_term_memory.{min(missing)}"
            raise BadInput(
                f"{path} is no file of long-term memory: it has no {what}.",
                hint=f"{_PROGRAM} keeps it as {_PLACE}; nothing was changed.",
            )
        connection.text_factory = _text
        return [dict(row) for row in connection.execute(_ROWS["memories"])]


def write(path: Path, rows: Iterable[Row], *, noted: Callable[[Path], Export]) -> WrittenFile:
    """Write a new file; ``noted`` notes it as an export before it gets its name.

    Raises:
        Conflict: there is such a file already.
        BadInput, DiskFull: it cannot be written; nothing is left of it.
    """
    if path.exists():
        raise Conflict(f"{path} is there already.", field="path", hint="Name another file.")
    made = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with sqlite.told_plainly(path, program=_PROGRAM):
            with closing(sqlite3.connect(made, isolation_level=None)) as connection:
                put, repeated = _fill(connection, rows)
            export = noted(made)
            made.replace(path)
    finally:
        made.unlink(missing_ok=True)
    return WrittenFile(put, repeated, export)


def _fill(connection: sqlite.Connection, rows: Iterable[Row]) -> tuple[int, int]:
    connection.execute("begin")
    for statement in sorted(_SEED, key=lambda name: name.startswith("idx_")):
        connection.execute(_SEED[statement])
    put = passed = 0
    for row in rows:
        values = {name: _plain(value) for name, value in row.items()}
        new = connection.execute(_ROWS["put"], values).rowcount > 0
        put, passed = put + new, passed + (not new)
    connection.execute("commit")
    return put, passed


def _plain(value: object) -> object:
    return written(value) if isinstance(value, datetime) else value


def _text(raw: bytes) -> str:
    """Decode UTF-8 and replace what is none: one bad byte must not cost the whole file."""
    return raw.decode("utf-8", "replace")
