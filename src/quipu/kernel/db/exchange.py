"""One statement as somebody wrote it, sent to the server, and what comes back: so many rows, so many bytes.

The statement goes out in the extended protocol, which takes exactly one; rows come back one by one and are
counted before they are read, so that neither a million rows nor a row of a gigabyte fills our memory.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import psycopg
from anyio import CancelScope, wait_readable, wait_writable
from psycopg import pq
from psycopg.adapt import Transformer
from psycopg.errors import error_from_result

from quipu.errors import BadInput
from quipu.kernel.db.connection import Connection
from quipu.kernel.db.plain import plain

_MORE_IN_A_ROW: Final = 3_000_000  # bytes beyond those that are kept; more may have come between two looks
_CANCEL_SECONDS: Final = 1.0
_COPY: Final = (pq.ExecStatus.COPY_IN, pq.ExecStatus.COPY_OUT, pq.ExecStatus.COPY_BOTH)


@dataclass(frozen=True, slots=True)
class Received:
    """Answer of the database: ``limited`` if there was more, ``full`` if the limit of bytes ended it.

    ``status`` is PostgreSQL's word for what was done, ``touched`` the number of rows.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    limited: bool
    full: bool
    status: str
    touched: int


class _Taking:
    """Takes results as they come until there are enough of them."""

    def __init__(self, conn: Connection, most: int, most_bytes: float) -> None:
        self._reading = Transformer(conn)
        self._most = most
        self.left = most_bytes
        self.columns: tuple[str, ...] = ()
        self.rows: list[tuple[Any, ...]] = []
        self.status, self.touched = "", 0
        self.limited = self.full = False

    def take(self, result: pq.abc.PGresult) -> None:
        """Take the rows of a result.

        Raises:
            psycopg.Error: it is an error.
            BadInput: it asks for more than an answer, or a value is nested too deeply.
        """
        if result.status in _COPY:
            raise BadInput(
                "COPY cannot be used here.", field="sql", hint="Use insert with many rows, or query."
            )
        if result.status in {pq.ExecStatus.FATAL_ERROR, pq.ExecStatus.BAD_RESPONSE}:
            raise error_from_result(result)
        self.status = (result.command_status or b"").decode() or self.status
        self.touched = result.command_tuples or self.touched
        if not self.columns and result.nfields:
            self.columns = tuple((result.fname(n) or b"").decode() for n in range(result.nfields))
        if result.nfields:
            self._reading.set_pgresult(result)
            for place in range(result.ntuples):
                self._add(result, place)

    def _add(self, result: pq.abc.PGresult, place: int) -> None:
        self.limited = self.limited or len(self.rows) == self._most
        if self.limited:
            return
        self.left -= sum(len(result.get_value(place, n) or b"") for n in range(result.nfields))
        if self.left < 0:
            self.overflow()
            return
        self.rows.append(tuple(map(plain, self._reading.load_row(place, tuple) or ())))

    def overflow(self) -> None:
        """Note that there are more bytes than are kept."""
        self.limited = self.full = True

    def received(self) -> Received:
        """Return the rows taken so far as an answer."""
        return Received(
            self.columns,
            tuple(self.rows),
            self.limited,
            self.full,
            self.status,
            self.touched or len(self.rows),
        )


async def exchange(
    conn: Connection,
    statement: str,
    values: Sequence[str] = (),
    *,
    most: int,
    most_bytes: float,
    all_of_it: bool = False,
) -> Received:
    """Run the statement; return the first ``most`` of its rows that fit in ``most_bytes``.

    ``values`` are its parameters, of whatever type their places have. The rest of the rows is given up, and
    the statement with it, unless ``all_of_it`` is to be done. After an error, and after a row that is too
    large to be read, the connection is closed.

    Raises:
        psycopg.Error: the server refused it, or a value has no form in Python.
        BadInput: it was no statement with an answer, or a value is nested too deeply.
    """
    try:
        return await _exchanged(conn, statement, values, _Taking(conn, most, most_bytes), all_of_it=all_of_it)
    except BaseException as error:
        if not isinstance(error, psycopg.Error) or error.sqlstate is None:  # it goes on in the server
            with CancelScope(shield=True), suppress(psycopg.Error):
                await conn.cancel_safe(timeout=_CANCEL_SECONDS)
        conn.pgconn.finish()
        raise


async def _exchanged(
    conn: Connection, statement: str, values: Sequence[str], taking: _Taking, *, all_of_it: bool
) -> Received:
    pgconn = conn.pgconn
    most_in_a_row = taking.left + _MORE_IN_A_ROW
    pgconn.send_query_params(statement.encode(), [value.encode() for value in values] or None)
    pgconn.set_single_row_mode()
    while pgconn.flush():
        await wait_writable(pgconn.socket)
    given_up = False
    while await _has_come(conn, most_in_a_row):
        result = pgconn.get_result()
        if result is None:
            return taking.received()
        if given_up:
            continue
        taking.take(result)
        if taking.limited and not all_of_it:
            given_up = True
            await conn.cancel_safe(timeout=5)
    taking.overflow()
    return taking.received()


async def _has_come(conn: Connection, most_in_a_row: float) -> bool:
    """Wait for a result; False where it is too large to be read, after which the connection is closed."""
    pgconn = conn.pgconn
    came = 0
    while pgconn.is_busy():
        await wait_readable(pgconn.socket)
        came += _waiting_bytes(pgconn.socket)
        if came > most_in_a_row:
            await conn.close()
            return False
        pgconn.consume_input()
    return True


if sys.platform == "win32":

    def _waiting_bytes(descriptor: int) -> int:  # noqa: ARG001 - the system does not tell
        return 0

else:
    import array
    import fcntl
    import termios

    def _waiting_bytes(descriptor: int) -> int:
        """Count the bytes that have arrived and are not read yet."""
        count = array.array("i", [0])
        fcntl.ioctl(descriptor, termios.FIONREAD, count)
        return count[0]
