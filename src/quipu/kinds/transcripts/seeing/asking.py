"""Answering a query in SQL: one statement that reads, at most so many rows, for at most so many seconds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any, Final, cast

import psycopg
from anyio import fail_after
from psycopg import errors as pg

from quipu.errors import BadInput, DatabaseError, QuipuError
from quipu.kernel.db.database import Connection, Database
from quipu.kernel.db.errors import translate
from quipu.kinds.transcripts.seeing.model import Answer
from quipu.kinds.transcripts.seeing.reader import reader

_GRACE_SECONDS: Final = 5
_TABLES: Final = "`quipu transcripts schema` lists what can be asked for."
_READING: Final = "A query is one select; it reads views and tables of schema transcripts and nothing else."


async def ask(database: Database, space: str, statement: object, *, limit: int, seconds: float) -> Answer:
    """The rows of a statement.

    Raises:
        BadInput: the server refuses the statement; the message is the server's.
        DatabaseError: it took too long.
    """
    if not isinstance(statement, str) or not statement.strip() or "\0" in statement:
        raise BadInput("give a select.", field="sql", hint=_TABLES)
    try:
        with fail_after(seconds + _GRACE_SECONDS):
            async with reader(database, space, seconds=seconds) as conn:
                return Answer((), (), False) if conn is None else await _rows(conn, statement, limit)
    except TimeoutError as error:
        raise _too_slow(seconds) from error
    except pg.QueryCanceled as error:
        raise _too_slow(seconds) from error
    except psycopg.Error as error:
        raise _refusal(error) from error


async def _rows(conn: Connection, statement: str, limit: int) -> Answer:
    """One fetch and no more: a query may change its time limit, which then holds for the next."""
    async with conn.transaction(force_rollback=True), conn.cursor(name="answer") as cursor:
        await cursor.execute(statement.strip().rstrip(";").encode())
        found = await cursor.fetchmany(limit + 1)
        columns = tuple(column.name for column in cursor.description or ())
    rows = tuple(tuple(_plain(value) for value in row) for row in found[:limit])
    return Answer(columns, rows, len(found) > limit)


def _too_slow(seconds: float) -> DatabaseError:
    return DatabaseError(
        f"The query took longer than {seconds:g} seconds.", hint="Ask for less, or raise --seconds."
    )


def _refusal(error: psycopg.Error) -> QuipuError:
    said = error.diag.message_primary
    match error:
        case pg.UndefinedTable() | pg.UndefinedColumn() | pg.InvalidSchemaName():
            return BadInput(f"{said}.", field="sql", hint=_TABLES)
        case pg.InsufficientPrivilege() | pg.ReadOnlySqlTransaction() | pg.FeatureNotSupported():
            return BadInput(f"{said}.", field="sql", hint=_READING)
        case psycopg.OperationalError():
            return translate(error)
        case _:
            told = said or str(error).strip().rstrip(".")
            return BadInput(f"{told}.", field="sql", hint=error.diag.message_hint or _READING)


def _plain(value: Any) -> Any:
    """A value of PostgreSQL as JSON knows it; what has no form there is text."""
    match value:
        case None | bool() | int() | float() | str() | datetime():
            return value
        case date():
            return value.isoformat()
        case timedelta():
            return value.total_seconds()
        case bytes():
            return value.hex()
        case Mapping():
            return {str(k): _plain(v) for k, v in cast("Mapping[Any, Any]", value).items()}
        case Sequence():
            return [_plain(one) for one in cast("Sequence[Any]", value)]
        case _:
            return str(value)
