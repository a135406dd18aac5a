"""One embedded server for a run, one migrated template, a database for each test, as new."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from itertools import count
from pathlib import Path

import anyio
import psycopg
import pytest
import read_standby
from anyio.from_thread import start_blocking_portal
from examined import insist
from lent_databases import LentDatabases
from made_once import MadeOnce
from patience import PATIENCE_SECONDS
from pooler import WANTED, everywhere
from psycopg import sql

from quipu import AsyncMemory
from quipu.app.kinds import PACKAGES
from quipu.kernel.config import Settings
from quipu.kernel.db import embedded
from quipu.kernel.db.database import Database

Fill = Callable[[AsyncMemory, str], Awaitable[object]]
"""Writes into an empty memory, over the database of that address."""

_NUMBERS = count()
_PROGRAMS = os.environ.get("QUIPU_TEST_PG_BIN")  # before a fixture takes QUIPU_* away


@pytest.fixture(scope="session")
def server_settings() -> Iterator[Settings]:
    """Settings of a home that exists for this run only, with the deterministic embedder."""
    with tempfile.TemporaryDirectory(prefix="quipu-test-") as home:
        Path(home).chmod(0o711)  # the account that runs the server must be able to pass through
        yield Settings(
            home=Path(home),
            pg_bin=Path(_PROGRAMS) if _PROGRAMS else None,
            embedding_model="hashing",
            shared_buffers_mb=64,
            pool_size=8,
            connect_seconds=PATIENCE_SECONDS,
            statement_seconds=PATIENCE_SECONDS,
            answer_seconds=2 * PATIENCE_SECONDS,
            tuned={"longterm_timeout_ms": 60_000},
        )


@pytest.fixture(scope="session")
def server(server_settings: Settings, made_once: MadeOnce) -> Iterator[embedded.EmbeddedServer]:
    """A running embedded server with an empty migrated database ``template``."""
    stopped = made_once("server", lambda place: anyio.run(_stopped, replace(server_settings, home=place)))
    subprocess.run(["cp", "-a", f"{stopped}/.", server_settings.home], check=True)
    running = anyio.run(embedded.start, server_settings)
    standby = read_standby.answering(running.conninfo(), anyio.run(embedded.programs, server_settings))
    with (
        everywhere(running.conninfo()) if WANTED else nullcontext(),
        standby if read_standby.WANTED else nullcontext(),
    ):
        yield running
    anyio.run(running.aclose)


async def _stopped(settings: Settings) -> Path:
    """The home of a server that was stopped."""
    running = await embedded.start(settings)
    with psycopg.connect(running.conninfo(), autocommit=True) as conn:
        # A thousand databases are made and dropped here, and none is to outlive the run. What a crash leaves
        # is proved on servers of their own.
        for setting in ("fsync", "full_page_writes", "wal_init_zero", "wal_recycle"):
            conn.execute(sql.SQL("alter system set {} = off").format(sql.Identifier(setting)))
        conn.execute("select pg_reload_conf()")
        conn.execute("create database template")
    async with AsyncMemory(settings=replace(settings, database_url=running.conninfo("template"))):
        pass
    await running.aclose()
    return settings.home


@contextmanager
def new_database(server: embedded.EmbeddedServer, *, template: str = "template") -> Iterator[str]:
    """A copy of a database to which nobody is connected, for the block; its address."""
    name = f"test{next(_NUMBERS)}"
    create = "create database {} template {} strategy file_copy"  # nothing of it goes through the log
    with psycopg.connect(server.conninfo(), autocommit=True) as conn:
        conn.execute(sql.SQL(create).format(sql.Identifier(name), sql.Identifier(template)))
    yield server.conninfo(name)
    with psycopg.connect(server.conninfo(), autocommit=True) as conn:
        conn.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


@pytest.fixture(scope="session")
def copy_of(server: embedded.EmbeddedServer) -> Callable[[str], AbstractContextManager[str]]:
    """Copies a database, by its name; what it gives is the address of the copy for a block."""
    return lambda name: new_database(server, template=name)


class FilledDatabases:
    """Copies of databases that were filled once: ``with filled(fill) as address``."""

    def __init__(self, server: embedded.EmbeddedServer, settings: Settings) -> None:
        self._server, self._settings = server, settings
        self._names: dict[Fill, str] = {}

    @contextmanager
    def __call__(self, fill: Fill) -> Iterator[str]:
        """The address of a database of the block's own, with what ``fill`` writes into an empty one."""
        if fill not in self._names:
            database = f"filled{next(_NUMBERS)}"
            anyio.run(self._make, database, fill)
            self._names[fill] = database
        with new_database(self._server, template=self._names[fill]) as address:
            yield address

    async def _make(self, database: str, fill: Fill) -> None:
        with psycopg.connect(self._server.conninfo(), autocommit=True) as conn:
            conn.execute(sql.SQL("create database {} template template").format(sql.Identifier(database)))
        address = self._server.conninfo(database)
        async with AsyncMemory(settings=replace(self._settings, database_url=address)) as memory:
            await fill(memory, address)


@pytest.fixture(scope="session")
def filled(server: embedded.EmbeddedServer, server_settings: Settings) -> FilledDatabases:
    """Fills a database where it is first wanted, and gives copies of it."""
    return FilledDatabases(server, server_settings)


@pytest.fixture(scope="session")
def databases(server: embedded.EmbeddedServer, server_settings: Settings) -> Iterator[LentDatabases]:
    """Lends migrated databases, one after the other."""
    with start_blocking_portal() as portal:
        lending = LentDatabases(lambda: new_database(server), server_settings, portal)
        yield lending
        lending.close()


@pytest.fixture
def url(databases: LentDatabases) -> Iterator[str]:
    """The address of a migrated database that this test has to itself."""
    with databases.lend() as address:
        yield address


@pytest.fixture(scope="module")
def module_url(databases: LentDatabases) -> Iterator[str]:
    """The address of a migrated database that the tests of a module share."""
    with databases.lend() as address:
        yield address


@pytest.fixture
def settings(server_settings: Settings, url: str) -> Settings:
    """Settings that lead to this test's database."""
    return replace(server_settings, database_url=url)


@pytest.fixture
async def database(settings: Settings, url: str) -> AsyncIterator[Database]:
    """This test's database, open."""
    async with Database.open(url, settings, packages=PACKAGES) as opened:
        yield opened


@pytest.fixture(scope="module")
async def unchanged(server_settings: Settings, module_url: str) -> AsyncIterator[AsyncMemory]:
    """An empty memory that the tests of a module share; each leaves it as it was."""
    async with AsyncMemory(settings=replace(server_settings, database_url=module_url)) as opened:
        yield opened
        await insist(opened)


@pytest.fixture
async def memory(settings: Settings) -> AsyncIterator[AsyncMemory]:
    """A memory over this test's database; whatever the test did to it, it must fit together afterwards."""
    async with AsyncMemory(settings=settings) as opened:
        yield opened
        await insist(opened)
