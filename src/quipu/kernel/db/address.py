"""Address of a server, with what ends a dead connection, and connections to it."""

from __future__ import annotations

import psycopg
from psycopg import conninfo

from quipu.errors import ConfigError
from quipu.kernel.config import Settings
from quipu.kernel.db.connection import Connection, answer_seconds, limit


def address(url: str, settings: Settings, **given: str) -> str:
    """Return the URL with ``given``, plus defaults that end a dead connection where the URL sets none.

    Raises:
        ConfigError: it is no address. It is not repeated: it may hold a password.
    """
    try:
        own = conninfo.conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        raise ConfigError(
            "QUIPU_DATABASE_URL, QUIPU_DIRECT_URL, one of QUIPU_READ_URLS or url= is no address of a"
            " PostgreSQL server.",
            hint="It looks like this: postgresql://user:password@host:5432/database",
        ) from None
    quiet = {
        "connect_timeout": max(2, round(settings.connect_seconds)),
        "keepalives_idle": 30,
        "keepalives_interval": 10,
        "keepalives_count": 3,
        "tcp_user_timeout": int(answer_seconds(settings) * 1000),
    }
    return conninfo.make_conninfo("", **{**quiet, **own, **given})


def place(url: str) -> str:
    """Return where an address leads, as USER@HOST:PORT/DATABASE: nothing else of it, so no password."""
    parts = conninfo.conninfo_to_dict(url)
    user = f"{parts['user']}@" if "user" in parts else ""
    port = f":{parts['port']}" if "port" in parts else ""
    return f"{user}{parts.get('host', '')}{port}/{parts.get('dbname', '')}"


async def connect(
    url: str,
    settings: Settings,
    *,
    kind: type[Connection] = Connection,
    prepare_threshold: int | None = 5,
    **given: str,
) -> Connection:
    """Open a connection in autocommit mode that does not wait for ever; ``given`` goes over the URL.

    Raises:
        psycopg.OperationalError: nobody answers, or not to us.
    """
    conn = await kind.connect(
        address(url, settings, **given), autocommit=True, prepare_threshold=prepare_threshold
    )
    limit(conn, settings)
    return conn
