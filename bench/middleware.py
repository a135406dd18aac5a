"""Measure what the middleware adds to an answer, beside the bare call of the agent in the same run.

    python bench/middleware.py [--memories 10000] [--turns 300] [--json FILE]

One person with so many long-term memories, an agent that answers at once, and messages that ask for some of
the memories, with the embedding model. A turn is called bare and with memory around it, one after the other,
so that both have the same machine. ``search`` is one question without limit and audit; ``before`` is the
recovery; ``a call with memory`` is all that the answer waits for. ``turns being written``: each call begins
while the turn before is being written. ``least`` is nearest to what a machine with nothing else to do takes.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import get_args

from rich.console import Console
from rich.table import Table

from quipu import AsyncMemory, Memory
from quipu.kernel.config import Settings
from quipu.kinds.longterm.model import Category, Evaluation, Inclusion
from quipu.middleware import Middleware

_SPACE, _USER = "bench", "ana"
_WARM = 20
_AT_ONCE = 500
_GOAL_MS = 40.0
_WORDS = {
    "who": [
        "sister",
        "brother",
        "aunt",
        "neighbour",
        "colleague",
        "teacher",
        "dentist",
        "friend",
        "cousin",
        "landlord",
        "trainer",
        "pilot",
    ],
    "name": [
        "Marta",
        "Joao",
        "Ines",
        "Rui",
        "Clara",
        "Otto",
        "Lena",
        "Piotr",
        "Aiko",
        "Sven",
        "Amina",
        "Tomas",
        "Bruna",
        "Edda",
        "Yusuf",
        "Nora",
    ],
    "what": [
        "boat",
        "violin",
        "bakery",
        "garden",
        "bicycle",
        "camera",
        "kiln",
        "telescope",
        "loom",
        "piano",
        "greenhouse",
        "kayak",
        "anvil",
    ],
    "where": [
        "Lisbon",
        "Oslo",
        "Kyoto",
        "Graz",
        "Porto",
        "Turin",
        "Ghent",
        "Bergen",
        "Tartu",
        "Bilbao",
        "Lyon",
        "Riga",
        "Cork",
        "Basel",
    ],
    "how": [
        "on Mondays",
        "in winter",
        "before breakfast",
        "every spring",
        "after work",
        "on the train",
        "at night",
    ],
}


def summaries(number: int, seed: int = 7) -> list[str]:
    """So many different memories of one person."""
    pick = random.Random(seed)
    made: dict[str, None] = {}
    while len(made) < number:
        w = {name: pick.choice(words) for name, words in _WORDS.items()}
        made[
            pick.choice(
                [
                    f"The user's {w['who']} {w['name']} has a {w['what']} in {w['where']}.",
                    f"The user likes to use the {w['what']} {w['how']} with {w['name']}.",
                    f"The user and {w['name']}, the {w['who']}, meet in {w['where']} {w['how']}.",
                    f"The user wants to show the {w['what']} in {w['where']} to {w['name']}.",
                    f"The user's {w['what']} number {pick.randrange(900)} is from {w['where']}.",
                ]
            )
        ] = None
    return list(made)


def messages(number: int, seed: int = 11) -> list[str]:
    """So many messages of the person."""
    pick = random.Random(seed)
    made = []
    for _ in range(number):
        w = {name: pick.choice(words) for name, words in _WORDS.items()}
        made.append(
            pick.choice(
                [
                    f"Where did we leave the {w['what']}, and who looks after it {w['how']}?",
                    f"Is my {w['who']} {w['name']} still in {w['where']}?",
                    f"Write a note to {w['name']} about the {w['what']} in {w['where']}, please.",
                    f"What could I do {w['how']} in {w['where']}?",
                ]
            )
        )
    return made


def agent(message: str, memory: str = "") -> str:  # noqa: ARG001 - what an agent is called with
    """An agent that answers at once: what is left is what memory costs."""
    return "Certainly."


def main() -> int:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--turns", type=int, default=300)
    parser.add_argument("--json", type=Path, help="write the figures to this file too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="quipu-bench-") as home:
        Path(home).chmod(0o711)  # the account that runs the server must be able to pass through
        # Nothing is cut short: the limit would hide how long it takes.
        settings = Settings(home=Path(home), tuned={"longterm_timeout_ms": 60_000})
        asyncio.run(_fill(settings, summaries(options.memories)))
        figures = _measure(settings, messages(options.turns + _WARM))
    load = os.getloadavg()[0]
    Console(width=110).print(_table(figures, options.memories, load))
    if options.json:
        told = {"memories": options.memories, "turns": options.turns, "load": load, "ms": figures}
        options.json.write_text(json.dumps(told, indent=2) + "\n", "utf-8")
    return 0


async def _fill(settings: Settings, texts: Sequence[str]) -> None:
    categories = get_args(Category)
    async with AsyncMemory(settings=settings) as memory:
        for start in range(0, len(texts), _AT_ONCE):
            some = texts[start : start + _AT_ONCE]
            inclusions = [
                Inclusion(category=categories[place % len(categories)], importance="medium", summary=text)
                for place, text in enumerate(some)
            ]
            done = await memory.longterm.apply(Evaluation(inclusions=inclusions), space=_SPACE, user=_USER)
            if done.count("included") != len(some):
                raise SystemExit(f"not all memories were kept: {done}")


def _measure(settings: Settings, asked: Sequence[str]) -> Mapping[str, Sequence[float]]:
    times: dict[str, list[float]] = {}

    def clock(name: str, call: Callable[[], object]) -> None:
        begun = time.perf_counter()
        call()
        times.setdefault(name, []).append((time.perf_counter() - begun) * 1000)

    with (
        Memory(settings=settings) as memory,
        Middleware(memory, space=_SPACE, user=_USER, settings=settings, evaluate=False) as around,
    ):
        remembering = around(agent)
        for message in asked[:_WARM]:
            remembering(message)
        around.flush()
        for message in asked[_WARM:]:
            clock("the bare agent", lambda message=message: agent(message))
            clock("search", lambda message=message: memory.longterm.search(message, space=_SPACE, user=_USER))
            clock("before", lambda message=message: around.before(message))
            clock("a call with memory", lambda message=message: remembering(message))
            around.flush()
        for message in asked[_WARM:]:
            clock("the same, turns being written", lambda message=message: remembering(message))
        around.flush(120)
        counted = around.metrics()
    if counted.troubles or counted.lost:
        raise SystemExit(f"memory failed: {counted}")
    return times


def _table(figures: Mapping[str, Sequence[float]], memories: int, load: float) -> Table:
    busy = f"load {load:.1f} on {os.cpu_count()} cores"
    title = f"{memories:,} memories of one user; {busy}; goal: p95 under {_GOAL_MS:.0f} ms"
    table = Table("milliseconds", "least", "median", "p95", "most", "calls", title=title)
    for name, times in figures.items():
        shown = [min(times), median(times), sorted(times)[int(0.95 * (len(times) - 1))], max(times)]
        table.add_row(name, *(f"{value:.2f}" for value in shown), f"{len(times)}")
    return table


if __name__ == "__main__":
    sys.exit(main())
