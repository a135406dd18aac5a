"""Who listens for tickets in PostgreSQL ends with the worker, and quietly with the connection."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import psycopg
import pytest
from patience import PATIENCE_SECONDS
from redis_server import RedisServer

from quipu.errors import DatabaseUnavailable
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Connection
from quipu.kernel.queue import redis
from quipu.kernel.queue.model import Ticket, WorkTopic
from quipu.kernel.queue.saq import Carrier
from quipu.kernel.queue.store import Store

pytestmark = pytest.mark.anyio
LISTENING = """
select pid from pg_stat_activity where datname = current_database() and query ilike 'listen "saq:%'
"""


@pytest.fixture
async def store(url: str, settings: Settings) -> AsyncIterator[Store]:
    async with Store.open(url, settings, connections=4) as opened:
        yield opened


@asynccontextmanager
async def taking(store: Store, url: str) -> AsyncGenerator[int]:
    """A queue from which somebody takes; the process of the server on whose connection it listens."""
    lines = [WorkTopic("note", "note", 60)]
    async with (
        Carrier.open(lines, store=store, redis_url=None, lease_seconds=30) as carrier,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(partial(carrier.take, "note", wait_seconds=PATIENCE_SECONDS))
        yield await listener(url)
        tasks.cancel_scope.cancel()


async def listener(url: str) -> int:
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as conn:
        with anyio.fail_after(PATIENCE_SECONDS):
            while (found := await (await conn.execute(LISTENING)).fetchone()) is None:  # noqa: ASYNC110 - the server knows
                await anyio.sleep(0.01)
    return found[0]


def listening() -> list[asyncio.Task[Any]]:
    """The tasks that listen."""
    return [task for task in asyncio.all_tasks() if "_Listener._start" in repr(task)]


async def test_nobody_listens_any_more_when_the_queue_is_left(
    store: Store, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SAQ does not wait for who listens, so that the pool, or the server, could end first."""
    held = asyncio.Event()
    notifies = Connection.notifies

    async def slow(conn: Connection, **given: Any) -> AsyncGenerator[psycopg.Notify]:
        """Hold the connection when it is to be given back."""
        try:
            async for notice in notifies(conn, **given):
                yield notice
        finally:
            await held.wait()

    monkeypatch.setattr(Connection, "notifies", slow)
    async with taking(store, url):
        asyncio.get_running_loop().call_later(0.1, held.set)
    assert held.is_set()
    assert listening() == []


async def test_who_was_to_end_while_it_began_to_listen_does_not_listen(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before Python 3.12 ``asyncio.wait_for`` forgets that it was cancelled where what it waits for comes."""
    begun = asyncio.Event()
    execute = Connection.execute

    async def forgetful(conn: Connection, query: Any, *given: Any, **named: Any) -> Any:
        if "LISTEN" in str(query):
            begun.set()
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(PATIENCE_SECONDS)
        return await execute(conn, query, *given, **named)

    monkeypatch.setattr(Connection, "execute", forgetful)
    lines = [WorkTopic("note", "note", 60)]
    async with (
        Carrier.open(lines, store=store, redis_url=None, lease_seconds=30) as carrier,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(partial(carrier.take, "note", wait_seconds=PATIENCE_SECONDS))
        await begun.wait()
        tasks.cancel_scope.cancel()
    assert listening() == []


async def test_one_connection_listens_for_all_queues_until_another_takes_its_place(
    store: Store, url: str
) -> None:
    lines = [WorkTopic(name, name, 60) for name in ("note", "letter", "call")]
    taken: list[str] = []

    async def take(topic: str) -> None:
        assert await carrier.take(topic, wait_seconds=PATIENCE_SECONDS) is not None
        taken.append(topic)

    async def sent(topic: str) -> None:
        await carrier.send(Ticket(1, len(taken), topic))
        with anyio.fail_after(PATIENCE_SECONDS):
            while topic not in taken:  # noqa: ASYNC110
                await anyio.sleep(0.01)

    async with (
        await psycopg.AsyncConnection.connect(url, autocommit=True) as conn,
        Carrier.open(lines, store=store, redis_url=None, lease_seconds=30) as carrier,
        anyio.create_task_group() as tasks,
    ):
        for line in lines:
            tasks.start_soon(take, line.topic)
        await sent("call")
        process = await listener(url)
        await conn.execute("select pg_terminate_backend(%s, 60000)", [process])
        tasks.start_soon(take, "call")
        assert await listener(url) != process
        await sent("letter")
        await sent("note")
        tasks.cancel_scope.cancel()


async def test_a_connection_that_ends_is_no_error_of_whoever_listens(store: Store, url: str) -> None:
    async with taking(store, url) as process:
        (task,) = listening()
        async with await psycopg.AsyncConnection.connect(url, autocommit=True) as conn:
            await conn.execute("select pg_terminate_backend(%s, 60000)", [process])
        await asyncio.wait({task}, timeout=PATIENCE_SECONDS)
        assert task.exception() is None


async def test_who_listens_in_a_redis_that_is_gone_lets_others_run() -> None:
    """A Unix socket refuses at once: who asked again without a pause would never let go of the loop."""
    with tempfile.TemporaryDirectory(prefix="quipu-redis-") as directory:
        server = RedisServer(Path(directory))
        server.start()
        waiting = redis.queue(server.url, "notes")
        told = asyncio.create_task(
            waiting.listen(["saq:job:notes:1"], lambda _key, _status: True, timeout=None)
        )
        try:
            await anyio.sleep(0.1)
            server.kill()
            for _ in range(3):
                await anyio.sleep(0.01)
        finally:
            told.cancel()
            with suppress(DatabaseUnavailable), redis.told():
                await waiting.disconnect()
            server.kill()
