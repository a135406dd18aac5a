"""The one place where errors of PostgreSQL become ours."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

import psycopg
from psycopg import errors as pg

from quipu.errors import (
    DatabaseError,
    DatabaseUnavailable,
    DatabaseUnsuitable,
    DataDamaged,
    DiskFull,
    QuipuError,
)
from quipu.kernel.db.deadline import Unanswered


@contextmanager
def translated() -> Generator[None]:
    """Errors of psycopg inside the block leave it as ours, with the original as their cause."""
    try:
        yield
    except psycopg.Error as error:
        raise translate(error) from error


def translate(error: psycopg.Error) -> QuipuError:
    """Our error for one of psycopg's: what happened in one sentence, and the way out."""
    said = str(error).strip().splitlines()
    first = said[0] if said else type(error).__name__
    match error:
        case Unanswered():
            return DatabaseUnavailable(
                f"The database does not answer: {first}.",
                hint="`quipu doctor` explains its state; QUIPU_ANSWER_SECONDS is how long we wait.",
            )
        case pg.DataCorrupted() | pg.IndexCorrupted():
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
            return DatabaseError(
                f"The statement took too long: {first}",
                hint="Raise QUIPU_STATEMENT_SECONDS if this was expected.",
            )
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


def _where(text: str) -> str:
    if "password authentication failed" in text or "no password supplied" in text:
        return "Check user and password in QUIPU_DATABASE_URL."
    if "database" in text and "does not exist" in text:
        return "Create it first: createdb --encoding UTF8 NAME, or correct QUIPU_DATABASE_URL."
    if "No space left" in text:
        return "Make room on the disk and try again."
    return "Is the server running? `quipu doctor` explains its state."
