"""A connection for the SQL of others: of a role that can only read, kept to one space by a ticket.

Whatever such a query sets or calls, it stays what it is: the role owns nothing, belongs to no other role
and was not reached through a stronger one, and the policies of the tables ask for the ticket, which names
the space and was issued by somebody else. See docs/howto/transcripts-see.md.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

import psycopg
from anyio import CancelScope

from quipu.errors import DatabaseUnsuitable
from quipu.kernel.db import queries
from quipu.kernel.db.database import Connection, Database

_SQL = queries.load("quipu.kinds.transcripts.seeing")
_ROLE: Final = "quipu_see"
_SPARE_SECONDS: Final = 60
_OPTIONS: Final = (
    "-c default_transaction_read_only=on -c search_path=transcripts -c jit=off"
    " -c max_parallel_workers_per_gather=0 -c timezone=UTC -c client_encoding=UTF8"
    " -c application_name=quipu-query -c lock_timeout=2000"
)


@asynccontextmanager
async def reader(database: Database, space: str, *, seconds: float) -> AsyncGenerator[Connection | None]:
    """A connection that sees the space and may read what is in schema transcripts; None where there is none.

    A statement on it ends after so many seconds.

    Raises:
        DatabaseUnsuitable: the server does not let the role in, and we may not give it a password.
    """
    ticket = secrets.token_hex(32)
    async with database.space(space) as within:
        number = None if within is None else within.space.id
        if within is not None:
            values = {"space": number, "ticket": ticket, "seconds": seconds + _SPARE_SECONDS}
            await within.conn.execute(_SQL["issue_ticket"], values)
    if number is None:
        yield None
        return
    try:
        conn = await _connect(database, seconds=seconds)
        async with conn:
            milliseconds = str(int(seconds * 1000))
            values = {"space": str(number), "ticket": ticket, "milliseconds": milliseconds}
            await conn.execute(_SQL["present_ticket"], values)
            yield conn
    finally:
        with CancelScope(shield=True):
            async with database.space(space) as within:
                if within is not None:
                    await within.conn.execute(_SQL["take_ticket"], {"space": number, "ticket": ticket})


async def _connect(database: Database, *, seconds: float) -> Connection:
    try:
        return await _open(database, password="", seconds=seconds)
    except psycopg.OperationalError:
        return await _with_password(database, seconds=seconds)


async def _with_password(database: Database, *, seconds: float) -> Connection:
    """The role has a password for the moment: another process may need one of its own in the next."""
    password = secrets.token_urlsafe(32)
    async with database.owner() as owner:
        await owner.execute(_SQL["hold_reader"])
        try:
            secret = owner.pgconn.encrypt_password(password.encode(), _ROLE.encode(), b"scram-sha-256")
            await owner.execute(_SQL["reader_password"], {"secret": secret.decode()})
            conn = await _open(database, password=password, seconds=seconds)
            await owner.execute(_SQL["reader_password"], {"secret": None})
        except (psycopg.OperationalError, psycopg.errors.InsufficientPrivilege) as error:
            raise DatabaseUnsuitable(
                f"The server does not let the role {_ROLE} in, as which queries run.",
                hint="See docs/howto/transcripts-see.md for what it needs.",
            ) from error
        finally:
            await owner.execute(_SQL["release_reader"])
    return conn


async def _open(database: Database, *, password: str, seconds: float) -> Connection:
    return await database.login(statement_seconds=seconds, options=_OPTIONS, user=_ROLE, password=password)
