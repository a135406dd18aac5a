"""One statement as an agent wrote it, sent to the server, and what comes back: so many rows, so many bytes.

The statement goes out in the extended protocol, which takes exactly one; rows come back one by one and are
counted before they are read, so that neither a million rows nor a row of a gigabyte fills our memory.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from anyio import wait_readable, wait_writable
from psycopg import pq
from psycopg.adapt import Transformer
from psycopg.errors import error_from_result

from quipu.errors import BadInput
from quipu.kernel.db.database import Connection
from quipu.kinds.tables.values import plain, size

MOST_BYTES: Final = 1_000_000
_MOST_IN_A_ROW: Final = 4_000_000  # bytes seen waiting; more may have come between two looks
_COPY: Final = (pq.ExecStatus.COPY_IN, pq.ExecStatus.COPY_OUT, pq.ExecStatus.COPY_BOTH)


@dataclass(frozen=True, slots=True)
class Rows:
    """What came back: ``limited`` where there was more, ``full`` where the bytes were what bound it.

    ``status``: PostgreSQL's word for what was done; ``touched``: how many rows that were.
    """

    columns: tuple[str, ...]
    rows: tuple[Mapping[str, Any], ...]
    limited: bool
    full: bool
    status: str
    touched: int


class _Taking:
    """Takes results as they come until there are enough of them."""

    def __init__(self, conn: Connection, most: int) -> None:
        self._reading = Transformer(conn)
        self._most = most
        self._bytes = 0
        self.columns: tuple[str, ...] = ()
        self.rows: list[Mapping[str, Any]] = []
        self.status, self.touched = "", 0
        self.limited = self.full = False

    def take(self, result: pq.abc.PGresult) -> None:
        """Take the rows of a result.

        Raises:
            psycopg.Error: it is an error.
            BadInput: it asks for more than an answer.
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
            self.columns = _names(result)
        if result.nfields:
            self._reading.set_pgresult(result)
            for place in range(result.ntuples):
                self._add(self._reading.load_row(place, tuple))

    def _add(self, row: tuple[Any, ...] | None) -> None:
        shown = dict(zip(self.columns, map(plain, row or ()), strict=True))
        self._bytes += sum(map(size, shown.values()))
        self.full = self.full or self._bytes > MOST_BYTES
        self.limited = self.limited or self.full or len(self.rows) == self._most
        if not self.limited:
            self.rows.append(shown)

    def answer(self) -> Rows:
        """What was taken."""
        return Rows(
            self.columns,
            tuple(self.rows),
            self.limited,
            self.full,
            self.status,
            self.touched or len(self.rows),
        )


async def exchange(
    conn: Connection, statement: str, values: Sequence[str] = (), *, most: int, all_of_it: bool = False
) -> Rows:
    """Run the statement; the first ``most`` of its rows that fit in ``MOST_BYTES``.

    ``values`` are its parameters, of whatever type their places have. The rest of the rows is given up, and
    the statement with it, unless ``all_of_it`` is to be done. After a row that is too large to be read the
    connection is closed.

    Raises:
        psycopg.Error: the server refused it.
        BadInput: a row has too many bytes, or it was no statement with an answer.
    """
    pgconn = conn.pgconn
    pgconn.send_query_params(statement.encode(), [value.encode() for value in values] or None)
    pgconn.set_single_row_mode()
    while pgconn.flush():
        await wait_writable(pgconn.socket)
    taking = _Taking(conn, most)
    given_up = False
    while (result := await _next(conn)) is not None:
        if given_up:
            continue
        taking.take(result)
        if taking.limited and not all_of_it:
            given_up = True
            await conn.cancel_safe(timeout=5)
    if taking.full and not taking.rows and not all_of_it:  # it all came between two looks
        raise _too_large()
    return taking.answer()


async def _next(conn: Connection) -> pq.abc.PGresult | None:
    pgconn = conn.pgconn
    came = 0
    while pgconn.is_busy():
        await wait_readable(pgconn.socket)
        came += _waiting_bytes(pgconn.socket)
        if came > _MOST_IN_A_ROW:
            await conn.close()
            raise _too_large()
        pgconn.consume_input()
    return pgconn.get_result()


def _too_large() -> BadInput:
    return BadInput(
        "a row has more bytes than an answer can have.",
        field="sql",
        hint="Ask for less of it: left(…, 1000).",
    )


if sys.platform == "win32":

    def _waiting_bytes(descriptor: int) -> int:  # noqa: ARG001 - the system does not tell
        return 0

else:
    import array
    import fcntl
    import termios

    def _waiting_bytes(descriptor: int) -> int:
        """How many bytes have arrived and were not read yet."""
        count = array.array("i", [0])
        fcntl.ioctl(descriptor, termios.FIONREAD, count)
        return count[0]


def _names(result: pq.abc.PGresult) -> tuple[str, ...]:
    """Names of the columns; one that occurs again has a number."""
    names: list[str] = []
    for place in range(result.nfields):
        first = name = (result.fname(place) or b"").decode()
        again = 1
        while name in names:
            again += 1
            name = f"{first}_{again}"
        names.append(name)
    return tuple(names)
