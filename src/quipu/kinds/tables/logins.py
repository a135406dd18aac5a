"""Connections of the roles of schemas: the only ones on which SQL of an agent runs.

They log in as the role itself, never through a stronger one, so nothing that a statement sets or calls can
raise their rights.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import asdict
from typing import Final, Literal, LiteralString

import psycopg
from anyio import CancelScope
from psycopg import pq

from quipu.errors import DatabaseUnsuitable, NotFound, TooManyRequests
from quipu.kernel.db import connection
from quipu.kernel.db.connection import translated
from quipu.kernel.db.database import Connection, Database
from quipu.kernel.db.errors import Unanswered, is_crowded, translate
from quipu.kinds.tables import store
from quipu.kinds.tables.model import StoredSchema
from quipu.kinds.tables.provision import make_secrets
from quipu.kinds.tables.store import SQL

Part = Literal["writer", "reader"]

_AGAIN_SECONDS: Final = 5
_IDLE: Final = 2  # connections kept of one role
_IDLE_TOGETHER: Final = 6
_OPTIONS: Final = (
    "-c search_path={schema},public -c statement_timeout={milliseconds} -c lock_timeout=5000"
    " -c idle_in_transaction_session_timeout=60000 -c idle_session_timeout=0 -c work_mem=16MB"
    " -c maintenance_work_mem=64MB -c jit=off -c max_parallel_workers_per_gather=0 -c timezone=UTC"
    " -c client_encoding=UTF8 -c datestyle=ISO,YMD -c intervalstyle=postgres -c bytea_output=hex"
    " -c extra_float_digits=1 -c xmloption=content -c role=none"
    " -c default_transaction_isolation=read\\ committed -c default_transaction_deferrable=off"
    " -c default_transaction_read_only={read_only} -c row_security=on -c standard_conforming_strings=on"
    " -c application_name=quipu-agent"
)
_DISCARD_ALL: Final = "discard all"
_KEEP_PLANS: Final = (
    "close all; set session authorization default; reset all; deallocate all; unlisten *;"
    " discard temporary; discard sequences"
)
"""What ``discard all`` does, except for two things. Plans are kept: without them our trigger would plan again
for every row, and PostgreSQL checks a plan before it uses it. Advisory locks are not released: this is used
only where no agent can take one."""


class Logins:
    """Lends connections of writers and readers; keeps a few of them open in between."""

    def __init__(self, database: Database, *, statement_seconds: float) -> None:
        self._database = database
        self._seconds = statement_seconds
        self._passwords: dict[int, tuple[str, str]] = {}
        self._cleaning: LiteralString = _DISCARD_ALL
        self._idle: list[tuple[str, Connection]] = []  # those used last at the end

    @asynccontextmanager
    async def lend(self, space: str, schema: StoredSchema, part: Part) -> AsyncGenerator[Connection]:
        """Lend a connection of the role, in autocommit mode, with the schema first in its search path.

        Nothing that runs on it stays behind: its state is discarded before the next use, and after an error
        it is closed.

        Raises:
            DatabaseUnsuitable: the server does not let the role in.
        """
        role = schema.writer if part == "writer" else schema.reader
        conn = await self._taken(role) or await self._login(space, schema, part)
        async with AsyncExitStack() as stack:
            stack.push_async_callback(_close, conn)
            try:
                yield conn
            finally:
                if part == "writer":
                    self._database.wrote(space)
            if not conn.closed:
                await conn.execute(self._cleaning)
                connection.note_answer(conn)
            if not conn.closed and conn.info.transaction_status == pq.TransactionStatus.IDLE:
                stack.pop_all()
                await self._keep(role, conn)

    async def aclose(self) -> None:
        """Close what is idle."""
        while self._idle:
            await self._idle.pop()[1].close()

    async def _keep(self, role: str, conn: Connection) -> None:
        """Keep it for the next call; the one that was kept longest goes if there are too many."""
        self._idle.append((role, conn))
        own = [one for one in self._idle if one[0] == role]
        for role_and_conn in own[:1] if len(own) > _IDLE else self._idle[:-_IDLE_TOGETHER]:
            self._idle.remove(role_and_conn)
            await role_and_conn[1].close()

    async def _taken(self, role: str) -> Connection | None:
        while login := next((one for one in reversed(self._idle) if one[0] == role), None):
            self._idle.remove(login)
            if await _lives(login[1]):
                return login[1]
        return None

    async def _login(self, space: str, schema: StoredSchema, part: Part) -> Connection:
        for password in (self._passwords.get(schema.id), None):
            both = password or await self._look_up(space, schema)
            try:
                return await self._connect(schema, part, both)
            except psycopg.OperationalError as error:
                if "password authentication failed" not in str(error):
                    raise _refused(error) from error
        # A role may change its own password. Then it gets a new one from us.
        try:
            return await self._connect(schema, part, await self._renew(space, schema))
        except psycopg.OperationalError as error:
            raise _refused(error) from error

    async def _connect(self, schema: StoredSchema, part: Part, passwords: tuple[str, str]) -> Connection:
        writer = part == "writer"
        options = _OPTIONS.format(
            schema=schema.schema_name,
            milliseconds=int(self._seconds * 1000),
            read_only="off" if writer else "on",
        )
        return await self._database.login(
            statement_seconds=self._seconds,
            options=options,
            user=schema.writer if writer else schema.reader,
            password=passwords[0 if writer else 1],
        )

    async def _look_up(self, space: str, schema: StoredSchema) -> tuple[str, str]:
        async with self._database.owner() as conn, conn.transaction():
            number = await store.enter(conn, space)
            rows = await conn.execute(SQL["passwords"], {"space": number, "schema": schema.id})
            row = await rows.fetchone()
        if row is None:
            raise NotFound(f"The schema {schema.name!r} is gone.", hint="It was dropped meanwhile.")
        writer, reader, can_lock = row
        self._cleaning = _DISCARD_ALL if can_lock else _KEEP_PLANS
        self._passwords[schema.id] = (writer, reader)
        return self._passwords[schema.id]

    async def _renew(self, space: str, schema: StoredSchema) -> tuple[str, str]:
        async with self._database.owner() as conn, conn.transaction():
            await store.enter(conn, space)
            made = make_secrets(conn, schema.writer, schema.reader)
            await conn.execute(SQL["set_passwords"], {"schema": schema.id, **asdict(made)})
        self._passwords[schema.id] = (made.writer_password, made.reader_password)
        return self._passwords[schema.id]


def _refused(error: psycopg.OperationalError) -> Exception:
    told = translate(error)
    if is_crowded(error):
        return TooManyRequests(
            "Every connection of this schema is taken.", wait_seconds=_AGAIN_SECONDS, hint="Try again then."
        )
    if isinstance(error, (Unanswered, psycopg.errors.ConnectionTimeout)):
        return told
    return DatabaseUnsuitable(
        f"The server does not let the role of an agent in: {told.message}",
        hint="See docs/howto/tables.md for what the server must allow.",
    )


async def _lives(conn: Connection) -> bool:
    """Return True if an idle connection still answers; close one that does not."""
    try:
        await connection.check_alive(conn)
    except psycopg.Error:
        await conn.close()
        return False
    return True


async def _close(conn: Connection) -> None:
    with CancelScope(shield=True), translated():
        await conn.close()
