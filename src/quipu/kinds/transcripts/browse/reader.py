"""Connections for SQL of readers: on a login that the space has to itself, which can only read.

Whatever such a query sets or calls, it stays what it is: the login owns nothing, was not reached through a
stronger one, and the policies of the tables go by its name. See docs/decisions/security.md.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

import psycopg
from psycopg import errors as pg

from quipu.errors import DatabaseUnsuitable, QuipuError, TooManyRequests
from quipu.kernel.db import queries
from quipu.kernel.db.database import Connection, Database
from quipu.kernel.db.errors import Unanswered, is_crowded, translate
from quipu.kernel.db.turns import Turns

_SQL = queries.load("quipu.kinds.transcripts.browse")
_AGAIN_SECONDS: Final = 5
LOCK_SECONDS: Final = 2
_OPTIONS: Final = (
    "-c default_transaction_read_only=on -c search_path=transcripts -c jit=off"
    " -c max_parallel_workers_per_gather=0 -c work_mem=16MB -c timezone=UTC -c client_encoding=UTF8"
    " -c application_name=quipu-query -c lock_timeout={locked}"
    " -c quipu.space_id={space} -c statement_timeout={milliseconds}"
)
_HINT: Final = "See docs/howto/transcripts-see.md for what the server must allow."


@dataclass(frozen=True, slots=True)
class Login:
    """The login of a space for SQL of readers, and the number of the space."""

    space: int
    role: str
    password: str


class Readers:
    """Opens connections that see one space; keeps the logins in mind, which are made at first use."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.turns: Turns = database.turns
        self._logins: dict[str, Login] = {}

    @asynccontextmanager
    async def connect(self, space: str, *, seconds: float) -> AsyncGenerator[Connection | None]:
        """Yield a connection that reads the space in schema transcripts; None where there is no such space.

        A statement on it ends after so many seconds.

        Raises:
            DatabaseUnsuitable: the login cannot be made or is not let in, or the catalogue of the server is
                open to it.
        """
        conn = await self._open(space, seconds)
        if conn is None:
            yield None
            return
        async with conn:
            yield conn

    async def _open(self, space: str, seconds: float) -> Connection | None:
        async with self._database.transaction(space) as tx:
            number = None if tx is None else tx.space.id
        if number is None:
            return None
        login = self._logins.get(space)
        if login is None or login.space != number:
            login = await self._find(space, unless=None)
        try:
            return None if login is None else await self._connect(login, seconds)
        except psycopg.OperationalError as error:
            if not _is_unknown(error):
                raise _refused(error) from error
        # The role is not on this server or has another password: the database was copied or restored.
        login = await self._find(space, unless=login)
        try:
            return None if login is None else await self._connect(login, seconds)
        except psycopg.OperationalError as error:
            raise _refused(error) from error

    async def _connect(self, login: Login, seconds: float) -> Connection:
        return await self._database.login(
            statement_seconds=seconds,
            options=_OPTIONS.format(
                space=login.space, milliseconds=int(seconds * 1000), locked=LOCK_SECONDS * 1000
            ),
            user=login.role,
            password=login.password,
        )

    async def _find(self, space: str, *, unless: Login | None) -> Login | None:
        """Return the login of a space, made where it is missing or still the one that was not let in."""
        await self._database.check_hardened()
        async with self._database.owner() as conn, conn.transaction():
            await conn.execute(_SQL["hold_readers"])
            entered = await (await conn.execute(_SQL["enter"], {"name": space})).fetchone()
            if entered is None or entered[0] is None:
                return None
            stored = await (await conn.execute(_SQL["reader"], {"space": entered[0]})).fetchone()
            login = None if stored is None else Login(entered[0], *stored)
            if login is None or login == unless:
                login = await _make(conn, entered[0], login)
        self._logins[space] = login
        return login


async def _make(conn: Connection, space: int, known: Login | None) -> Login:
    # Roles belong to the whole server, not to a database: their names must not be guessed, and not meet.
    role = f"quipu_see_{secrets.token_hex(8)}" if known is None else known.role
    password = secrets.token_urlsafe(32)
    secret = conn.pgconn.encrypt_password(password.encode(), role.encode(), b"scram-sha-256").decode()
    try:
        await conn.execute(_SQL["make_reader"], {"role": role, "secret": secret, "password": password})
    except pg.InsufficientPrivilege as error:
        raise DatabaseUnsuitable(
            f"Our account lacks a right that queries of readers need: {error.diag.message_primary}.",
            hint=_HINT,
        ) from error
    return Login(space, role, password)


def _is_unknown(error: psycopg.OperationalError) -> bool:
    """Return True if the role or its password is not the one that the server knows."""
    said = str(error)
    return "password authentication failed" in said or ("role" in said and "does not exist" in said)


def _refused(error: psycopg.OperationalError) -> QuipuError:
    if is_crowded(error):
        return TooManyRequests(
            "Every connection for queries is taken.", wait_seconds=_AGAIN_SECONDS, hint="Try again then."
        )
    told = translate(error)
    if isinstance(error, (Unanswered, psycopg.errors.ConnectionTimeout)):
        return told
    return DatabaseUnsuitable(
        f"The server does not let the login of a space's readers in: {told.message}", hint=_HINT
    )
