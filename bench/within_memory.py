"""Show that what needs most memory works under the limit of memory of a process of the embedded server.

    python bench/within_memory.py                100,000 entries, and as many vectors of an agent
    python bench/within_memory.py --rows 2000    does it run at all?

The limit is the least that any machine gets without a setting. Every step either is done or ends the script
with its error; beside each stand its seconds and the largest address space that a process of the server had
by then, which is what the limit counts.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Awaitable, Sequence
from pathlib import Path
from time import perf_counter

import psycopg
from rich.console import Console
from rich.table import Table

from pace import usage
from quipu import AsyncMemory
from quipu.app.kinds import KINDS, PACKAGES
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kernel.db.embedded.cluster import default_share_mb
from quipu.kernel.db.embedded.place import find_place
from quipu.kernel.db.embedded.postmaster import door_of
from quipu.kernel.embedding.hashing import HashEmbedder
from quipu.upkeep.reembed.reembed import reembed

AT_ONCE = 2000
DIMENSIONS = 64  # of an agent's own vectors
SPACE = "bench"
CITES = {kind.code: kind.cite for kind in KINDS}
WORDS = ("tea", "salt", "wool", "iron", "amber", "glass", "paper", "rope")


class Steps:
    """Does the steps and notes what each took."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.done: list[tuple[str, float, int]] = []

    def url(self) -> str:
        """The address of the server for its superuser."""
        return door_of(find_place(self._settings)).conninfo("quipu")

    async def do(self, name: str, work: Awaitable[object]) -> None:
        """Do one, and look at the processes of the server meanwhile."""
        start, most = perf_counter(), 0
        task = asyncio.ensure_future(work)
        while not task.done():
            most = max(most, await asyncio.to_thread(self._largest_mb))
            await asyncio.wait([task], timeout=0.2)
        await task
        self.done.append((name, perf_counter() - start, most))
        print(f"{name}: {self.done[-1][1]:.0f} s, {most:,} MB", file=sys.stderr, flush=True)

    def _largest_mb(self) -> int:
        with psycopg.connect(self.url(), autocommit=True) as conn:
            pids = [pid for (pid,) in conn.execute("select pid from pg_stat_activity where pid is not null")]
        return max((_address_space_mb(pid) for pid in pids), default=0)


def _address_space_mb(pid: int) -> int:
    try:
        told = Path(f"/proc/{pid}/status").read_text()
    except OSError:  # it ended meanwhile
        return 0
    return next((int(line.split()[1]) // 1024 for line in told.splitlines() if line.startswith("VmPeak")), 0)


async def _observe(memory: AsyncMemory, rows: int) -> None:
    for first in range(0, rows, AT_ONCE):
        said = [
            {"content": f"Ship {n} carries {WORDS[n % 8]} to harbour {n % 977}.", "session": f"s{n // 50}"}
            for n in range(first, min(rows, first + AT_ONCE))
        ]
        await memory.observe(said, space=SPACE)


async def _vacuum(steps: Steps, words: str) -> None:
    async with await psycopg.AsyncConnection.connect(steps.url(), autocommit=True) as conn:
        await conn.execute(words.encode())


async def _reembed(steps: Steps, settings: Settings) -> None:
    async with Database.open(steps.url(), settings, packages=PACKAGES) as database:
        await reembed(database, HashEmbedder(dimensions=100), CITES)


async def _measured(settings: Settings, rows: int) -> Steps:
    steps = Steps(settings)
    async with AsyncMemory(settings=settings) as memory:
        await steps.do("record and index the entries", _observe(memory, rows))
        tables = memory.tables
        table = f"create table items (id int primary key, place vector({DIMENSIONS}))"
        await tables.create_table("items", table, description="Items.", embed_fields=[], space=SPACE)
        filling = (
            "insert into items select n, array_agg(random())::vector"  # noqa: S608 - two whole numbers
            f" from generate_series(1, {rows}) n, generate_series(1, {DIMENSIONS}) group by n"
        )
        await steps.do(
            "fill an agent's table with vectors", tables.execute(filling, space=SPACE, confirm=True)
        )
        await steps.do("vacuum and analyze the whole database", _vacuum(steps, "vacuum (analyze)"))
        full = _vacuum(steps, "vacuum full core.recall_entries, core.recall_vectors")
        await steps.do("rewrite the index of recall (vacuum full)", full)
        await steps.do("make every vector again (reembed)", _reembed(steps, settings))
        await steps.do("recall", memory.recall("Which ship carries amber to harbour 7?", space=SPACE))
        for kind in (
            "ivfflat (place vector_cosine_ops) with (lists = 100)",
            "hnsw (place vector_cosine_ops)",
        ):
            building = tables.execute(f"create index on items using {kind}", space=SPACE, confirm=True)
            await steps.do(f"build the agent's index {kind.split()[0]}", building)
    return steps


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="bench/within_memory.py",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--rows", type=int, default=100_000, help="entries and vectors (default 100,000)")
    rows = parser.parse_args(arguments).rows
    busy, least = usage.load(), Settings().shared_buffers_mb + default_share_mb(0)
    with tempfile.TemporaryDirectory(prefix="quipu-within-", ignore_cleanup_errors=True) as temporary:
        Path(temporary).chmod(0o711)  # when we are root, another account runs the server and must get in
        settings = Settings(
            home=Path(temporary) / "home",
            embedding_model="hashing",
            statement_seconds=3600,
            backend_memory_mb=least,
        )
        steps = asyncio.run(_measured(settings, rows))
    table = Table(
        "step", "seconds", "largest MB", title=f"{rows:,} rows under {least:,} MB, {busy} at the start"
    )
    for name, seconds, most in steps.done:
        table.add_row(name, f"{seconds:.0f}", f"{most:,}")
    Console(width=110).print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
