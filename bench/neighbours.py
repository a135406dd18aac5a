"""Measure what one caller's recall takes beside statements of another caller, at their limit.

    python bench/neighbours.py             20 seconds of each load, three rounds, medians
    python bench/neighbours.py --check     fails where a load makes the recall take three times as long
    python bench/neighbours.py --quick     a second of each, one round: does it run at all?

An embedded server and `AsyncMemory` with the settings that everybody gets; both callers are in this process.
The victim recalls, one question after the other; the other keeps twelve statements waiting, half of them
through the query of tables and half through that of transcripts, so that the limit of statements at once
always holds. Alone and beside each load are measured in turn, in every round.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from statistics import median
from time import perf_counter

from rich.console import Console
from rich.table import Table

from pace import usage
from pace.figures import percentile
from quipu import AsyncMemory
from quipu.errors import QuipuError
from quipu.kernel.config import Settings
from quipu.kernel.db.turns import set_caller

ALONE = "alone"
SLEEPING = "beside sleeping statements"
COMPUTING = "beside computing statements"
LOADS: dict[str, Sequence[str]] = {
    ALONE: (),
    SLEEPING: ("select pg_sleep(10)",),
    COMPUTING: (
        "select sum(n * n) from generate_series(1, 20000000) n",
        "select count(*) from generate_series(1, 3000000) n where n::text ~ '^(1|2)+(3|4)*[5-9]+$'",
        "select max(x) from (select md5(n::text) x from generate_series(1, 400000) n order by 1) s",
        "select count(*) from generate_series(1, 4000) a, generate_series(1, 4000) b where a * b % 7 = 1",
    ),
}
WAITING = 12
MOST_TIMES = 3.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code: 1 where --check fails."""
    options = _parse(arguments)
    rounds, seconds = (1, 1.0) if options.quick else (options.rounds, options.seconds)
    busy = usage.load()
    with tempfile.TemporaryDirectory(prefix="quipu-neighbours-", ignore_cleanup_errors=True) as temporary:
        Path(temporary).chmod(0o711)  # when we are root, another account runs the server and must get in
        settings = Settings(home=Path(temporary) / "home", embedding_model="hashing")
        found = asyncio.run(_measured(settings, rounds, seconds))
    slower = _show(found, f"{rounds} rounds of {seconds:g} s, {busy} at the start")
    return 1 if options.check and slower > MOST_TIMES else 0


async def _measured(settings: Settings, rounds: int, seconds: float) -> dict[str, list[tuple[float, float]]]:
    """The median and the 95th percentile of a recall, ms, of each round beside each load."""
    found: dict[str, list[tuple[float, float]]] = {load: [] for load in LOADS}
    async with AsyncMemory(settings=settings) as memory:
        said = [{"content": f"Bo keeps number {n} in drawer {n % 97}."} for n in range(2000)]
        await memory.observe(said, space="bo")
        await memory.tables.create_table(
            "notes",
            "create table notes (id serial primary key, text text)",
            description="What was noted.",
            embed_fields=[],
            space="ana",
        )
        await _recalls(memory, 1.0)
        for _ in range(rounds):
            for load, statements in LOADS.items():
                others = [asyncio.create_task(_keep_asking(memory, statements, n)) for n in range(WAITING)]
                try:
                    await asyncio.sleep(0.5 if statements else 0)
                    ms = await _recalls(memory, seconds)
                finally:
                    for other in others:
                        other.cancel()
                    await asyncio.gather(*others, return_exceptions=True)
                found[load].append((percentile(ms, 0.5), percentile(ms, 0.95)))
    return found


async def _recalls(memory: AsyncMemory, seconds: float) -> list[float]:
    ms: list[float] = []
    until = perf_counter() + seconds
    for n in itertools.count():
        start = perf_counter()
        await memory.recall(f"Where is number {n % 2000}?", space="bo")
        ms.append((perf_counter() - start) * 1000)
        if perf_counter() > until:
            return ms
    raise AssertionError


async def _keep_asking(memory: AsyncMemory, statements: Sequence[str], number: int) -> None:
    set_caller("another key")
    kind = (memory.tables, memory.transcripts)[number % 2]
    for statement in itertools.cycle(statements):
        with suppress(QuipuError):  # refused, or ended at a limit: the next
            await kind.query(statement, space="ana")


def _show(found: dict[str, list[tuple[float, float]]], title: str) -> float:
    """Print the table; returns how many times its time alone the slowest recall takes, at p50 or p95."""
    table = Table("a recall", "p50 ms", "p95 ms", "times p50", "times p95", title=title)
    for column in table.columns[1:]:
        column.justify = "right"
    middle = {
        load: [median(values) for values in zip(*rounds, strict=True)] for load, rounds in found.items()
    }
    alone = middle[ALONE]
    slower = 0.0
    for load, values in middle.items():
        times = [value / one for value, one in zip(values, alone, strict=True)]
        slower = max(slower, *times)
        table.add_row(load, *(f"{value:.1f}" for value in values), *(f"{one:.1f}" for one in times))
    Console(width=110).print(table)
    return slower


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="bench/neighbours.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3, help="how often each load is measured (default 3)")
    parser.add_argument("--seconds", type=float, default=20.0, help="of each load and round (default 20)")
    parser.add_argument("--quick", action="store_true", help="a second of each, one round")
    parser.add_argument("--check", action="store_true", help="exit code 1 above three times the time alone")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
