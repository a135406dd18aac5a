"""Measure how many jobs a second are put and done, through PostgreSQL and through Redis, beside SAQ alone.

    python bench/jobs.py                   2,000 jobs of each
    python bench/jobs.py --jobs 50         a few: does it run at all?

SAQ alone puts a job that nobody's transaction knows of, and its worker does nothing with it. Ours is put in a
transaction that is on the disk when it ends, carried to a worker by SAQ, and done in a transaction that takes
it out: what it writes is there exactly once. Redis is a real one, started for this; without redis-server on
the machine its lines are left out, and the program says so.

It is not called ``queue.py``: the folder of a script comes first where Python looks for modules, and every
bench beside it would get this file for the ``queue`` of the standard library.
"""

from __future__ import annotations

import argparse
import json
import logging
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any

import anyio
from rich.console import Console
from rich.table import Table
from saq import Queue
from saq.queue.postgres import PostgresQueue
from saq.queue.redis import RedisQueue
from saq.worker import Worker as SaqWorker

from pace import usage
from quipu.app.kinds import PACKAGES
from quipu.app.workers import Duties, worker
from quipu.kernel.base.clock import SystemClock
from quipu.kernel.config import Settings
from quipu.kernel.db import embedded
from quipu.kernel.db.database import Database
from quipu.kernel.queue.outbox import put
from quipu.kinds.plug import Context
from quipu.recall.generations import Models

AT_ONCE = 8
TOGETHER = 100


@dataclass(frozen=True, slots=True)
class Measured:
    """One line: what was done through which carrier, and how often in a second."""

    carrier: str
    what: str
    a_second: float


async def effect(context: Context, _: Mapping[str, Any]) -> None:
    """A job whose effect is that it is gone."""
    async with context.effect():
        pass


async def nothing(ctx: Any) -> None:
    """The job of SAQ alone."""


DUTIES = Duties({"bench": effect}, {}, {})


@contextmanager
def redis_server(directory: Path) -> Iterator[str | None]:
    """The address of a Redis that writes to the disk once a second; None where there is none."""
    program = shutil.which("redis-server")
    if program is None:
        yield None
        return
    socket = directory / "redis.sock"
    words = ["--port", "0", "--unixsocket", str(socket), "--dir", str(directory), "--appendonly", "yes"]
    with subprocess.Popen([program, *words, "--save", ""], stdout=subprocess.DEVNULL) as running:
        while not socket.exists():
            time.sleep(0.01)
        yield f"unix://{socket}"
        running.terminate()


async def alone(queue: Queue, carrier: str, jobs: int) -> list[Measured]:
    """SAQ without us: put by eight at once, done by its own worker, eight at a time."""
    await queue.connect()
    left = list(range(jobs))

    async def some() -> None:
        while left:
            await queue.enqueue("nothing", key=f"alone-{left.pop()}", ttl=-1)

    begun = perf_counter()
    async with anyio.create_task_group() as tasks:
        for _ in range(AT_ONCE):
            tasks.start_soon(some)
    put_seconds = perf_counter() - begun
    hired: SaqWorker[Any] = SaqWorker(queue, [nothing], concurrency=AT_ONCE)
    begun = perf_counter()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(hired.start)
        while await queue.count("incomplete"):  # noqa: ASYNC110 - a server counts
            await anyio.sleep(0.01)
        done_seconds = perf_counter() - begun
        await hired.stop()
    await queue.disconnect()
    return [
        Measured(carrier, "SAQ alone: put", jobs / put_seconds),
        Measured(carrier, "SAQ alone: done", jobs / done_seconds),
    ]


async def ours(database: Database, settings: Settings, carrier: str, jobs: int) -> list[Measured]:
    """The same through the outbox."""
    begun = perf_counter()
    left = list(range(jobs))

    async def some() -> None:
        while left:
            left.pop()
            async with database.write("bench") as tx:
                await put(tx, "bench", {})

    async with anyio.create_task_group() as tasks:
        for _ in range(min(AT_ONCE, settings.pool_size)):
            tasks.start_soon(some)
    one_each = jobs / (perf_counter() - begun)
    begun = perf_counter()
    for _ in range(0, jobs, TOGETHER):
        async with database.write("bench") as tx, tx.conn.pipeline():
            for _ in range(TOGETHER):
                await put(tx, "bench", {})
    many = -(-jobs // TOGETHER) * TOGETHER
    together = many / (perf_counter() - begun)
    async with (
        Models.open(database, settings) as models,
        worker(database, models, settings, clock=SystemClock(), known=DUTIES, concurrency=AT_ONCE) as hired,
    ):
        begun = perf_counter()
        worked = await hired.burst()
        seconds = perf_counter() - begun
    assert worked.done == jobs + many, worked
    return [
        Measured(carrier, "Quipu: put, a transaction each", one_each),
        Measured(carrier, f"Quipu: put, {TOGETHER} in a transaction", together),
        Measured(carrier, "Quipu: handed over and done exactly once", worked.done / seconds),
    ]


@asynccontextmanager
async def opened(home: Path) -> AsyncGenerator[tuple[Database, Settings]]:
    """A database of its own, with ten connections."""
    settings = Settings(home=home, embedding_model="hashing", pool_size=AT_ONCE + 2)
    async with await embedded.start(settings) as server:
        url = server.conninfo()
        async with Database.open(url, settings, packages=PACKAGES) as database:
            yield database, settings


async def measure(home: Path, redis_url: str | None, jobs: int) -> list[Measured]:
    lines: list[Measured] = []
    async with opened(home) as (database, settings):
        queue: Queue = PostgresQueue.from_url(database.url, name="alone", min_size=1, max_size=AT_ONCE + 4)
        lines += await alone(queue, "PostgreSQL", jobs)
        lines += await ours(database, settings, "PostgreSQL", jobs)
        if redis_url is not None:
            lines += await alone(RedisQueue.from_url(redis_url, name="alone"), "Redis", jobs)
            lines += await ours(database, replace(settings, redis_url=redis_url), "Redis", jobs)
    return lines


def show(lines: Sequence[Measured], *, title: str) -> None:
    """Print the table."""
    table = Table("carried by", "", "jobs a second", title=title)
    table.columns[2].justify = "right"
    for line in lines:
        table.add_row(line.carrier, line.what, f"{line.a_second:,.0f}")
    Console(width=120).print(table)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="bench/jobs.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--jobs", type=int, default=2_000, help="how many of each")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there")
    options = parser.parse_args(arguments)
    logging.getLogger("saq").setLevel(logging.ERROR)
    busy = usage.load()
    with (
        tempfile.TemporaryDirectory(prefix="quipu-jobs-") as home,
        tempfile.TemporaryDirectory(prefix="quipu-redis-") as redis_home,
        redis_server(Path(redis_home)) as redis_url,
    ):
        Path(home).chmod(0o711)  # when we are root, another account runs the server and must get in
        if redis_url is None:
            print("No redis-server on this machine: its lines are left out.", file=sys.stderr)
        lines = anyio.run(measure, Path(home), redis_url, options.jobs)
    show(lines, title=f"{options.jobs:,} jobs; {busy} at the start")
    if options.json:
        options.json.write_text(json.dumps([asdict(line) for line in lines], indent=2), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
