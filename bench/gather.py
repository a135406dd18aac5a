"""Measure what gathering takes in a space of 100,000 memories, against its limit of 30 ms.

    python bench/gather.py                 100,000 memories in one space, each call fifty times
    python bench/gather.py --check         exit code 1 where a median is above 30 ms
    python bench/gather.py --n 2000        a small one: does it run at all?
    python bench/gather.py --keep DIR      fill once, measure often

An embedded server and `AsyncMemory` in this process, vectors of the deterministic embedder. Topics are
subjects that a memory names. The calls take turns, so that a busy moment meets all of them.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.table import Table

from pace import usage
from pace.facts import Fact, facts
from pace.figures import percentile
from pace.server import home
from quipu import AsyncMemory
from quipu.kernel.config import Settings

SPACE = "one"
MOST_MS = 30.0
_AT_ONCE = 10_000
_SESSION = 200
CALLS: dict[str, tuple[bool, dict[str, Any]]] = {
    "a topic": (True, {}),
    "a topic, its exchanges": (True, {"exchanges": True}),
    "a topic of one month": (True, {"since": "2024-03-01", "until": "2024-04-01"}),
    "everything of a week": (False, {"since": "2024-03-01", "until": "2024-03-08"}),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code: 1 where --check fails."""
    options = _parse(arguments)
    busy = usage.load()
    with home(options.keep, name="gather") as place:
        ms = asyncio.run(_measured(Settings(home=place, embedding_model="hashing"), options.n, options.times))
    slowest = _show(
        ms, f"gather among {options.n:,} memories, {options.times} times each, {busy} at the start"
    )
    return 1 if options.check and slowest > MOST_MS else 0


async def _measured(settings: Settings, count: int, times: int) -> dict[str, list[float]]:
    """The milliseconds of each call."""
    stored = facts(count, 1)
    ms: dict[str, list[float]] = {name: [] for name in CALLS}
    async with AsyncMemory(settings=settings) as memory:
        await _fill(memory, stored)
        for turn in range(times + 1):
            for name, (has_topic, arguments) in CALLS.items():
                topic = stored[turn].subject if has_topic else None
                begun = perf_counter()
                await memory.gather(topic, space=SPACE, **arguments)
                if turn:  # the first of each warms up
                    ms[name].append((perf_counter() - begun) * 1000)
    return ms


async def _fill(memory: AsyncMemory, stored: Sequence[Fact]) -> None:
    """Take in what is not there yet."""
    for first in range(0, len(stored), _AT_ONCE):
        messages = [
            {"id": fact.id, "content": fact.text, "time": fact.time, "session": f"s{number // _SESSION}"}
            for number, fact in enumerate(stored[first : first + _AT_ONCE], first)
        ]
        await memory.import_messages(messages, space=SPACE)
        print(f"{first + len(messages):,} memories", file=sys.stderr, flush=True)


def _show(ms: dict[str, list[float]], title: str) -> float:
    """Print the table; returns the slowest median."""
    table = Table("gather", "p50 ms", "p95 ms", "limit of p50, ms", title=title)
    for column in table.columns[1:]:
        column.justify = "right"
    middle = {name: percentile(times, 0.5) for name, times in ms.items()}
    for name, times in ms.items():
        table.add_row(name, f"{middle[name]:.1f}", f"{percentile(times, 0.95):.1f}", f"{MOST_MS:g}")
    Console(width=110).print(table)
    return max(middle.values())


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="bench/gather.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--n", type=int, default=100_000, help="memories in the space (default 100000)")
    parser.add_argument("--times", type=int, default=50, help="how often each call is made (default 50)")
    parser.add_argument("--check", action="store_true", help="exit code 1 above 30 ms (the median)")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep the memory there and use it again")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
