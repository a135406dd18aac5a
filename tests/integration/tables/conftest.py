"""A memory with the tables of two spaces, shared by the tests of a module."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count

import psycopg
import pytest
from psycopg import sql
from tables_house import House

from quipu import Memory
from quipu.kernel.config import Settings
from quipu.kernel.db import embedded

_NUMBERS = count()


@pytest.fixture(scope="module")
def house(
    request: pytest.FixtureRequest, server: embedded.EmbeddedServer, server_settings: Settings
) -> Iterator[House]:
    """A memory over a database that the module has to itself; ``SECONDS`` of it are for a statement."""
    name = f"tables{next(_NUMBERS)}"
    with psycopg.connect(server.conninfo(), autocommit=True) as conn:
        conn.execute(sql.SQL("create database {} template template").format(sql.Identifier(name)))
    settings = replace(
        server_settings, database_url=server.conninfo(name), statement_seconds=request.module.SECONDS
    )
    with Memory(settings=settings) as memory:
        yield House(memory, server.conninfo(name), settings.home)
    with psycopg.connect(server.conninfo(), autocommit=True) as conn:
        conn.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))
