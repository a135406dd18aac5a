"""Work of others that is bounded in time, whatever it says."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

import psycopg
from anyio import CancelScope, move_on_after
from psycopg import errors as pg

from quipu.kernel.db import queries
from quipu.kernel.db.connection import enduring
from quipu.kernel.db.database import Connection, Database
from quipu.kernel.db.errors import Unanswered

_GRACE_SECONDS: Final = 3.0
_SQL = queries.load("quipu.kernel.db")
_T = TypeVar("_T")


async def bounded(
    database: Database, conn: Connection, seconds: float, work: Callable[[], Awaitable[_T]]
) -> _T:
    """Return the result of ``work``; a session that outlasts its time is ended from outside.

    ``statement_timeout`` comes first, but a statement can be written so that it outlives it. One that turns
    an array into text ignores both until that is done: it is left behind.

    Raises:
        QueryCanceled: it was ended, or is left behind.
        Unanswered: nobody could be told to end it; the connection is closed.
    """
    ends: list[asyncio.Future[None]] = []
    pid = conn.info.backend_pid

    def end() -> None:
        ends.append(asyncio.ensure_future(_end(database, pid)))

    # A timer and not a task that sleeps: hardly any call gets there, and every call would pay for the task.
    timer = asyncio.get_running_loop().call_later(seconds + _GRACE_SECONDS, end)
    most = seconds + 2 * _GRACE_SECONDS
    try:
        # The server, or we from outside, end it when its time is over.
        with move_on_after(most), enduring(conn):
            return await work()
        conn.pgconn.finish()
        if None in await asyncio.gather(*ends, return_exceptions=True):  # the server heard us
            raise pg.QueryCanceled("the statement took too long")
        raise Unanswered(most)
    except Unanswered:
        raise
    except psycopg.OperationalError as error:
        if ends and error.sqlstate is None:  # it was ended while it sent, and could not say so any more
            raise pg.QueryCanceled("the statement took too long") from error
        raise
    finally:
        timer.cancel()
        with CancelScope(shield=True):
            await asyncio.gather(*ends, return_exceptions=True)


async def _end(database: Database, pid: int) -> None:
    async with database.owner() as owner:
        await owner.execute(_SQL["terminate"], {"pid": pid})
