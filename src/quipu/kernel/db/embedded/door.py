"""Address of a server: a Unix socket, or the loopback address where there are none."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TypeVar

import psycopg
from psycopg.abc import PQGen
from psycopg.conninfo import make_conninfo
from psycopg.rows import TupleRow

from quipu.kernel.db.connection import INTERVAL_SECONDS, LEAST_SECONDS, end, limited
from quipu.kernel.db.errors import Unanswered

_RV = TypeVar("_RV")
ADMIN_ROLE = "quipu_admin"
DATABASE = "quipu"
SOCKET_PORT = 5432  # names the socket file; nothing listens on the network
LOOPBACK = "127.0.0.1"
_CONNECT_SECONDS = 10
_KNOCK_SECONDS = 3
_ALIVE_BUT_FULL = ("too many clients", "remaining connection slots")
_COMING_OR_GOING = ("is starting up", "is shutting down", "not yet accepting connections", "in recovery mode")


class ConnectionAttempt(Enum):
    """Outcome of a connection attempt."""

    READY = "ready"
    FULL = "full"
    BUSY = "busy"
    REFUSED = "refused"
    SILENT = "silent"
    MUTE = "mute"  # it lets us in and says nothing


class BlockingConnection(psycopg.Connection[TupleRow]):
    """Blocking connection that does not wait for ever for an answer."""

    answer_seconds: float = LEAST_SECONDS

    def wait(self, gen: PQGen[_RV], interval: float = INTERVAL_SECONDS, timeout: float | None = None) -> _RV:
        """Run ``gen`` to its end and return its result.

        Raises:
            Unanswered: nothing came in time.
        """
        if timeout is not None:
            return super().wait(gen, interval, timeout)
        try:
            return super().wait(limited(gen, self.answer_seconds), interval)
        except Unanswered:
            self.pgconn.finish()
            end(gen)
            raise


@dataclass(frozen=True, slots=True)
class Door:
    """Host (a socket directory or an address) and port; who must stand behind it, or the password file."""

    host: str
    port: int
    served_by: str | None = None
    password_file: Path | None = None

    def conninfo(self, dbname: str) -> str:
        """Return a libpq connection string of the administrator.

        It sets what ``PG*`` variables could turn against a local server: PGHOSTADDR alone would lead the
        connection to another machine. ``requirepeer`` refuses a socket that another user put there.
        """
        return make_conninfo(
            host=self.host,
            hostaddr="",
            port=self.port,
            user=ADMIN_ROLE,
            dbname=dbname,
            requirepeer=self.served_by,
            passfile=None if self.password_file is None else str(self.password_file),
            sslmode="disable",
            gssencmode="disable",
            channel_binding="disable" if self.password_file is None else "prefer",
            target_session_attrs="any",
            client_encoding="utf8",
        )


def enter(door: Door, dbname: str = "postgres", *, answer_seconds: float | None = None) -> BlockingConnection:
    """Connect as the administrator, in autocommit mode, without waiting for ever.

    Raises:
        psycopg.OperationalError: nobody answers, or not to us.
    """
    conn = BlockingConnection.connect(
        door.conninfo(dbname), autocommit=True, connect_timeout=_CONNECT_SECONDS
    )
    if answer_seconds is not None:
        conn.answer_seconds = answer_seconds
    return conn


def knock(door: Door) -> ConnectionAttempt:
    """Try to connect as the administrator: a server lives when a connection answers."""
    try:
        psycopg.connect(door.conninfo("postgres"), connect_timeout=_KNOCK_SECONDS).close()
    except psycopg.errors.ConnectionTimeout:
        return ConnectionAttempt.MUTE
    except psycopg.OperationalError as error:
        return read_refusal(str(error))
    return ConnectionAttempt.READY


def read_refusal(message: str) -> ConnectionAttempt:
    """Read the state of the server from a failed connection's message, which is English: its locale is C."""
    if any(words in message for words in _COMING_OR_GOING):
        return ConnectionAttempt.BUSY
    if any(words in message for words in _ALIVE_BUT_FULL):
        return ConnectionAttempt.FULL
    refused = "FATAL" in message or "requirepeer" in message
    return ConnectionAttempt.REFUSED if refused else ConnectionAttempt.SILENT
