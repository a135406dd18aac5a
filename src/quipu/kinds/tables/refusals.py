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
from quipu.kinds.tables.model import StoredSchema
from quipu.kinds.tables.names import DEFAULT, PROTECTED, nearest
from quipu.kinds.tables.scan import qualified

_SPATIAL: Final = re.compile(r"\b(geography|geometry|st_\w+|box[23]d)\b", re.IGNORECASE)
_SCHEMA: Final = re.compile(
    r'\bschema "?(?P<alone>[a-z][\w$]*)"?|(?:function |")(?P<before>[a-z][\w$]*)\..* does not exist'
)
_MISSING: Final = (
    pg.UndefinedTable,
    pg.UndefinedObject,
    pg.UndefinedFunction,
    pg.InvalidSchemaName,
    pg.InsufficientPrivilege,
)
_RAISED: Final = "P0"  # an agent's own words
_OF_VALUES: Final = frozenset({"22", "23", _RAISED})  # classes of errors whose texts hold values
_UNKNOWN: Final = re.compile(r'(?:column|relation|table|type|field|function) "?([\w.]+)"?')
_POSTGIS: Final = "PostGIS is not on this server: keep latitude and longitude in two numeric columns."
_ONE: Final = "Send one statement a call."
_ENGINES: Final = (
    f"{' and '.join(PROTECTED)} are the engine's: rows can be inserted and updated, nothing else. Vectors"
    " come and go with the rows, and with embeddable_fields in schema_registry."
)


@dataclass(frozen=True, slots=True)
class Request:
    """Request behind a refusal, as far as its message needs it.

    ``field``: of the call, which the message names; ``statement``: what the agent sent; ``columns`` and
    ``tables``: what there is, to name the nearest; ``seconds``: how long it could take.
    """

    schema: StoredSchema
    field: str
    seconds: float = 0
    statement: str = ""
    reads: bool = False
    tables: Sequence[str] = ()
    columns: Sequence[str] = ()


def refusal(error: psycopg.Error, request: Request) -> QuipuError:
    """Return our error for one of PostgreSQL's."""
    message = (error.diag.message_primary or str(error).strip().splitlines()[0]).rstrip(".")
    if (outside := _outside(error, message, request)) is not None:
        return outside
    message = _translated(error, message, request)
    hint, last = error.diag.message_hint, _fallback(request)
    hint = hint and _translated(error, hint, request)
    if _spatial(error, message):
        return BadInput(f"{message}.", field=request.field, hint=_POSTGIS)
    if _of_the_engine(error, message):
        return BadInput(f"{message}.", field=request.field, hint=_ENGINES)
    match error:
        case pg.AdminShutdown() | pg.CrashShutdown() | pg.CannotConnectNow():
            return translate(error)
        case pg.QueryCanceled():
            return LimitReached(
                f"it took longer than {request.seconds:g} seconds and was ended.",
                field=request.field,
                hint="Nothing was changed. Ask for less at once.",
            )
        case psycopg.Error() if (limit := limit_reached(error, field=request.field)) is not None:
            return limit
        case pg.UniqueViolation() | pg.ExclusionViolation():
            return Conflict(
                _with_detail(message, error, request), field=request.field, hint="Update that row instead."
            )
        case pg.IntegrityError():
            return BadInput(_with_detail(message, error, request), field=request.field, hint=hint or last)
        case pg.UndefinedColumn():
            return BadInput(
                f"{message}.",
                field=request.field,
                hint=_nearest_hint(message, request.columns) or hint or _fallback(request),
            )
        case pg.UndefinedTable() | pg.InvalidSchemaName() | pg.UndefinedObject():
            return BadInput(
                f"{message}.",
                field=request.field,
                hint=_nearest_hint(message, request.tables) or hint or _fallback(request),
            )
        case pg.InsufficientPrivilege() | pg.ReadOnlySqlTransaction():
            return BadInput(f"{message}.", field=request.field, hint=_allowed(request))
        case pg.SyntaxError() if "multiple commands" in message:
            return BadInput("there is more than one statement.", field=request.field, hint=_ONE)
        case pg.LockNotAvailable() | pg.DeadlockDetected() | pg.SerializationFailure():
            return TookTooLong(
                f"{request.field}: the tables of {request.schema.name} are in use ({message}).",
                hint="Nothing was changed; try again.",
            )
        case pg.DiskFull() | pg.TooManyConnections():
            return translate(error)
        case psycopg.OperationalError() if error.diag.sqlstate is None:
            return translate(error)
        case _:
            return BadInput(_with_detail(message, error, request), field=request.field, hint=hint or last)


