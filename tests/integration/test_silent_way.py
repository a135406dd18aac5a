"""A way to the server on which nothing goes on, though connections are taken: as a proxy that has died."""

from __future__ import annotations

import asyncio
import gc
import sys
import time
from collections.abc import AsyncIterator, Generator, Iterator
from dataclasses import replace

import anyio
import pytest
from patience import PATIENCE_SECONDS
from psycopg import conninfo
from stopped_server import Way, comes_back, refused

from quipu import AsyncMemory
from quipu.errors import DatabaseUnavailable
from quipu.kernel.config import Settings
from quipu.kernel.db import connection
from quipu.kernel.db.address import connect
from quipu.kernel.db.embedded import EmbeddedServer
from quipu.kernel.db.errors import Unanswered

pytestmark = pytest.mark.anyio


@pytest.fixture
def way(server: EmbeddedServer) -> Iterator[Way]:
    made = Way(f"{conninfo.conninfo_to_dict(server.conninfo())['host']}/.s.PGSQL.5432")
    yield made
    made.end()


@pytest.fixture
def settings(server_settings: Settings, module_url: str, way: Way) -> Settings:
    """Settings that lead to the server by that way."""
    name = conninfo.conninfo_to_dict(module_url)["dbname"]
    url = f"postgresql://quipu_admin@127.0.0.1:{way.port}/{name}?sslmode=disable&gssencmode=disable"
    return replace(server_settings, database_url=url, connect_seconds=5.0)


@pytest.fixture
async def memory(settings: Settings) -> AsyncIterator[AsyncMemory]:
    async with AsyncMemory(settings=settings) as opened:
        await opened.observe([{"content": "Ana lives in Faro."}], space="ana")
        yield opened


async def test_every_connection_of_the_pool_is_asked_for_a_moment_only(memory: AsyncMemory, way: Way) -> None:
    """Each that rests is asked before it is handed out, one after the other."""

    async def recall() -> str:
        return (await memory.recall("Where does Ana live?", space="ana"))[0].text

    async with anyio.create_task_group() as tasks:
        for _ in range(8):
            tasks.start_soon(recall)
    await anyio.sleep(connection._ASK_AFTER_SECONDS)  # who answered a moment ago is not asked
    with way.closed():
        begun = time.monotonic()
        for _ in range(3):
            await refused(recall)
        assert time.monotonic() - begun < PATIENCE_SECONDS / 2  # one of them alone had that long before
        with anyio.fail_after(PATIENCE_SECONDS), pytest.raises(DatabaseUnavailable):
            await memory.spaces()
    assert await comes_back(recall) == "Ana lives in Faro."


async def test_a_memory_closes_and_none_is_opened(settings: Settings, way: Way) -> None:
    with anyio.fail_after(PATIENCE_SECONDS):
        async with AsyncMemory(settings=settings) as memory:
            await memory.observe([{"content": "Ana lives in Faro."}], space="ana")
            closed = way.closed()
            closed.__enter__()
        with pytest.raises(DatabaseUnavailable):
            await AsyncMemory(settings=replace(settings, connect_seconds=0.5)).__aenter__()
        closed.__exit__(None, None, None)


async def test_what_is_long_is_given_up_where_its_connection_is_dead_and_the_server_lives(
    settings: Settings, way: Way
) -> None:
    """The server is at work on nothing: what was sent never came to it."""
    patient = replace(settings, answer_seconds=1.0)
    async with await connect(settings.database_url or "", patient) as conn:
        with connection.enduring(conn), anyio.fail_after(PATIENCE_SECONDS):
            await conn.execute("select pg_sleep(2.5)")
            way.cut()
            with pytest.raises(Unanswered):
                await conn.execute("select 1")
        assert conn.closed


@pytest.mark.parametrize("ended_by", ["silence", "cancelling"])
async def test_a_pipeline_whose_connection_closes_while_it_ends_leaves_nothing_to_be_collected(
    module_url: str, server_settings: Settings, monkeypatch: pytest.MonkeyPatch, ended_by: str
) -> None:
    """The connection takes nothing more when the pipeline ends; who cancels says so again and again."""
    complaints: list[str] = []
    waits = asyncio.Event()

    def full(*_: object) -> Generator[int, int, list[object]]:
        waits.set()
        while True:
            yield 1

    async with await connect(module_url, server_settings) as conn:

        async def use() -> None:
            async with conn.pipeline():
                await conn.execute("select 1")
                monkeypatch.setattr("psycopg._pipeline_base.pipeline_communicate", full)
                if ended_by == "silence":
                    conn.answer_seconds = 0.2

        monkeypatch.setattr(sys, "unraisablehook", lambda left: complaints.append(str(left.exc_value)))
        using = asyncio.create_task(use())
        if ended_by == "cancelling":
            await waits.wait()
            while not using.done():
                using.cancel()
                await asyncio.sleep(0)
        with pytest.raises((Unanswered, asyncio.CancelledError)):
            await using
        assert conn.closed
        del using
        gc.collect()
    assert complaints == []
