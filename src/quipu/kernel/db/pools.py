"""Pools of connections to a database, each with the rights of one role."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final, LiteralString

from psycopg_pool import AsyncConnectionPool

from quipu.kernel.config import Settings
from quipu.kernel.db import arrays, connection, queries
from quipu.kernel.db.address import address
from quipu.kernel.db.connection import Connection
from quipu.kernel.db.recorded import RecordedConnection

_SQL = queries.load("quipu.kernel.db")

_AGAIN_SECONDS: Final = 2.0  # who asks later has the pool try again: no pause grows while a server is away

# A plan made once serves every call: our statements are written so that the shape of the plan does
# not depend on the values, and planning the search again would cost as much as running it.
_SESSION: Final = (
    "-c jit=off -c plan_cache_mode=force_generic_plan -c max_parallel_workers_per_gather=0"
    " -c timezone=UTC -c client_encoding=UTF8 -c application_name=quipu"
)


class Pool(AsyncConnectionPool[Connection]):
    """Connections that have the rights of one role: for as long as they last, or for a transaction at a time.

    A pooler between us and the server gives each transaction any of its connections, and keeps nothing of
    what a session sets. Then each transaction begins with ``become``.
    """

    def __init__(self, url: str, settings: Settings, *, role: LiteralString, least: int) -> None:
        """Prepare a pool, to be opened, of ``least`` connections or more; ``url`` is that of the server."""
        self.is_shared = settings.direct_url is not None and settings.database_url is not None
        self._settings = settings
        self._milliseconds = int(settings.statement_seconds * 1000)
        self._role = role
        given: dict[str, str] = {}
        if self.is_shared:
            url, given["application_name"] = settings.database_url or url, "quipu"
        else:
            given["options"] = f"{_SESSION} -c role={role} -c statement_timeout={self._milliseconds}"
        prepares = not self.is_shared or settings.pooler_prepares
        super().__init__(
            address(url, settings, **given),
            connection_class=RecordedConnection,
            kwargs={"autocommit": True, "prepare_threshold": 0 if prepares else None},
            min_size=least,
            max_size=settings.pool_size,
            timeout=settings.connect_seconds,
            reconnect_timeout=_AGAIN_SECONDS,
            configure=self._prepare,
            check=connection.check_alive if settings.database_url else None,
            open=False,
        )

    async def _prepare(self, conn: Connection) -> None:
        connection.limit(conn, self._settings)
        if self.is_shared:
            await conn.execute("set timezone = 'UTC'")  # one of the few that PgBouncer keeps for a client
        # The driver looks for our types in the catalogue, which may be closed to all but the application.
        async with conn.transaction():
            await conn.execute("set local role quipu_app")
            await arrays.register(conn)
        connection.read_every_moment(conn)

    async def become(self, conn: Connection) -> None:
        """Take the rights of the role, first in a transaction or a pipeline, on a shared connection."""
        await conn.execute(_SQL["become"], {"role": self._role, "milliseconds": self._milliseconds})

    @asynccontextmanager
    async def as_role(self, conn: Connection) -> AsyncGenerator[None]:
        """Run the block with the rights of the role; behind a pooler it is one transaction."""
        if not self.is_shared:
            yield
            return
        async with conn.transaction():
            await self.become(conn)
            yield
