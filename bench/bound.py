"""Measure what a recall takes for a key that is bound to one user, beside one of everybody in the space.

    python bench/bound.py                        100,000 messages of 50 users in one space
    python bench/bound.py --check                exit code 1 where the bound one takes over 1.5 times as long
    python bench/bound.py --n 2000 --rounds 1    does it run at all?
    python bench/bound.py --keep DIR             fill once, measure often: the memory lies there

Each session is one user's; every second message is a reply, which has no user. In each round every question
is asked unbound and then bound, so that both meet the same load of the machine, each time for another user.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

from rich.console import Console
from rich.table import Table

from pace import usage
from pace.facts import Fact, facts
from pace.figures import percentile
from pace.server import Server, running
from quipu import AsyncMemory
from quipu.kernel.config import Settings
from quipu.kernel.db.person import acting_for

SPACE = "bench"
IN_SESSION = 200
QUESTIONS = 12
AT_ONCE = 5000
MOST_TIMES = 1.5


@dataclass(slots=True)
class Took:
    """Milliseconds of single recalls."""

    unbound: list[float] = field(default_factory=list)
    bound: list[float] = field(default_factory=list)

    def ratio(self, share: float) -> float:
        """How many times as long the bound ones took, at a percentile."""
        return percentile(self.bound, share) / percentile(self.unbound, share)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code: 1 where --check fails."""
    options = _parse(arguments)
    busy = usage.load()
    with _home(options.keep) as home, running(home) as server:
        took = asyncio.run(_measured(server, options))
    table = Table(
        *("entries", "users", "a recall", "p50 ms", "p95 ms"),
        title=f"{options.rounds} rounds of {QUESTIONS} questions, {busy} at the start",
    )
    for column in table.columns[3:]:
        column.justify = "right"
    size = f"{options.n:,}", f"{options.users:,}"
    for name, ms in (("unbound", took.unbound), ("bound", took.bound)):
        table.add_row(*size, name, f"{percentile(ms, 0.5):.1f}", f"{percentile(ms, 0.95):.1f}")
    table.add_row(*size, "bound / unbound", f"{took.ratio(0.5):.2f}", f"{took.ratio(0.95):.2f}")
    Console(width=110).print(table)
    return 1 if options.check and took.ratio(0.5) > MOST_TIMES else 0


async def _measured(server: Server, options: argparse.Namespace) -> Took:
    there = server.find("bound")
    said = facts(options.n, 1)
    conninfo = there or server.database("bound")
    took = Took()
    async with AsyncMemory(settings=Settings(database_url=conninfo, embedding_model="hashing")) as memory:
        if there is None:
            await _fill(memory, said, options.users)
            server.settle(conninfo)
        step = max(1, len(said) // QUESTIONS)
        questions = [f"What about {fact.subject}?" for fact in said[::step][:QUESTIONS]]
        for at in range(options.rounds + 1):
            for number, question in enumerate(questions):
                user = f"user{(at * QUESTIONS + number) % options.users}"
                unbound = await _recall(memory, question, None)
                bound = await _recall(memory, question, user)
                if at:  # not the first round: then the statements are planned, and the caches are empty
                    took.unbound.append(unbound)
                    took.bound.append(bound)
    return took


async def _fill(memory: AsyncMemory, said: Sequence[Fact], users: int) -> None:
    for first in range(0, len(said), AT_ONCE):
        messages = [
            {
                "content": said[at].text,
                "session": f"s{at // IN_SESSION}",
                "role": "assistant" if at % 2 else "user",
                "user": None if at % 2 else f"user{at // IN_SESSION % users}",
            }
            for at in range(first, min(first + AT_ONCE, len(said)))
        ]
        await memory.observe(messages, space=SPACE)


async def _recall(memory: AsyncMemory, question: str, user: str | None) -> float:
    with nullcontext() if user is None else acting_for(user):
        start = perf_counter()
        hits = await memory.recall(question, space=SPACE)
        took = (perf_counter() - start) * 1000
    assert hits, f"nothing was found for {question!r}"
    return took


@contextmanager
def _home(keep: Path | None) -> Iterator[Path]:
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        yield keep
        return
    with tempfile.TemporaryDirectory(prefix="quipu-bound-", ignore_cleanup_errors=True) as temporary:
        Path(temporary).chmod(0o711)  # when we are root, another account runs the server and must get in
        yield Path(temporary) / "home"


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="bench/bound.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--n", type=int, default=100_000, help="messages (default 100000)")
    parser.add_argument("--users", type=int, default=50, help="users of the space (default 50)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of twelve questions (default 5)")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep the memory there, and use it again")
    parser.add_argument("--check", action="store_true", help="exit code 1 above 1.5 times the time unbound")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
