"""Refusals by PostgreSQL, as errors of ours that say what to do instead. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import psycopg
from psycopg import errors as pg

from quipu.errors import BadInput, Conflict, LimitReached, QuipuError, TookTooLong
from quipu.kernel.db.errors import limit_reached, translate
from quipu.kinds.tables.model import Schema
from quipu.kinds.tables.names import PROTECTED, nearest

_SPATIAL: Final = re.compile(r"\b(geography|geometry|st_\w+|box[23]d)\b", re.IGNORECASE)
_QUOTED: Final = re.compile(r'"([^"]+)"')
_UNKNOWN: Final = re.compile(r'(?:column|relation|table|type|field|function) "?([\w.]+)"?')
_POSTGIS: Final = "PostGIS is not on this server: keep latitude and longitude in two numeric columns."
_ONE: Final = "Send one statement a call."
_ENGINES: Final = (
    f"{' and '.join(PROTECTED)} are the engine's: rows can be inserted and updated, nothing else. Vectors"
    " come and go with the rows, and with embeddable_fields in schema_registry."
)


@dataclass(frozen=True, slots=True)
class Asked:
    """Request behind a refusal, as far as its message needs it.

    ``field``: of the call, which the message names; ``columns`` and ``tables``: what there is, to name the
    nearest; ``seconds``: how long it could take.
    """

    schema: Schema
    field: str
    seconds: float = 0
    reads: bool = False
    tables: Sequence[str] = ()
    columns: Sequence[str] = ()


def refusal(error: psycopg.Error, asked: Asked) -> QuipuError:
    """Return our error for one of PostgreSQL's."""
    said = (error.diag.message_primary or str(error).strip().splitlines()[0]).rstrip(".")
    hint, last = error.diag.message_hint, _fallback(asked)
    if _spatial(error, said):
        return BadInput(f"{said}.", field=asked.field, hint=_POSTGIS)
    if _of_the_engine(error, said):
        return BadInput(f"{said}.", field=asked.field, hint=_ENGINES)
    match error:
        case pg.AdminShutdown() | pg.CrashShutdown() | pg.CannotConnectNow():
            return translate(error)
        case pg.QueryCanceled():
            return LimitReached(
                f"it took longer than {asked.seconds:g} seconds and was ended.",
                field=asked.field,
                hint="Nothing was changed. Ask for less at once.",
            )
        case psycopg.Error() if (limit := limit_reached(error, field=asked.field)) is not None:
            return limit
        case pg.UniqueViolation() | pg.ExclusionViolation():
            return Conflict(_with_detail(said, error), field=asked.field, hint="Update that row instead.")
        case pg.IntegrityError():
            return BadInput(_with_detail(said, error), field=asked.field, hint=hint or last)
        case pg.UndefinedColumn():
            return BadInput(
                f"{said}.", field=asked.field, hint=_near(said, asked.columns) or hint or _fallback(asked)
            )
        case pg.UndefinedTable() | pg.InvalidSchemaName() | pg.UndefinedObject():
            return BadInput(
                f"{said}.", field=asked.field, hint=_where(said, asked) or hint or _fallback(asked)
            )
        case pg.InsufficientPrivilege() | pg.ReadOnlySqlTransaction():
            return BadInput(f"{said}.", field=asked.field, hint=_may(said, asked))
        case pg.SyntaxError() if "multiple commands" in said:
            return BadInput("there is more than one statement.", field=asked.field, hint=_ONE)
        case pg.LockNotAvailable() | pg.DeadlockDetected() | pg.SerializationFailure():
            return TookTooLong(
                f"{asked.field}: the tables of {asked.schema.schema_name} are in use ({said}).",
                hint="Nothing was changed; try again.",
            )
        case pg.DiskFull() | pg.TooManyConnections():
            return translate(error)
        case psycopg.OperationalError() if error.diag.sqlstate is None:
            return translate(error)
        case _:
            return BadInput(_with_detail(said, error), field=asked.field, hint=hint or last)


def _spatial(error: psycopg.Error, said: str) -> bool:
    missing = isinstance(error, (pg.UndefinedObject, pg.UndefinedFunction))
    return missing and _SPATIAL.search(said) is not None


def _of_the_engine(error: psycopg.Error, said: str) -> bool:
    """Return True if it is about the engine's own, where PostgreSQL's hints ("Use DROP VIEW") mislead."""
    refused = isinstance(
        error, (pg.InsufficientPrivilege, pg.ObjectNotInPrerequisiteState, pg.WrongObjectType)
    )
    return refused and any(name in said for name in PROTECTED)


def _with_detail(said: str, error: psycopg.Error) -> str:
    detail = error.diag.message_detail
    return (
        f"{said}."
        if not detail or detail.startswith("Failing row")
        else f"{said}: {detail.rstrip('.')[:500]}."
    )


def _near(said: str, known: Sequence[str]) -> str | None:
    match = _UNKNOWN.search(said)
    return nearest(match[1].rsplit(".", 1)[-1], list(known)) if match and known else None


def _where(said: str, asked: Asked) -> str | None:
    schema = asked.schema.schema_name
    match = _QUOTED.search(said)
    if match and "." in match[1] and match[1].split(".")[0] != schema:
        return f"The schema is called {schema} in this space; without a schema in front it is found as well."
    return _near(said, asked.tables)


def _may(said: str, asked: Asked) -> str:
    schema = asked.schema.schema_name
    if "schema memory" in said and schema != "memory":
        return f"In this space the schema is called {schema}; leave it out, or write that."
    if asked.reads:
        return (
            f"A query only reads, and only what is in {schema}: memory:schema:list-tables has its tables and"
            " columns. To change rows: insert, update, delete."
        )
    return f"Everything in {schema} is yours; nothing else is."


def _fallback(asked: Asked) -> str:
    if asked.field != "sql":
        return "Nothing was changed. The columns with their types: memory:schema:list-tables"
    return f"Nothing was changed. Tables are found in {asked.schema.schema_name}, one statement a call."
