"""Preparing a server of one's own: the roles, the login, the database and its extensions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from psycopg import conninfo, sql

from quipu.kernel.config import Settings
from quipu.kernel.db import queries
from quipu.kernel.db.address import connect
from quipu.kernel.db.connection import Connection, translated

_SQL = queries.load("quipu.kernel.db")
_MEMBER_OF: Final = ("quipu_owner", "quipu_app", "quipu_eraser", "quipu_relay", "quipu_person")
_GROUPS: Final = (*_MEMBER_OF, "quipu_see")
"""The roles that Quipu works as; nobody logs in as any of them."""

_EXTENSIONS: Final = (
    "create extension if not exists vector",
    "create extension if not exists pg_trgm",
    "create extension if not exists pgcrypto",
)


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
        lines = [
            f"{one};" if unless is None else f"select {_literal(one)} where not ({unless}) \\gexec"
            for unless, one in self._steps()
        ]
        if self.password is None:
            lines.append(f"\\password {_quoted(self.login)}")
        lines.append(f"\\connect {_quoted(self.database)}")
        lines += [f"{one};" for one in _EXTENSIONS]
        return "\n".join(lines) + "\n"

    async def apply(self, url: str, settings: Settings) -> None:
        """Prepare the server of a superuser's URL.

        Raises:
            DatabaseUnavailable: nobody answers there, or not to this user.
            DatabaseUnsuitable: that user may not, or an extension is not installed on the server.
        """
        with translated():
            async with await connect(url, settings) as conn:
                for unless, one in self._steps():
                    if unless is None or not await _is_so(conn, unless):
                        await conn.execute(one.encode())
            there = conninfo.make_conninfo(url, dbname=self.database)
            async with await connect(there, settings) as conn:
                for one in _EXTENSIONS:
                    await conn.execute(one)

    def _steps(self) -> Iterator[tuple[str | None, str]]:
        """Yield statements, each with the query that says true where it is done already, if there is one."""
        login, database = _quoted(self.login), _quoted(self.database)
        for role in _GROUPS:
            yield _filled(_SQL["has_role"], "role", role), f"create role {role} nologin"
        yield _filled(_SQL["has_role"], "role", login), f"create role {login} login createrole"
        yield None, "grant quipu_app to quipu_eraser"
        yield None, f"grant {', '.join(_MEMBER_OF)} to {login}"
        yield None, f"grant quipu_see to {login} with admin option"
        if self.password is not None:
            yield None, f"alter role {login} password {_literal(self.password)}"
        owner = f"owner {login} encoding 'UTF8' template template0"
        has_database = _filled(_SQL["has_database"], "database", self.database)
        yield has_database, f"create database {database} {owner}"


async def _is_so(conn: Connection, query: str) -> bool:
    row = await (await conn.execute(query.encode())).fetchone()
    return row is not None and bool(row[0])


def _filled(query: str, name: str, value: str) -> str:
    return query.replace(f"%({name})s", _literal(value))


def _quoted(name: str) -> str:
    return sql.Identifier(name).as_string(None)


def _literal(value: str) -> str:
    return sql.Literal(value).as_string(None)
