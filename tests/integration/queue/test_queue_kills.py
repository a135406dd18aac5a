"""What survives: a worker that is killed in the middle, a queue that is killed, a job that kills."""

from __future__ import annotations

import asyncio
import gc
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import psycopg
import pytest
from errands import appears, started
from patience import PATIENCE_SECONDS

from quipu.kernel.queue.model import Worked
from quipu.kernel.queue.outbox import put

if TYPE_CHECKING:
    from conftest import Works

pytestmark = pytest.mark.anyio
HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent.parent.parent / "src"
FIXTURES = HERE.parent.parent / "fixtures"
HASTY = {
    "job_lease_seconds": 1,
    "job_tries": 100,
}  # a dead worker is noticed soon; a busy machine misses leases


@contextmanager
def process(works: Works, changed: Mapping[str, Any] = {}) -> Iterator[subprocess.Popen[str]]:
    """A worker in a process of its own; it is killed if it still runs when the block ends."""
    settings = replace(works.settings, **changed)
    words = [str(settings.database_url), str(settings.job_lease_seconds)]
    words += [settings.redis_url] if settings.redis_url else []
    command = [sys.executable, str(HERE / "worker_process.py"), *words]
    path = {"PYTHONPATH": f"{SOURCE}:{HERE}:{FIXTURES}"}
    with subprocess.Popen(command, env=path, stdout=subprocess.PIPE, text=True) as running:
        try:
            yield running
        finally:
            running.kill()


async def test_the_job_of_a_worker_that_was_killed_is_done_by_another(works: Works, tmp_path: Path) -> None:
    mark, go = tmp_path / "started", tmp_path / "go"
    await works.put("note", {"until": str(go), **started(mark)}, key="k")
    with process(works, HASTY) as running:
        await appears(mark)
        running.kill()
    go.touch()
    async with works.working(settings=replace(works.settings, **HASTY)):
        await works.until_done()
    (trace,) = await works.traces()
    assert trace["key"] == "k"
    assert trace["attempt"] > 1  # more than two where a busy machine misses a lease


async def test_a_worker_that_is_told_to_end_finishes_its_job_and_no_other(
    works: Works, tmp_path: Path
) -> None:
    mark, go = tmp_path / "started", tmp_path / "go"
    await works.put("note", {"until": str(go), **started(mark)}, key="k")
    with process(works) as running:
        await appears(mark)
        running.send_signal(signal.SIGTERM)
        assert running.stdout is not None
        assert await anyio.to_thread.run_sync(running.stdout.readline) == "ending\n"
        await works.put("note", {}, key="late")
        go.touch()
        assert await anyio.to_thread.run_sync(running.communicate) == ("1\n", None)
        assert running.returncode == 0
    assert [trace["key"] for trace in await works.traces()] == ["k"]
    assert (await works.one())["attempts"] == 0


async def test_a_job_that_kills_its_workers_is_given_up(works: Works) -> None:
    await works.put("note", {}, key="killer")
    async with works.database.transaction(works.space) as tx:
        assert tx is not None
        await tx.conn.execute("update core.outbox set attempts = 3, started_at = now()")
    assert await works.burst() == Worked(failed=1, dead=1)
    (dead,) = await works.store.dead(topic="note", limit=10)
    assert dead.error == "Its worker ended while it did this, 3 times."
    assert await works.traces() == []


@asynccontextmanager
async def listening_may_end() -> AsyncIterator[None]:
    """SAQ leaves the error of the connection on which it listened to whoever collects its garbage."""
    loop = asyncio.get_running_loop()
    before = loop.get_exception_handler()

    def handle(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        if before is not None and not isinstance(context.get("exception"), psycopg.OperationalError):
            before(loop, context)

    loop.set_exception_handler(handle)
    try:
        yield
        gc.collect()
    finally:
        loop.set_exception_handler(before)


async def test_a_queue_that_is_killed_and_comes_back_loses_nothing(works: Works) -> None:
    """Of Redis the server is killed, of PostgreSQL every connection to the queue."""
    async with works.database.write(works.space) as tx, tx.conn.pipeline():
        for n in range(40):
            await put(tx, "note", {"n": n, "seconds": 0.02})
    async with listening_may_end(), works.working(2, settings=replace(works.settings, **HASTY)):
        with anyio.fail_after(PATIENCE_SECONDS):
            while len(await works.traces()) < 4:  # noqa: ASYNC110 - workers do it
                await anyio.sleep(0.01)
        if works.redis is None:
            async with works.database.owner() as conn:
                await conn.execute(
                    "select pg_terminate_backend(pid) from pg_stat_activity"
                    " where application_name in ('quipu-queue', 'quipu-worker')"
                )
        else:
            works.redis.kill()
            await anyio.sleep(0.1)
            works.redis.start()
        await works.until_done()
    assert sorted(trace["n"] for trace in await works.traces()) == list(range(40))
