"""Measure what a recall takes for a key that is bound to one user, beside one of everybody in the space.

    python bench/bound.py                        100,000 messages in one space
    python bench/bound.py --check                exit code 1 where a bound one takes over 1.5 times as long
    python bench/bound.py --short                2,000 messages, one round: does it run at all?
    python bench/bound.py --keep DIR             fill once, measure often: the memory lies there

Each session is one user's; every second message is a reply, which has no user. One user has 90 % of the
sessions, one has 1 %, nine have 1 % each as well, and one has nothing. In each round every question is asked
unbound and then bound to the one, the other and the third, so that all meet the same load of the machine.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from time import perf_counter

from rich.console import Console
from rich.table import Table

from pace import usage
from pace.facts import Fact, facts
from pace.figures import percentile
from pace.server import Server, home, running
from quipu import AsyncMemory
from quipu.kernel.base.scope import acting_for
from quipu.kernel.config import Settings

SPACE = "bench"
IN_SESSION = 200
QUESTIONS = 12
AT_ONCE = 5000
MOST_TIMES = 1.5
UNBOUND = "unbound"
BOUND = {"most": "bound, has 90 %", "few": "bound, has 1 %", "none": "bound, has nothing"}

Took = dict[str, list[float]]
"""Milliseconds of single recalls, by for whom."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code: 1 where --check fails."""
    options = _parse(arguments)
    busy = usage.load()
    with home(options.keep, name="bound") as place, running(place) as server:
        took = asyncio.run(_measured(server, options))
    table = Table(
        *("a recall", "p50 ms", "p95 ms", "times unbound, p50", "p95"),
        title=f"{options.n:,} messages, {options.rounds} rounds of {QUESTIONS} questions; {busy}",
    )
    for column in table.columns[1:]:
        column.justify = "right"
    for name, ms in took.items():
        times = [f"{_times(took, name, share):.2f}" for share in (0.5, 0.95)]
        table.add_row(name, *(f"{percentile(ms, share):.1f}" for share in (0.5, 0.95)), *times)
    Console(width=110).print(table)
    if options.json:
        options.json.write_text(
            json.dumps([{"recall": name, "ms": ms} for name, ms in took.items()]), "utf-8"
        )
    slowest = max(_times(took, name, 0.5) for name in BOUND.values())
    return 1 if options.check and slowest > MOST_TIMES else 0


def _times(took: Took, name: str, share: float) -> float:
    """How many times as long as unbound ones these took, at a percentile."""
    return percentile(took[name], share) / percentile(took[UNBOUND], share)


async def _measured(server: Server, options: argparse.Namespace) -> Took:
    there = server.find("bound")
    said = facts(options.n, 1)
    conninfo = there or server.database("bound")
    took: Took = {name: [] for name in (UNBOUND, *BOUND.values())}
    async with AsyncMemory(settings=Settings(database_url=conninfo, embedding_model="hashing")) as memory:
        if there is None:
            await _fill(memory, said)
            server.settle(conninfo)
        step = max(1, len(said) // QUESTIONS)
        questions = [f"What about {fact.subject}?" for fact in said[::step][:QUESTIONS]]
        for at in range(options.rounds + 1):
            for question in questions:
                for user, name in {None: UNBOUND, **BOUND}.items():
                    ms = await _recall(memory, question, user)
                    if at:  # not the first round: then the statements are planned, and the caches are empty
                        took[name].append(ms)
    return took


async def _fill(memory: AsyncMemory, said: Sequence[Fact]) -> None:
    for first in range(0, len(said), AT_ONCE):
        messages = [
            {
                "content": said[at].text,
                "session": f"s{at // IN_SESSION}",
                "role": "assistant" if at % 2 else "user",
                "user": None if at % 2 else _owner(at // IN_SESSION),
            }
            for at in range(first, min(first + AT_ONCE, len(said)))
        ]
        await memory.observe(messages, space=SPACE)


def _owner(session: int) -> str:
    """Whose a session is: the 90 % of one are spread over all of them."""
    place = session * 37 % 100
    return "most" if place < 90 else "few" if place == 90 else f"user{place}"


async def _recall(memory: AsyncMemory, question: str, user: str | None) -> float:
    with nullcontext() if user is None else acting_for(user):
        start = perf_counter()
        hits = await memory.recall(question, space=SPACE)
        took = (perf_counter() - start) * 1000
    assert (hits == []) if user == "none" else (hits or user), f"what was found for {question!r} is wrong"
    return took


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="bench/bound.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--n", type=int, default=100_000, help="messages (default 100000)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of twelve questions (default 5)")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep the memory there, and use it again")
    parser.add_argument("--short", action="store_true", help="2,000 messages, one round")
    parser.add_argument("--check", action="store_true", help="exit code 1 above 1.5 times the time unbound")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there")
    options = parser.parse_args(arguments)
    if options.short:
        options.n, options.rounds = 2_000, 1
    return options


if __name__ == "__main__":
    sys.exit(main())
