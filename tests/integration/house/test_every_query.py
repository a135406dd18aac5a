"""Every named query is understood by PostgreSQL, on the schema that our migrations make."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import psycopg
import pytest

from quipu.kernel.config import Settings
from quipu.kernel.db import queries
from quipu.kernel.db.connection import Connection
from quipu.kernel.db.database import owner

PACKAGE = Path(queries.__file__).resolve().parent.parent.parent
COPY_OUT = re.compile(r"copy \((.*)\) to stdout", re.DOTALL)
COPY_IN = re.compile(r"copy (\S+) \(([^)]*)\) from stdin", re.DOTALL)
NAMED = re.compile(r"%\((\w+)\)s|%%")
PREPARABLE = ("select", "insert", "update", "delete", "merge", "with", "values")
# Commands that PostgreSQL plans only when it runs them -> what runs them in a test.
COMMANDS = {
    ("quipu.kernel.db.embedded", "create_database"): "the first start of every embedded server",
}


def packages_with_queries() -> Iterator[str]:
    for folder in sorted({path.parent for path in PACKAGE.rglob("sql/*.sql")}):
        yield ".".join(("quipu", *folder.parent.relative_to(PACKAGE).parts))


EVERY = [
    pytest.param(package, name, text, id=f"{package}:{name}")
    for package in packages_with_queries()
    for name, text in queries.load(package).items()
    if (package, name) not in COMMANDS
]


def with_numbers(text: str) -> str:
    """``%(name)s`` as PostgreSQL writes it: ``$1`` for the first name, ``$2`` for the second, …"""
    names: list[str] = []

    def number(match: re.Match[str]) -> str:
        if match[0] == "%%":
            return "%"
        if match[1] not in names:
            names.append(match[1])
        return f"${names.index(match[1]) + 1}"

    return NAMED.sub(number, text)


def preparable(text: str) -> str:
    """The statement itself, or the query that a ``copy`` sends or would fill."""
    if sending := COPY_OUT.search(text):
        return sending[1]
    if filling := COPY_IN.search(text):
        return f"select {filling[2]} from {filling[1]}"
    return text


def first_word(text: str) -> str:
    code = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("--"))
    return code.split(maxsplit=1)[0].lstrip("(").lower()


@pytest.fixture(scope="module")
async def connection(module_url: str) -> AsyncIterator[Connection]:
    """A connection as the owner of the database, on which each statement is prepared and dropped again."""
    async with owner(module_url, Settings()) as opened:
        yield opened


def test_there_are_queries_to_prepare() -> None:
    assert len(EVERY) > 10


def test_what_is_left_out_is_there_and_cannot_be_prepared() -> None:
    for package, name in COMMANDS:
        assert first_word(queries.load(package)[name]) not in PREPARABLE


@pytest.mark.anyio
@pytest.mark.parametrize(("package", "name", "text"), EVERY)
async def test_it_can_be_prepared(connection: Connection, package: str, name: str, text: str) -> None:
    statement = preparable(text)
    assert first_word(statement) in PREPARABLE, f"{package}: {name} is not a statement that can be prepared"
    try:
        await connection.execute(f"prepare it as {with_numbers(statement)}".encode())
        await connection.execute("deallocate it")
    except psycopg.errors.IndeterminateDatatype as error:
        pytest.fail(f"{package}: {name}: write the type of the parameter, as in %(name)s::text: {error}")
