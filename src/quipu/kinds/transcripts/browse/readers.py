"""Queries in SQL: one statement that reads, on a login of the space; rows, bytes and seconds are bounded."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Final

import psycopg
from anyio import fail_after
from psycopg import errors as pg
from psycopg import sql

from quipu.errors import BadInput, DatabaseUnsuitable, LimitReached, QuipuError, TooManyRequests
from quipu.kernel.db import queries
from quipu.kernel.db.database import Connection, Database
from quipu.kernel.db.errors import Unanswered, is_crowded, limit_reached, translate
from quipu.kernel.db.exchange import exchange
from quipu.kernel.db.tokens import refuse_numbered
from quipu.kernel.db.turns import Turns
from quipu.kinds.transcripts.browse.model import QueryRows

_GRACE_SECONDS: Final = 5
_FETCH: Final = sql.SQL("fetch forward {} from answer")
_TABLES: Final = "The schema lists what can be asked for."
_READING: Final = "A query is one select; it reads views and tables of schema transcripts and nothing else."
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

    async def open(self, space: str, *, seconds: float) -> Connection | None:
        """Open a connection that reads the space in schema transcripts; None if there is no such space.

        A statement on it ends after so many seconds.

        Raises:
            DatabaseUnsuitable: the login cannot be made or is not let in, or the catalogue of the server is
                open to it.
        """
        async with self._database.transaction(space) as tx:
            if tx is None:
                return None
            number = tx.space.id
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
                conn = await readers.open(space, seconds=bounds.seconds)
                if conn is None:
                    return QueryRows((), (), False)
                async with conn:
                    return await _rows(conn, statement, bounds)
    except (TimeoutError, pg.QueryCanceled) as error:
        raise LimitReached(
            f"it took longer than {bounds.seconds:g} seconds.",
            field="sql",
            hint="Ask for less, or allow more seconds.",
        ) from error
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
