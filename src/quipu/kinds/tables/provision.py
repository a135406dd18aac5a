"""Making a schema with its two login roles."""

from __future__ import annotations

import secrets
from dataclasses import asdict, dataclass

from psycopg import errors as pg

from quipu.errors import DatabaseUnsuitable
from quipu.kernel.db.database import Connection, Database
from quipu.kinds.tables import names, store
from quipu.kinds.tables.store import SQL


@dataclass(frozen=True, slots=True)
class Secrets:
    """Passwords of both roles, and as the server keeps them: what is sent to it does not tell them."""

    writer_password: str
    reader_password: str
    writer_secret: str
    reader_secret: str


def make_secrets(conn: Connection, writer_role: str, reader_role: str) -> Secrets:
    """Make new random passwords for two roles."""

    def secret(role: str, password: str) -> str:
        return conn.pgconn.encrypt_password(password.encode(), role.encode(), b"scram-sha-256").decode()

    writer, reader = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
    return Secrets(writer, reader, secret(writer_role, writer), secret(reader_role, reader))


async def create(database: Database, space: str, name: str, description: str | None) -> None:
    """Make the schema ``name`` of a space, which is made as well where it is missing.

    Where it is there already, nothing happens.

    Raises:
        DatabaseUnsuitable: our account may not make roles, or everybody may read the catalogue of the server.
    """
    await database.check_hardened()
    async with database.write(space) as tx:
        if await store.schema(tx, name, None) is not None:
            return
    # Roles belong to the whole server, not to a database: their names must not be guessed, and not meet.
    mark = secrets.token_hex(8)
    writer, reader = f"quipu_writer_{mark}", f"quipu_reader_{mark}"
    async with database.owner() as conn, conn.transaction():
        await conn.execute(SQL["hold_founding"], {"name": space})
        number = await store.enter(conn, space)
        assert number is not None  # it was made above, and an erasure waits for this lock
        try:
            await conn.execute(SQL["drop_discarded_roles"])
            known = await conn.execute(SQL["schema"], {"name": name, "agent": None})
            if await known.fetchone() is not None:
                return
            values = {
                "name": name,
                "schema_name": names.physical(number, space, name),
                "description": description,
                "writer": writer,
                "reader": reader,
                **asdict(make_secrets(conn, writer, reader)),
            }
            await conn.execute(SQL["create"], values)
        except pg.InsufficientPrivilege as error:
            raise DatabaseUnsuitable(
                f"Our account lacks a right that schemas of agents need: {error.diag.message_primary}.",
                hint="See docs/howto/tables.md for what it needs.",
            ) from error