def _spatial(error: psycopg.Error, message: str) -> bool:
    missing = isinstance(error, (pg.UndefinedObject, pg.UndefinedFunction))
    return missing and _SPATIAL.search(message) is not None


def _of_the_engine(error: psycopg.Error, message: str) -> bool:
    """Return True if it is about the engine's own, where PostgreSQL's hints ("Use DROP VIEW") mislead."""
    refused = isinstance(
        error, (pg.InsufficientPrivilege, pg.ObjectNotInPrerequisiteState, pg.WrongObjectType)
    )
    return refused and any(name in message for name in PROTECTED)


def _with_detail(message: str, error: psycopg.Error, request: Request) -> str:
    detail = error.diag.message_detail
    if not detail or detail.startswith("Failing row"):
        return f"{message}."
    if _class(error) not in _OF_VALUES:
        detail = request.schema.names.in_message(detail)
    return f"{message}: {detail.rstrip('.')[:500]}."


def _translated(error: psycopg.Error, text: str, request: Request) -> str:
    """Return PostgreSQL's message with the names that callers know. The values that it quotes stay."""
    if _class(error) not in _OF_VALUES:
        return request.schema.names.in_message(text)
    if _class(error) == _RAISED:
        return text
    before, quote, after = text.partition('"')
    return request.schema.names.in_message(before) + quote + after


def _class(error: psycopg.Error) -> str:
    return (error.sqlstate or "")[:2]


def _outside(error: psycopg.Error, message: str, request: Request) -> BadInput | None:
    """Return the error for a name with a schema in front that is not found under it; None for others.

    Whether another schema of that name exists is not told: it would be that of somebody else.
    """
    if not isinstance(error, _MISSING):
        return None
    match = _SCHEMA.search(message)
    outer = (match["alone"] or match["before"]) if match else request.schema.schema_name
    if outer == request.schema.schema_name:
        return None
    if (outer.removeprefix(f"{DEFAULT}_") or outer) != request.schema.name:
        if outer != DEFAULT and not outer.startswith(f"{DEFAULT}_"):
            return None
        return BadInput(
            "a schema that stands in front of a name is not there, or is not yours.",
            field=request.field,
            hint=_allowed(request),
        )
    names = [name for schema, name in qualified(request.statement) if schema == outer]
    written = ", ".join(dict.fromkeys(names)) or f"names without {outer}. in front"
    return BadInput(
        f"SQL does not know this schema as {outer}.",
        field=request.field,
        hint=f"Write {written}: tables are found without a schema in front.",
    )


def _nearest_hint(message: str, known: Sequence[str]) -> str | None:
    match = _UNKNOWN.search(message)
    return nearest(match[1].rsplit(".", 1)[-1], list(known)) if match and known else None


def _allowed(request: Request) -> str:
    schema = request.schema.name
    if request.reads:
        return (
            f"A query only reads, and only what is in {schema}: memory:schema:list-tables has its tables and"
            " columns. To change rows: insert, update, delete."
        )
    return f"Everything in {schema} is yours; nothing else is."


def _fallback(request: Request) -> str:
    if request.field != "sql":
        return "Nothing was changed. The columns with their types: memory:schema:list-tables"
    return f"Nothing was changed. Tables are found in {request.schema.name}, one statement a call."
