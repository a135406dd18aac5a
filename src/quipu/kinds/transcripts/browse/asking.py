"""Answering a query in SQL: one statement that reads; rows, bytes and seconds are bounded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import psycopg
from anyio import fail_after
from psycopg import errors as pg
from psycopg import sql

from quipu.errors import BadInput, LimitReached, QuipuError
from quipu.kernel.db.database import Connection
from quipu.kernel.db.errors import limit_reached, translate
from quipu.kernel.db.exchange import exchange
from quipu.kernel.db.tokens import refuse_numbered
from quipu.kinds.transcripts.browse.model import QueryRows
from quipu.kinds.transcripts.browse.reader import LOCK_SECONDS, Readers

_GRACE_SECONDS: Final = 5
_FETCH: Final = sql.SQL("fetch forward {} from answer")
_TABLES: Final = "The schema lists what can be asked for."
_READING: Final = "A query is one select; it reads views and tables of schema transcripts and nothing else."


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """Limits of an answer, in size and time."""

    rows: int
    megabytes: float
    seconds: float


async def ask(readers: Readers, space: str, statement: object, bounds: Bounds) -> QueryRows:
    """Return the rows of a statement.

    Raises:
        BadInput: the server refuses the statement; the message is the server's. Or its first row is too long.
        LimitReached: it took too long, or needs too much.
        TooManyRequests: too many queries run already.
    """
    if not isinstance(statement, str) or not statement.strip() or "\0" in statement:
        raise BadInput("give a select.", field="sql", hint=_TABLES)
    try:
        statement.encode()
    except UnicodeEncodeError:
        raise BadInput("it has half a character in it.", field="sql") from None
    refuse_numbered(statement)
    try:
        async with readers.turns.take(space):
            with fail_after(bounds.seconds + _GRACE_SECONDS):
                async with readers.connect(space, seconds=bounds.seconds) as conn:
                    return QueryRows((), (), False) if conn is None else await _rows(conn, statement, bounds)
    except TimeoutError as error:
        raise _too_slow(bounds.seconds) from error
    except pg.QueryCanceled as error:
        raise _too_slow(bounds.seconds) from error
    except psycopg.Error as error:
        raise _refusal(error) from error


async def _rows(conn: Connection, statement: str, bounds: Bounds) -> QueryRows:
    """Fetch once and no more: a query may change its time limit, which then holds for the next."""
    async with conn.transaction(force_rollback=True), conn.cursor(name="answer") as declared:
        await declared.execute(statement.strip().rstrip(";").encode())
        columns = tuple(column.name for column in declared.description or ())
        got = await exchange(
            conn,
            _FETCH.format(bounds.rows + 1).as_string(conn),
            most=bounds.rows,
            most_bytes=bounds.megabytes * 1e6,
        )
    if got.full and not got.rows:
        raise LimitReached(
            f"its first row has more than {bounds.megabytes:g} MB.",
            field="sql",
            hint="Ask for less of it, as left(content, 1000); or allow more megabytes.",
        )
    cut_by = "megabytes" if got.full else "limit" if got.limited else None
    return QueryRows(columns, got.rows, got.limited, cut_by)


def _too_slow(seconds: float) -> LimitReached:
    return LimitReached(
        f"it took longer than {seconds:g} seconds.", field="sql", hint="Ask for less, or allow more seconds."
    )


def _refusal(error: psycopg.Error) -> QuipuError:
    said = error.diag.message_primary
    limit = limit_reached(error, field="sql")
    if limit is not None:
        return limit
    match error:
        case pg.UndefinedTable() | pg.UndefinedColumn() | pg.InvalidSchemaName():
            return BadInput(f"{said}.", field="sql", hint=_TABLES)
        case pg.InsufficientPrivilege() | pg.ReadOnlySqlTransaction() | pg.FeatureNotSupported():
            return BadInput(f"{said}.", field="sql", hint=_READING)
        case psycopg.OperationalError():
            return translate(error, seconds=LOCK_SECONDS)
        case _:
            told = said or str(error).strip().rstrip(".")
            return BadInput(f"{told}.", field="sql", hint=error.diag.message_hint or _READING)
