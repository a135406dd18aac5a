"""Test of a connection that nobody used for a while: does it still answer?"""

from __future__ import annotations

import time
from selectors import EVENT_READ, DefaultSelector
from typing import Any, Final
from weakref import WeakKeyDictionary

from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool

from quipu.kernel.db.deadline import HEAR_SECONDS, Connection, tx

_SECONDS: Final = 1.0

_used: WeakKeyDictionary[AsyncConnection[Any], float] = WeakKeyDictionary()  # monotonic seconds


def used(conn: AsyncConnection[Any]) -> None:
    """Note that the connection answered just now."""
    _used[conn] = time.monotonic()


async def check(conn: Connection) -> None:
    """Check that a connection lives. One that answered a moment ago and is silent since is not asked.

    Raises:
        psycopg.OperationalError: it does not.
    """
    if time.monotonic() - _used.get(conn, -_SECONDS) >= _SECONDS or _stirs(conn):
        await hear(conn)


async def hear(conn: Connection) -> None:
    """Ask it something, and wait for a moment only: a pool asks all that it has, one after the other.

    Raises:
        psycopg.OperationalError: it gave no answer.
    """
    with tx(conn, HEAR_SECONDS):
        await AsyncConnectionPool.check_connection(conn)


def _stirs(conn: AsyncConnection[Any]) -> bool:
    """Return True if the server said something unasked: as a rule that it ended the session."""
    with DefaultSelector() as selector:
        selector.register(conn.fileno(), EVENT_READ)
        return bool(selector.select(0))
