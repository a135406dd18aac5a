"""Preparing a server of one's own: the roles, the login, the database and its extensions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from psycopg import conninfo, sql

from quipu.kernel.config import Settings
from quipu.kernel.db import connection, queries
from quipu.kernel.db.connection import Connection, translated

_SQL = queries.load("quipu.kernel.db")
_MEMBER_OF: Final = ("quipu_owner", "quipu_app", "quipu_eraser", "quipu_relay", "quipu_person")
_GROUPS: Final = (*_MEMBER_OF, "quipu_see")
"""The roles that Quipu works as; nobody logs in as any of them."""

_EXTENSIONS: Final = ("vector", "pg_trgm", "pgcrypto")


@dataclass(frozen=True, slots=True)
class Roles:
    """Roles of a server: the ``login`` that Quipu uses, and the ``database`` that it owns.

    Preparing what is prepared already changes nothing but the password, where one is given.
    """

    login: str
    database: str
    password: str | None = None

    def script(self) -> str:
        """Return the SQL for ``psql``, to be run by a superuser; it may be run again."""
        login, database = _quoted(self.login), _quoted(self.database)
        parts = [
            *(_unless(_SQL["has_role"], {"role": role}, create) for role, create in self._roles()),
            *(f"{one};" for one in self._grants()),
            *(
                [f"\\password {login}"]
                if self.password is None
                else [f"alter role {login} password {_literal(self.password)};"]
            ),
            _unless(_SQL["has_database"], {"database": self.database}, self._create_database()),
            f"\\connect {database}",
            *(f"{one};" for one in self._extensions()),
        ]
        return "\n".join(parts) + "\n"

    async def apply(self, url: str, settings: Settings) -> None:
        """Prepare the server of a superuser's URL.

        Raises:
            DatabaseUnavailable: nobody answers there, or not to this user.
            DatabaseUnsuitable: that user may not, or an extension is not installed on the server.
        """
        with translated():
            async with await connection.connect(url, settings) as conn:
                await self._prepare(conn)
            there = conninfo.make_conninfo(url, dbname=self.database)
            async with await connection.connect(there, settings) as conn:
                await _run(conn, self._extensions())

    async def _prepare(self, conn: Connection) -> None:
        for role, create in self._roles():
            if not await conn.value(_SQL["has_role"], role=role):
                await _run(conn, [create])
        await _run(conn, self._grants())
        if self.password is not None:
            await _run(conn, [f"alter role {_quoted(self.login)} password {_literal(self.password)}"])
        if not await conn.value(_SQL["has_database"], database=self.database):
            await _run(conn, [self._create_database()])

    def _roles(self) -> Sequence[tuple[str, str]]:
        """Return the roles as SQL names them, and what makes each."""
        login = _quoted(self.login)
        groups = [(role, f"create role {role} nologin") for role in _GROUPS]
        return [*groups, (login, f"create role {login} login createrole")]

    def _create_database(self) -> str:
        owner = f"owner {_quoted(self.login)} encoding 'UTF8' template template0"
        return f"create database {_quoted(self.database)} {owner}"

    def _grants(self) -> Sequence[str]:
        login = _quoted(self.login)
        return (
            "grant quipu_app to quipu_eraser",
            f"grant {', '.join(_MEMBER_OF)} to {login}",
            f"grant quipu_see to {login} with admin option",
        )

    @staticmethod
    def _extensions() -> Sequence[str]:
        return [f"create extension if not exists {one}" for one in _EXTENSIONS]


async def _run(conn: Connection, statements: Sequence[str]) -> None:
    for one in statements:
        await conn.execute(one.encode())


def _unless(check: str, values: Mapping[str, str], statement: str) -> str:
    """Return lines for psql that run a statement unless a query says true."""
    for name, value in values.items():
        check = check.replace(f"%({name})s", _literal(value))
    return f"select {_literal(statement)} where not ({check}) \\gexec"


def _quoted(name: str) -> str:
    return sql.Identifier(name).as_string(None)


def _literal(value: str) -> str:
    return sql.Literal(value).as_string(None)
