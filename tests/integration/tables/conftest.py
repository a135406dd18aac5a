"""A memory with the tables of two spaces, shared by the tests of a module."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count

import psycopg
import pytest
from patience import PATIENCE_SECONDS
from psycopg import sql
from tables_house import House

from quipu import Memory
from quipu.kernel.config import Settings
from quipu.kernel.db import embedded

_NUMBERS = count()


@pytest.fixture(scope="module")
def house(server: embedded.EmbeddedServer, server_settings: Settings) -> Iterator[House]:
    """A memory over a database that the module has to itself."""
    name = f"tables{next(_NUMBERS)}"
    with psycopg.connect(server.conninfo(), autocommit=True) as conn:
        conn.execute(sql.SQL("create database {} template template").format(sql.Identifier(name)))
    settings = replace(
        server_settings, database_url=server.conninfo(name), statement_seconds=PATIENCE_SECONDS
    )
    with Memory(settings=settings) as memory:
        yield House(memory, server.conninfo(name), settings.home)
    with psycopg.connect(server.conninfo(), autocommit=True) as conn:
        conn.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


@pytest.fixture(scope="module")
def hurried(house: House, server_settings: Settings) -> Iterator[Memory]:
    """A second memory over the same database, that leaves a statement little time."""
    with Memory(settings=replace(server_settings, database_url=house.url, statement_seconds=0.4)) as memory:
        yield memory
