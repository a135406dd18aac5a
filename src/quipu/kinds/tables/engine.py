"""Engine of every call, which runs an agent's SQL: on its own login, bounded, then followed."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import TypeVar

import psycopg
from psycopg.pq import TransactionStatus

from quipu.errors import BadInput, QuipuError, SpaceMoved
from quipu.kernel.base.scope import note_write
from quipu.kernel.config import Settings
from quipu.kernel.db.bounds import bounded
from quipu.kernel.db.database import Connection, Database
from quipu.kernel.redact import redact, token_kind
from quipu.kinds.tables.access import Access
from quipu.kinds.tables.embedding.ahead import Ahead, Habits
from quipu.kinds.tables.logins import Logins, Part
from quipu.kinds.tables.model import StoredSchema
from quipu.kinds.tables.refusals import Request, refusal
from quipu.kinds.tables.scan import change_literals
from quipu.kinds.tables.store import SQL
from quipu.kinds.tables.templates import fill
from quipu.recall.generations import Models

_T = TypeVar("_T")
Follow = Callable[[str, StoredSchema, Ahead | None], Awaitable[int]]
"""Brings the vectors of a schema up to date after its rows changed: ``await follow(space, schema, ahead)``.

``ahead`` has vectors that are being made already. Returns how many vectors were made or taken out. What it
leaves undone is done before the next recall.
"""

# In a literal E'…': what stands before a secret must not make it part of another word.
_ESCAPE = re.compile(r"\\(?:x[0-9A-Fa-f]{1,2}|u[0-9A-Fa-f]{4}|[0-7]{1,3}|.)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """The database, the logins of schemas, who may use them, the models, and what follows changes."""

    database: Database
    logins: Logins
    access: Access
    models: Models
    settings: Settings
    follow: Follow | None = None
    habits: Habits = field(default_factory=Habits)

    @property
    def seconds(self) -> float:
        """Seconds that a statement may take; an hour if the settings have no limit."""
        return self.settings.statement_seconds or 3600

    async def run(
        self, space: str, request: Request, part: Part, work: Callable[[Connection], Awaitable[_T]]
    ) -> _T:
        """Run work on a connection of the writer or the reader, within so many seconds; return its result.

        Raises:
            QuipuError: PostgreSQL refused; says what to do instead.
            DatabaseUnsuitable: the catalogue of the server is open to everybody.
            TooManyRequests: too many statements run already.
        """
        await self.database.check_hardened()
        try:
            async with self.database.turns.take(space), self.logins.lend(space, request.schema, part) as conn:
                done = await bounded(self.database, conn, request.seconds, lambda: work(conn))
        except psycopg.Error as error:
            await self._check_place(space)
            raise refusal(error, request) from error
        except QuipuError:
            await self._check_place(space)
            raise
        if part == "writer":
            note_write()
        return done

    async def _check_place(self, space: str) -> None:
        """Raise SpaceMoved if the space went to another database: what failed is to be done there."""
        async with self.database.transaction(space):
            return

    async def followed(self, space: str, schema: StoredSchema, ahead: Ahead | None = None) -> int:
        """Have vectors follow the rows that changed; how many were made or taken out.

        Where the space went to another database since, that is done there when it is next asked.
        """
        with suppress(SpaceMoved):
            return 0 if self.follow is None else await self.follow(space, schema, ahead)
        return 0

    def clean(self, text: str) -> str:
        """Return a text without secrets."""
        return redact(text).text if self.settings.redact else text

    def clean_statement(self, statement: str) -> str:
        """Return a statement whose literals and comments have no secrets in them.

        Raises:
            BadInput: there is one elsewhere, as in the name of a column.
        """
        cleaned = change_literals(statement, self.clean)
        kind = token_kind(_ESCAPE.sub(" ", cleaned)) if self.settings.redact else None
        if kind is not None:
            raise BadInput(
                f"it holds what looks like a secret ({kind}) outside of its literals.",
                field="sql",
                hint="Names of tables and columns are kept as they are: name them otherwise.",
            )
        return cleaned


@asynccontextmanager
async def undone(conn: Connection) -> AsyncGenerator[None]:
    """Open one transaction of a writer that leaves nothing behind.

    What would be refused at its end is refused.
    """
    await conn.execute("begin isolation level read committed read write")
    try:
        await conn.execute(fill("enter"))
        yield
        await conn.execute("set constraints all immediate")
    finally:
        if not conn.closed:
            await conn.execute("rollback")


class Undone(Exception):
    """Ends a transaction of ``settled`` without leaving anything behind; nobody else sees it."""


@asynccontextmanager
async def settled(conn: Connection) -> AsyncGenerator[None]:
    """Open one transaction of a writer; at its end registry and relations follow the structure.

    Statements left for the end are run before that; where ``Undone`` is raised, nothing stays. A load waits
    before it has any lock on a table: otherwise it would be in the way of the dump that it has made first.
    """
    await conn.execute("begin isolation level read committed read write")
    try:
        await conn.execute(fill("enter"))
        yield
        # What a statement set must not reach what is ours. SET itself calls nothing that can be replaced.
        await conn.execute("set constraints all immediate")
        await conn.execute("set local search_path = pg_catalog, pg_temp")
        await conn.execute(SQL["keep_own"])
        await conn.execute(SQL["settle"])
        await conn.execute("commit")
    except Undone:
        await conn.execute("rollback")
    except BaseException:
        if conn.info.transaction_status in {TransactionStatus.INTRANS, TransactionStatus.INERROR}:
            await conn.execute("rollback")
        raise
