"""Measure what a directory of databases costs a call, and how long writes wait while a space moves.

    python bench/directory.py                  moves of 1,000 and 10,000 memories
    python bench/directory.py --memories 1000  one of them
    python bench/directory.py --check          exit code 1 where a promise is broken

The same calls on the same database, in turn by its address and through a directory. Then a space moves to
another database of the same server and back, beside COPY of the rows of its messages alone. The embedder is
`hashing`, so what is measured is not the model.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter

import anyio
import psycopg
from rich.console import Console
from rich.table import Table

from pace import usage
from pace.server import Server, home, running
from quipu import AsyncMemory
from quipu.kernel.config import Settings

MOST_TIMES, MOST_PAUSE_SECONDS = 1.02, 1.0
_CALLS_OF_EACH = 1_000


@dataclass(frozen=True, slots=True)
class Compared:
    """One call: its median in milliseconds, by the address of the database and through the directory."""

    name: str
    plain: float
    routed: float
    times: float


@dataclass(frozen=True, slots=True)
class Moving:
    """A move: memories, seconds that writes waited, seconds that COPY of its messages takes."""

    memories: int
    pause: float
    copy: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code: 1 where --check fails."""
    options = _parse(arguments)
    busy = usage.load()
    with home(None, name="directory") as place, running(place) as server:
        compared, moved = anyio.run(_measured, server, options.memories)
    _show(compared, moved, busy)
    slow = any(one.times > MOST_TIMES for one in compared)
    return int(options.check and (slow or any(one.pause > MOST_PAUSE_SECONDS for one in moved)))


async def _measured(server: Server, sizes: Sequence[int]) -> tuple[list[Compared], list[Moving]]:
    directory, one, two = (server.database(name) for name in ("directory", "one", "two"))
    usual = Settings(directory_url=directory, embedding_model="hashing", pool_size=4)
    async with AsyncMemory(settings=usual) as routed:
        await routed.databases.add("one", one)
        await _fill(routed, "calls", 1_000)
    async with AsyncMemory(settings=usual) as routed:  # both begin with connections that have done nothing
        async with AsyncMemory(url=one, settings=usual) as plain:
            compared = [await _compare(name, plain, routed) for name in _CALLS]
        await routed.databases.add("two", two)
        return compared, [await _move(routed, one, memories) for memories in sizes]


async def _recall(memory: AsyncMemory, number: int) -> object:
    return await memory.recall(f"Who saw boat {number}?", space="calls")


async def _observe(memory: AsyncMemory, number: int) -> object:
    return await memory.observe([{"content": f"Boat {number} is blue."}], space="calls", session="more")


async def _get(memory: AsyncMemory, number: int) -> object:
    return await memory.documents.get("notes", f"n{number % 10}", space="calls")


_CALLS: dict[str, Callable[[AsyncMemory, int], Awaitable[object]]] = {
    "recall": _recall,
    "observe": _observe,
    "documents.get": _get,
}


async def _fill(memory: AsyncMemory, space: str, memories: int) -> None:
    said = (
        {"id": str(n), "session": f"s{n // 100}", "content": f"Una saw boat {n}."} for n in range(memories)
    )
    await memory.import_messages(said, space=space)
    for number in range(10):
        await memory.documents.put("notes", f"n{number}", {"number": number}, space=space)


async def _compare(name: str, plain: AsyncMemory, routed: AsyncMemory) -> Compared:
    call, both = _CALLS[name], (plain, routed)
    times: tuple[list[float], list[float]] = ([], [])
    chance = random.Random(1)
    for number in range(_CALLS_OF_EACH):
        for place in chance.sample((0, 1), 2):  # who comes first has a colder start
            begun = perf_counter()
            await call(both[place], number)
            times[place].append((perf_counter() - begun) * 1000)
    plain_ms, routed_ms = median(times[0]), median(times[1])
    return Compared(name, plain_ms, routed_ms, routed_ms / plain_ms)


async def _move(routed: AsyncMemory, source: str, memories: int) -> Moving:
    space = f"of {memories}"
    await routed.databases.drain("two")
    await _fill(routed, space, memories)
    await routed.databases.drain("two", stop=True)
    begun = perf_counter()
    with psycopg.connect(source) as conn, conn.cursor() as cursor:
        cursor.execute("create temp table copied as select * from core.messages limit 0")
        with cursor.copy("copy (select * from core.messages) to stdout (format binary)") as out:
            rows = b"".join(bytes(piece) for piece in out)
        with cursor.copy("copy copied from stdin (format binary)") as into:
            into.write(rows)
    copy = perf_counter() - begun
    there = await routed.databases.move(space, "two", confirm=True)
    back = await routed.databases.move(space, "one", confirm=True)
    return Moving(memories, max(there.seconds, back.seconds), copy)


def _show(compared: Sequence[Compared], moved: Sequence[Moving], busy: str) -> None:
    console = Console(width=110)
    calls = Table("call", "by address", "by directory", "times", title=f"ms, {busy} at the start")
    for one in compared:
        calls.add_row(one.name, f"{one.plain:.3f}", f"{one.routed:.3f}", f"{one.times:.3f} ({MOST_TIMES})")
    pauses = Table("memories", "writes wait, s", "COPY of its messages, s", title="a space moves")
    for one in moved:
        limit = f"{one.pause:.2f} ({MOST_PAUSE_SECONDS:g})"
        pauses.add_row(f"{one.memories:,}", limit, f"{one.copy:.2f}")
    console.print(calls, pauses)


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--memories", type=int, nargs="+", default=[1_000, 10_000], metavar="N")
    parser.add_argument("--check", action="store_true", help="exit code 1 where a promise is broken")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
