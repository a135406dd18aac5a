"""Measure searching recorded sessions: how fast the text index is made, how large it is, how soon answers
come.

    python bench/transcripts_search.py                 200,000 messages, half of them with a tool call
    python bench/transcripts_search.py --messages N    fewer or more
    python bench/transcripts_search.py --check         exit code 1 if the median is over 100 ms

Texts are made up (bench/sessions); words are as common and as rare as in real ones, and tool output has
hashes and paths that occur once. The embedder is the deterministic one and nothing is embedded: this is
about words.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter

import anyio
import psycopg
from rich.console import Console
from rich.table import Table

from quipu.app.kinds import PACKAGES
from quipu.kernel.base.clock import SystemClock
from quipu.kernel.config import Settings
from quipu.kernel.db import embedded
from quipu.kernel.db.database import Database
from quipu.kinds.transcripts.browse.browse import AsyncBrowse
from sessions.filling import fill
from sessions.made_up import Words

SPACE = "bench"
LIMIT_MS = 100.0
_ROUNDS = 40


@dataclass(frozen=True, slots=True)
class Measured:
    """How long queries of one kind took, in milliseconds, and how many texts they found (the median)."""

    kind: str
    example: str
    found: float
    times: tuple[float, ...]

    @property
    def slow(self) -> float:
        """What nineteen of twenty stay under."""
        return quantiles(self.times, n=20)[-1]


def questions(rng: random.Random, rounds: int) -> dict[str, list[dict[str, object]]]:
    """Queries of each kind: words common and rare, phrases, beginnings, filters."""
    words = Words(random.Random(7))
    common, middle, rare = words.known[:100], words.known[300:3_000], words.known[10_000:50_000]

    def some(*kinds: Sequence[str]) -> list[str]:
        return [rng.choice(kind) for kind in kinds]

    kinds: dict[str, Callable[[], dict[str, object]]] = {
        "a rare word": lambda: {"query": some(rare)[0]},
        "a word": lambda: {"query": some(middle)[0]},
        "a common word": lambda: {"query": some(common)[0]},
        "two words": lambda: {"query": " ".join(some(middle, middle))},
        "three words": lambda: {"query": " ".join(some(common, common, middle))},
        "a path": lambda: {"query": "src/" + "/".join(some(middle, common)) + ".py"},
        "a phrase": lambda: {"query": f'"{" ".join(some(common, common))}"'},
        "a beginning": lambda: {"query": some(middle)[0][:5] + "*"},
        "alternatives": lambda: {"query": " OR ".join(some(middle, rare, common))},
        "in outputs of Bash": lambda: {
            "query": " ".join(some(common, middle)),
            "tool": "Bash",
            "part": "result",
        },
        "the latest": lambda: {"query": some(common)[0], "sort": "time"},
        "of a project": lambda: {"query": some(middle)[0], "project": "project-3"},
    }
    return {kind: [one() for _ in range(rounds)] for kind, one in kinds.items()}


async def measure(url: str, settings: Settings, *, rounds: int) -> tuple[float, float, list[Measured]]:
    """Seconds until the first answer and until all is indexed, and what queries took after that."""
    async with Database.open(url, settings, packages=PACKAGES) as database:
        seeing = AsyncBrowse(database, clock=SystemClock())
        began = perf_counter()
        await seeing.search("fobace", space=SPACE)
        first = perf_counter() - began
        began = perf_counter()
        await seeing.index_texts(space=SPACE)
        indexing = perf_counter() - began
        with psycopg.connect(url, autocommit=True) as conn:
            conn.execute("vacuum analyze transcripts.texts")
        measured = []
        for kind, asked in questions(random.Random(3), rounds).items():
            times, found = [], []
            for one in asked:
                began = perf_counter()
                answer = await seeing.search(space=SPACE, **one)  # pyright: ignore[reportArgumentType]
                times.append(1000 * (perf_counter() - began))
                found.append(answer.total)
            measured.append(Measured(kind, str(asked[0]["query"]), median(found), tuple(times)))
        return first, indexing, measured


def sizes(url: str) -> dict[str, int]:
    """Bytes: the texts, and the index over them by its parts."""
    with psycopg.connect(url) as conn:
        row = conn.execute(
            "select pg_table_size('transcripts.texts'), pg_relation_size('transcripts.texts_terms'),"
            " pg_relation_size('transcripts.texts_pkey'), pg_total_relation_size('transcripts.tool_results')"
            " + pg_total_relation_size('transcripts.lines') + pg_total_relation_size('core.messages')"
            " + pg_total_relation_size('transcripts.tool_calls')"
        ).fetchone()
    assert row is not None
    return dict(
        zip(("words of texts", "lists of words", "keys", "lines and all that is in them"), row, strict=True)
    )


async def run(messages: int, rounds: int, console: Console) -> bool:
    with tempfile.TemporaryDirectory(prefix="quipu-bench-") as home:
        await anyio.Path(home).chmod(0o711)
        settings = Settings(home=Path(home), embedding_model="hashing", pool_size=2)
        async with await embedded.start(settings) as server:
            url = server.conninfo()
            async with Database.open(url, settings, packages=PACKAGES):
                pass
            written = await anyio.to_thread.run_sync(partial(fill, url, SPACE, messages=messages))
            console.print(f"{messages:,} messages, {written / 1e6:,.0f} MB of text")
            first, seconds, measured = await measure(url, replace(settings, database_url=url), rounds=rounds)
            held = sizes(url)
    console.print(f"first search, nothing indexed: {first:.1f} s")
    console.print(
        f"indexing: {seconds:.0f} s, {written / 1e6 / seconds:.1f} MB/s, {messages / seconds:,.0f} messages/s"
    )
    console.print(", ".join(f"{name} {size / 1e6:,.0f} MB" for name, size in held.items()))
    table = Table("query", "such as", "found", "median ms", "95 % ms", box=None)
    for one in measured:
        table.add_row(
            one.kind, one.example, f"{one.found:,.0f}", f"{median(one.times):.1f}", f"{one.slow:.1f}"
        )
    console.print(table)
    everything = [time for one in measured for time in one.times]
    console.print(f"all: median {median(everything):.1f} ms, 95 % {quantiles(everything, n=20)[-1]:.1f} ms")
    return median(everything) < LIMIT_MS


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Measure searching recorded sessions.")
    parser.add_argument("--messages", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=_ROUNDS)
    parser.add_argument("--check", action="store_true", help="exit code 1 if the median is over the limit")
    options = parser.parse_args(arguments)
    holds = anyio.run(run, options.messages, options.rounds, Console())
    return 1 if options.check and not holds else 0


if __name__ == "__main__":
    sys.exit(main())
