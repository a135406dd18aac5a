"""Measure what ``observe`` costs with all that hears of it behind it, beside the same with nobody hearing.

    python bench/observing.py                 300 turns of each
    python bench/observing.py --turns 20      a few: does it run at all?

One message a turn, on an embedded server that is warm; the two take turns, so what else the machine does
befalls both. Nothing works on what is put: that is what a worker does, later and elsewhere.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from time import perf_counter

import anyio
from rich.console import Console
from rich.table import Table

from pace import usage
from quipu.app.kinds import HEARS, PACKAGES
from quipu.kernel.base.clock import SystemClock
from quipu.kernel.config import Settings
from quipu.kernel.db import embedded
from quipu.kernel.db.database import Database
from quipu.recall.generations import Models
from quipu.record.service import Record

WARM = 20
PER_SESSION = 10


async def measure(home: Path, turns: int, model: str) -> dict[str, list[float]]:
    """Seconds of each turn, by who hears."""
    settings = Settings(home=home, embedding_model=model)
    async with (
        await embedded.start(settings) as server,
        Database.open(server.conninfo(), settings, packages=PACKAGES) as database,
        Models.open(database, settings) as models,
    ):
        made = {
            name: Record(
                database, models, clock=SystemClock(), language="auto", redact=True, subscribes=subscribes
            )
            for name, subscribes in (("all kinds hear", HEARS), ("nobody hears", ()))
        }
        seconds: dict[str, list[float]] = {name: [] for name in made}
        for turn in range(turns + WARM):
            for name, record in sorted(
                made.items(), reverse=bool(turn % 2)
            ):  # who is second may find it warm
                seconds[name].append(await _turn(record, turn, space=name))
    return {name: found[WARM:] for name, found in seconds.items()}


async def _turn(record: Record, turn: int, *, space: str) -> float:
    said = {"role": "user", "content": f"Turn {turn}: to {space} the boat in Oslo is blue by now."}
    begun = perf_counter()
    await record.observe([said], space=space, session=f"s{turn // PER_SESSION}", user="ana")
    return perf_counter() - begun


def show(seconds: dict[str, list[float]], *, title: str) -> None:
    """Print the table."""
    table = Table("", "p10 ms", "median ms", "p95 ms", title=title)
    for name, found in seconds.items():
        ordered = sorted(found)
        shares = (ordered[int(len(found) * share)] for share in (0.1, 0.5, 0.95))
        table.add_row(name, *(f"{1000 * one:.2f}" for one in shares))
    heard, alone = (median(found) for found in seconds.values())
    console = Console(width=100)
    console.print(table)
    console.print(f"hearing costs {1000 * (heard - alone):.2f} ms, {heard / alone:.2f} times nobody hearing")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="bench/observing.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--turns", type=int, default=300)
    parser.add_argument("--model", default="all-MiniLM-L6-v2", help="the embedding model")
    options = parser.parse_args(arguments)
    busy = usage.load()
    with tempfile.TemporaryDirectory(prefix="quipu-observing-", ignore_cleanup_errors=True) as home:
        Path(home).chmod(0o711)  # when we are root, another account runs the server and must get in
        seconds = anyio.run(measure, Path(home), options.turns, options.model)
    show(seconds, title=f"{options.turns} turns of each; {busy} at the start")
    return 0


if __name__ == "__main__":
    sys.exit(main())
