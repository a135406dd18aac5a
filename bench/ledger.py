"""Measure what the ledger costs beside a plain INSERT, and how fast it says what was believed when.

    python bench/ledger.py                 3,000 events, 100,000 events of history
    python bench/ledger.py --check         exit code 1 if a promise is not kept
    python bench/ledger.py --short         a few of each: does it run at all?

Both writers take turns in one process on connections of the same pool, and each write is a durable commit of
its own. The plain row holds what the event says; the event comes with its projection. The history is one
space; it is asked once as a single session and once as a hundred.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import perf_counter

from pace import promises
from pace.promises import Measured
from pace.statements import load
from quipu.app.kinds import PACKAGES
from quipu.kernel.base.clock import SystemClock
from quipu.kernel.config import Settings
from quipu.kernel.db import embedded
from quipu.kernel.db.database import Database
from quipu.kinds.ledger.ledger import AsyncLedger

_SQL = load("ledger")
_MOST_TIMES_PLAIN = 3.0
_MOST_STATE_MS = 20.0
_KEYS = 50
_BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
_AT_ONCE = 1_000
_TURN = 20
_WARM = 200
_NOTE = "front of house at dinner on a Friday, as the manager said on the telephone this morning"


async def measure(home: Path, options: argparse.Namespace) -> tuple[list[Measured], str]:
    """All lines, and how durable a commit was; the embedded server lives in ``home``."""
    settings = Settings(home=home, embedding_model="hashing")
    async with (
        await embedded.start(settings) as server,
        Database.open(server.conninfo(), settings, packages=PACKAGES) as database,
    ):
        ledger = AsyncLedger(database, clock=SystemClock(), settings=settings)
        durable = await _prepare(database)
        lines = await _writing(database, ledger, options)
        for sessions in (1, 100):
            lines.append(await _state(database, ledger, options, sessions=sessions))
    return lines, durable


async def _prepare(database: Database) -> str:
    async with database.owner() as conn:
        for name in ("plain_table", "plain_grant"):
            await conn.execute(_SQL[name])
        row = await (await conn.execute(_SQL["durable"])).fetchone()
    return str(row[0]) if row else ""


async def _writing(database: Database, ledger: AsyncLedger, options: argparse.Namespace) -> list[Measured]:
    await ledger.open_session(space="writing", session="s-1")

    async def plain(number: int) -> None:
        values = {"session": "s-1", "key": _key(number), "value": json.dumps(_value(number))}
        async with database.unscoped() as conn:
            await conn.execute(_SQL["plain"], {**values, "at": datetime.now(UTC)})

    async def event(number: int) -> None:
        await ledger.set(_key(number), _value(number), space="writing", session="s-1")

    times = await _in_turns([plain, event], count=options.events)
    base, ours = (_line(what, took) for what, took in zip(("plain INSERT", "ledger"), times, strict=True))
    ratio = ours.median_ms / base.median_ms
    promise = f"{ratio:.1f} times the plain INSERT; at most {_MOST_TIMES_PLAIN:g}"
    what = "ledger.set: event and projection"
    kept = ratio <= _MOST_TIMES_PLAIN
    return [base, replace(ours, what=what, promise=promise, kept=kept)]


async def _in_turns(writers: Sequence[Callable[[int], Awaitable[None]]], *, count: int) -> list[list[float]]:
    """Milliseconds of each call of each writer, in turns of 20 calls, after some that do not count."""
    times: list[list[float]] = [[] for _ in writers]
    for first in range(0, count + _WARM, _TURN):
        for place, write in enumerate(writers):
            for number in range(first, first + _TURN):
                begun = perf_counter()
                await write(number)
                if first >= _WARM:
                    times[place].append((perf_counter() - begun) * 1000)
    return times


async def _state(
    database: Database, ledger: AsyncLedger, options: argparse.Namespace, *, sessions: int
) -> Measured:
    space = f"history-{sessions}"
    for number in range(sessions):
        await ledger.open_session(space=space, session=f"session-{number}")
    place = {"space": space, "sessions": sessions, "keys": _KEYS, "begin": _BEGIN}
    for first in range(0, options.history, _AT_ONCE):
        async with database.unscoped() as conn:
            values = {**place, "first": first, "last": min(first + _AT_ONCE, options.history) - 1}
            await conn.execute(_SQL["history"], values)
    async with database.owner() as conn:
        await conn.execute(_SQL["settle"])
    rng = random.Random(7)
    times: list[float] = []
    believed = 0
    for _ in range(options.questions):
        at = _BEGIN + timedelta(minutes=rng.uniform(options.history / 20, options.history))
        session = f"session-{rng.randrange(sessions)}"
        begun = perf_counter()
        state = await ledger.state(space=space, session=session, as_of=at)
        times.append((perf_counter() - begun) * 1000)
        believed += len(state)
    assert believed, "the history was not found"
    line = _line(f"state(as_of), {options.history:,} events in {sessions} session(s)", times)
    promise = f"at most {_MOST_STATE_MS:g} ms"
    return replace(line, promise=promise, kept=line.p95_ms <= _MOST_STATE_MS)


def _line(what: str, times: Sequence[float]) -> Measured:
    """With how many of them one connection does in a second, by the median."""
    line = Measured.of(what, times)
    return replace(line, beside=f"{1000 / line.median_ms:,.0f}")


def _key(number: int) -> str:
    return f"key-{number % _KEYS}"


def _value(number: int) -> dict[str, object]:
    return {"value": number, "note": _NOTE}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    parser = promises.parser(prog="bench/ledger.py", doc=__doc__)
    parser.add_argument("--events", type=int, default=3_000, help="writes of each kind")
    parser.add_argument("--history", type=int, default=100_000, help="events of the space that is asked")
    parser.add_argument("--questions", type=int, default=300, help="moments that are asked about")
    options = parser.parse_args(arguments)
    if options.short:
        options.events, options.history, options.questions = 20, 500, 20
    return promises.run(measure, options, beside="a second")


if __name__ == "__main__":
    sys.exit(main())
