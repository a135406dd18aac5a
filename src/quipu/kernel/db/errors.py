"""The one place where errors of PostgreSQL become ours."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

import psycopg
from psycopg import errors as pg

from quipu.errors import (
    BadInput,
    DatabaseError,
    DatabaseUnavailable,
    DatabaseUnsuitable,
    DataDamaged,
    DiskFull,
    LimitReached,
    QuipuError,
    TookTooLong,
)

_LIMITS: Final[Mapping[str, str]] = {
    "53200": "One process of the server may have so much memory and no more. Ask for fewer or shorter rows.",
    "53400": "A query may keep so much in temporary files and no more. Sort, join or group fewer rows.",
}
_MAYBE: Final = ("XX000", "22023", "2201B", "42601", "42P17")
_SIZES: Final = re.compile(
    r"(?i)invalid memory alloc|memory exhausted|out of memory|too (complex|large|many)|exceeds|string buffer"
)
_DATA_FILE: Final = re.compile(r'"(base|global|pg_tblspc)/')
_CROWDED: Final = ("too many clients", "too many connections", "remaining connection slots")


_WHO_HOLDS: Final = (
    "`select pid, state, xact_start, query from pg_stat_activity order by xact_start` shows who has a "
    "transaction open; pg_terminate_backend(pid) ends it."
)


class Unanswered(psycopg.OperationalError):
    """The server gave no answer in time, and the connection was closed."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"there was no answer within {seconds:g} seconds")


def translate(error: psycopg.Error, *, seconds: float | None = None) -> QuipuError:
    """Return our error for one of psycopg's: one sentence on what happened, and the way out.

    ``seconds`` is the time until then, if it is known.
    """
    lines = str(error).strip().splitlines()
    first = lines[0] if lines else type(error).__name__
    match error:
        case Unanswered():
            return DatabaseUnavailable(
                f"The database does not answer: {first}.",
                hint="`quipu doctor` explains its state; QUIPU_ANSWER_SECONDS is how long we wait.",
            )
        case psycopg.Error() if _is_damage(error, first):
            return DataDamaged(
                f"What is stored is damaged: {first}.",
                hint="Nothing was overwritten. Keep a copy of the data directory, then restore: "
                "`quipu backup restore` (docs/howto/backup.md), or `quipu snapshots restore` for an agent's "
                "tables. `quipu doctor --deep` reads everything.",
            )
        case pg.DiskFull():
            return DiskFull(hint="Make room on the disk and try again; what was stored before is untouched.")
        case pg.InvalidPassword() | pg.InvalidAuthorizationSpecification():
            return DatabaseUnavailable(
                f"The server refused us: {first}", hint="Check user and password in QUIPU_DATABASE_URL."
            )
        case pg.InvalidCatalogName():
            return DatabaseUnavailable(
                first, hint="Create it first: createdb NAME, or correct QUIPU_DATABASE_URL."
            )
        case pg.QueryCanceled():
            return TookTooLong(
                f"The statement took too long: {first}.",
                hint="Try again later, or ask for less; QUIPU_STATEMENT_SECONDS is the limit. Another "
                f"transaction may hold a lock that it waited for: {_WHO_HOLDS}",
            )
        case pg.LockNotAvailable():
            after = "" if seconds is None else f" after {seconds:.1f} seconds"
            return TookTooLong(
                f"Another transaction holds a lock that this needs; it was waited for in vain{after}.",
                hint=f"Nothing was changed; try again when it has ended. {_WHO_HOLDS}",
            )
        case psycopg.Error() if (limit := limit_reached(error)) is not None:
            return limit
        case pg.DataError():
            return BadInput(f"The database cannot take it: {first}.", hint="Nothing was changed.")
        case psycopg.OperationalError() if is_crowded(error):
            return DatabaseUnavailable("All connections of the server are taken.", hint="Try again later.")
        case pg.InsufficientPrivilege():
            return DatabaseUnsuitable(
                f"The database user lacks a right: {first}",
                hint="See docs/howto/server.md for what it needs.",
            )
        case pg.FeatureNotSupported() | pg.UndefinedFile() if "extension" in first:
            return DatabaseUnsuitable(
                f"The server lacks something: {first}.",
                hint="Install it there: pgvector 0.7 or newer, and PostgreSQL's contrib extensions.",
            )
        case pg.ReadOnlySqlTransaction() | pg.FeatureNotSupported() if "read" in first:
            return DatabaseUnsuitable(
                "The server is read-only.", hint="Point QUIPU_DATABASE_URL at the primary."
            )
        case pg.DeadlockDetected() | pg.SerializationFailure():
            return DatabaseError(
                f"Another transaction was in the way: {first}.", hint="Nothing was changed; try again."
            )
        case psycopg.OperationalError():
            return DatabaseUnavailable(f"The database does not answer: {first}", hint=_where(str(error)))
        case _:
            return DatabaseError(f"The database refused: {first}")


def _is_damage(error: psycopg.Error, message: str) -> bool:
    """Return True if stored data is damaged: a page, an index, or a missing file."""
    if isinstance(error, pg.UndefinedFile):
        return _DATA_FILE.search(message) is not None
    return isinstance(error, (pg.DataCorrupted, pg.IndexCorrupted))


def limit_reached(error: psycopg.Error, *, field: str | None = None) -> LimitReached | None:
    """Return our error for a statement that exceeds a limit; None if it is another fault."""
    message = (error.diag.message_primary or str(error).strip().partition("\n")[0]).rstrip(".")
    state = error.sqlstate or ""
    if state.startswith("54") or state in _LIMITS or (state in _MAYBE and _SIZES.search(message)):
        hint = _LIMITS.get(state, "Nothing was changed. Ask for less at once, or more simply.")
        return LimitReached(f"{message}.", field=field, hint=hint)
    return None


def is_crowded(error: psycopg.OperationalError) -> bool:
    """Return True if a server refused a connection because it, or the user, has too many."""
    return any(words in str(error) for words in _CROWDED)


def _where(text: str) -> str:
    if "password authentication failed" in text or "no password supplied" in text:
        return "Check user and password in QUIPU_DATABASE_URL."
    if "database" in text and "does not exist" in text:
        return "Create it first: createdb --encoding UTF8 NAME, or correct QUIPU_DATABASE_URL."
    if "No space left" in text:
        return "Make room on the disk and try again."
    return "Is the server running? `quipu doctor` explains its state."
