"""Address of a database, and pools of connections to it, each with the rights of one role."""

from __future__ import annotations

from typing import Final, LiteralString

from psycopg import ProgrammingError, conninfo
from psycopg_pool import AsyncConnectionPool

from quipu.errors import ConfigError
from quipu.kernel.config import Settings
from quipu.kernel.db import arrays, connection
from quipu.kernel.db.connection import Connection

Pool = AsyncConnectionPool[Connection]

_AGAIN_SECONDS: Final = 2.0  # who asks later has the pool try again: no pause grows while a server is away

# A plan made once serves every call: our statements are written so that the shape of the plan does
# not depend on the values, and planning the search again would cost as much as running it.
_SESSION: Final = (
    "-c jit=off -c plan_cache_mode=force_generic_plan -c max_parallel_workers_per_gather=0"
    " -c timezone=UTC -c client_encoding=UTF8 -c application_name=quipu"
)


def pooled(url: str, settings: Settings, *, role: LiteralString, least: int) -> Pool:
    """Return a pool, to be opened, of ``least`` connections or more with the rights of ``role``."""
    timeout = int(settings.statement_seconds * 1000)
    options = f"{_SESSION} -c role={role} -c statement_timeout={timeout}"

    async def configure(conn: Connection) -> None:
        connection.limit(conn, settings)
        # The driver looks for our types in the catalogue, which may be closed to all but the application.
        await conn.execute("set role quipu_app")
        await arrays.register(conn)
        connection.read_every_moment(conn)
        await conn.execute("reset role")

    return AsyncConnectionPool[Connection](
        connection.address(url, settings, options=options),
        connection_class=Connection,
        kwargs={"autocommit": True, "prepare_threshold": 0},
        min_size=least,
        max_size=settings.pool_size,
        timeout=settings.connect_seconds,
        reconnect_timeout=_AGAIN_SECONDS,
        configure=configure,
        check=connection.check_alive if settings.database_url else None,
        open=False,
    )


def check_address(url: str) -> None:
    """Refuse what is no address of a PostgreSQL server, without repeating it: it may hold a password."""
    try:
        conninfo.conninfo_to_dict(url)
    except ProgrammingError:
        raise ConfigError(
            "QUIPU_DATABASE_URL (or url=) is no address of a PostgreSQL server.",
            hint="It looks like this: postgresql://user:password@host:5432/database",
        ) from None
