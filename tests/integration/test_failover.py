"""A primary that dies and a standby that takes its place: one address names both."""

from __future__ import annotations

import os
from collections.abc import Iterator

import anyio
import psycopg
import pytest
from patience import PATIENCE_SECONDS, until
from primary_and_standby import Pair, running_pair

from quipu import AsyncMemory
from quipu.errors import DatabaseUnavailable, NotReplicated, QuipuError
from quipu.kernel.config import Settings

pytestmark = [pytest.mark.anyio, pytest.mark.skipif(os.name != "posix", reason="it sends signals")]

_REPLICATED = "select count(*) from pg_stat_replication where sync_state = 'sync'"

_CANCEL = "select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'"


@pytest.fixture
def pair() -> Iterator[Pair]:
    """A primary whose commits wait for its standby."""
    with running_pair() as made:
        with psycopg.connect(made.primary, autocommit=True) as conn:
            conn.execute("alter system set synchronous_standby_names = '*'")
            conn.execute("select pg_reload_conf()")
            assert until(lambda: conn.execute(_REPLICATED).fetchone() == (1,))
        yield made


def settings(url: str) -> Settings:
    return Settings(database_url=url, embedding_model="hashing", connect_seconds=2, pool_size=2)


async def test_nothing_acknowledged_is_lost_and_nothing_is_restarted(pair: Pair) -> None:
    acknowledged: list[str] = []
    ended = anyio.Event()

    async def write(memory: AsyncMemory) -> None:
        number = 0
        while not ended.is_set():
            number += 1
            message = {"id": f"m{number}", "content": f"Boat {number} is green."}
            try:
                await memory.observe([message], space="ana")
            except QuipuError:
                await anyio.sleep(0.05)
                continue
            acknowledged.append(f"m{number}")

    async def more(than: int) -> None:
        with anyio.fail_after(PATIENCE_SECONDS):
            while len(acknowledged) < than:  # noqa: ASYNC110 - the other task counts
                await anyio.sleep(0.05)

    async with AsyncMemory(settings=settings(pair.both)) as memory, anyio.create_task_group() as tasks:
        tasks.start_soon(write, memory)
        await more(10)
        pair.kill_primary()
        before = len(acknowledged)
        await anyio.to_thread.run_sync(pair.promote)
        await more(before + 10)
        ended.set()
        assert len(await memory.recall("boat", space="ana")) == 10
    with psycopg.connect(pair.standby) as conn:
        there = {id_ for (id_,) in conn.execute("select external_id from core.messages")}
    assert set(acknowledged) <= there


async def test_what_no_standby_has_is_not_acknowledged(pair: Pair) -> None:
    """Whoever cancels the wait for a standby has PostgreSQL say, with a warning, that it is committed."""
    async with AsyncMemory(settings=settings(pair.both)) as memory:
        await memory.observe([{"content": "The boat is green."}], space="ana")
        with psycopg.connect(pair.primary, autocommit=True) as conn:
            pair.kill_standby()

            def cancelled() -> bool:
                return conn.execute(_CANCEL).fetchall() == [(True,)]

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(anyio.to_thread.run_sync, until, cancelled)
                with pytest.raises(NotReplicated, match="no standby"):
                    await memory.observe([{"content": "The boat is red."}], space="ana")


async def test_a_server_that_takes_no_writes_is_said(pair: Pair) -> None:
    pair.kill_primary()
    with pytest.raises(DatabaseUnavailable) as said:
        async with AsyncMemory(settings=settings(pair.both)):
            pass
    assert said.value.hint
