"""Measure stores and sessions beside what people leave: LangGraph's PostgresStore, OpenAI's SQLiteSession.

    python bench/stores.py                 10,000 items, kept out of the index on both sides
    python bench/stores.py --items 1000    does it run at all?
    python bench/stores.py --check         exit code 1 if a promise is not kept

PostgresStore runs in an environment of its own (`.bench/langgraph`, versions of bench/peers.txt), by a
connection of its own. The floor of a write is an empty transaction in a space, and a plain INSERT of the same
row, by plain psycopg. SQLiteSession writes to a file, its commits flushed as SQLite does it by default
(`synchronous` full). All writes are durable commits. Sessions are measured once the model is loaded, which
happens beside the first calls. Times are medians in milliseconds. Searches with the index on are in
bench/speed.py (`--peers quipu:store,quipu:store:embed,langgraph:pg`).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from time import perf_counter
from typing import Any

from langgraph.store.base import PutOp

_AT_ONCE = 100
_DATABASE = "peer"
_PROMISES: Mapping[str, float] = {
    "put": 2.0,
    "get": 2.0,
    "search, filtered": 2.0,
    "list": 2.0,
    "100 puts": 1.0,
    "session: add": 3.0,
    "session: pop": 3.0,
}


def value(number: int) -> dict[str, Any]:
    """An item of some 200 bytes."""
    state = "open" if number % 10 else "done"
    text = "Some words about a thing that an agent keeps for later. " * 2
    return {"title": f"Document {number}", "n": number, "tags": ["a", "b"], "state": state, "text": text}


def measure(store: Any, items: int) -> dict[str, float]:
    """Milliseconds of each operation of a store that is filled first."""
    for begin in range(0, items, _AT_ONCE):
        place = ("docs", f"p{begin // _AT_ONCE % 50}")
        puts = [PutOp(place, f"k{begin + n}", value(begin + n), index=False) for n in range(_AT_ONCE)]
        store.batch(puts)
    several = [f"k{number}" for number in range(min(items, _AT_ONCE))]
    return {
        "put": _median(lambda n: store.put(("docs", "new"), f"k{n}", value(n), index=False)),
        "put again": _median(lambda n: store.put(("docs", "new"), f"k{n}", value(n + 1), index=False)),
        "get": _median(lambda n: store.get(("docs", "p0"), several[n % len(several)])),
        "search, filtered": _median(lambda n: store.search(("docs",), filter={"n": n}, limit=10)),
        "list": _median(lambda _: store.search(("docs", "p0"), limit=50)),
        "namespaces": _median(lambda _: store.list_namespaces(prefix=("docs",)), times=50),
        "100 puts": _median(
            lambda n: store.batch(
                [PutOp(("docs", "more"), f"{n}-{one}", value(one), index=False) for one in range(_AT_ONCE)]
            ),
            times=50,
        ),
        "delete": _median(lambda n: store.delete(("docs", "new"), f"k{n}")),
    }


async def measure_session(session: Any) -> dict[str, float]:
    """Milliseconds of each operation of a session: an exchange at a time, then back."""
    turn = [{"role": "user", "content": "Where is the boat?"}, {"role": "assistant", "content": "In Horta."}]
    taken: dict[str, list[float]] = {"session: add": [], "session: get 20": [], "session: pop": []}

    async def timed(name: str, work: Coroutine[Any, Any, object]) -> None:
        begun = perf_counter()
        await work
        taken[name].append((perf_counter() - begun) * 1_000)

    for _ in range(200):
        await timed("session: add", session.add_items(turn))
    for _ in range(200):
        await timed("session: get 20", session.get_items(limit=20))
    for _ in range(200):
        await timed("session: pop", session.pop_item())
    return {name: statistics.median(times) for name, times in taken.items()}


async def _sessions(url: str, folder: Path) -> tuple[dict[str, float], dict[str, float]]:
    """Measure OpenAI's SQLiteSession and ours."""
    from agents import SQLiteSession  # noqa: PLC0415 - the environment of the peer has none

    from quipu import AsyncMemory  # noqa: PLC0415 - as above
    from quipu.compat.openai_agents import Session  # noqa: PLC0415 - as above

    theirs = await measure_session(SQLiteSession("bench", folder / "sessions.db"))
    async with AsyncMemory(url=url) as memory:
        await memory.observe([{"content": "The model is loaded."}], space="sessions")
        return theirs, await measure_session(Session("bench", memory, space="sessions"))


def _median(work: Callable[[int], object], *, times: int = 200) -> float:
    taken: list[float] = []
    for number in range(times):
        begun = perf_counter()
        work(number)
        taken.append((perf_counter() - begun) * 1_000)
    return statistics.median(taken)


def _peer(url: str, items: int) -> dict[str, float]:
    """Measure PostgresStore; this runs in its environment."""
    from langgraph.store.postgres import (  # pyright: ignore[reportMissingImports]  # noqa: PLC0415
        PostgresStore,  # pyright: ignore[reportUnknownVariableType]
    )

    made: Any = PostgresStore
    with made.from_conn_string(url) as store:
        store.setup()
        return measure(store, items)


def _ours(url: str, items: int) -> dict[str, float]:
    from quipu import Memory  # noqa: PLC0415 - the environment of the peer has none
    from quipu.compat.langgraph import Store  # noqa: PLC0415 - as above

    with Memory(url=url) as memory:
        return measure(Store(memory, space="bench", index=False), items)


def _floor(url: str) -> float:
    """An empty transaction in a space, and a plain INSERT of a document in another."""
    import psycopg  # noqa: PLC0415 - as above
    from psycopg.types.json import Jsonb  # noqa: PLC0415 - as above

    insert = "insert into documents.documents (place, key, value, index_paths) values (%s, %s, %s, '{}')"
    with psycopg.connect(url, autocommit=True, prepare_threshold=0) as conn:
        conn.execute("set role quipu_app")

        def write(number: int) -> None:
            with conn.transaction():
                conn.execute("select core.enter('bench')")
            with conn.transaction():
                conn.execute("select core.enter('bench')")
                conn.execute(insert, ("floor\x1f", f"k{number}", Jsonb(value(number))))

        return _median(write)


def _measured_peer(url: str, items: int) -> dict[str, float] | str:
    """Measure the peer in its environment, or say why it cannot be."""
    from pace.environments import _FOLDER, CannotInstall, make  # noqa: PLC0415 # pyright: ignore[reportPrivateUsage]

    try:
        make("langgraph")
    except CannotInstall as error:
        return f"PostgresStore is not measured: {error}"
    python = _FOLDER / "langgraph" / "bin" / "python"
    command = [str(python), __file__, "--inside", url, "--items", str(items)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else f"PostgresStore failed: {done.stderr[-300:]}"


def main() -> int:
    """Print one table."""
    parser = argparse.ArgumentParser(
        prog="bench/stores.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--check", action="store_true", help="exit code 1 if a promise is not kept")
    parser.add_argument("--inside", metavar="URL", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        print(json.dumps(_peer(options.inside, options.items)))
        return 0
    return _compared(options.items, check=options.check)


def _compared(items: int, *, check: bool) -> int:
    import psycopg  # noqa: PLC0415 - the environment of the peer has another
    from anyio.from_thread import start_blocking_portal  # noqa: PLC0415 - as above
    from psycopg.conninfo import make_conninfo  # noqa: PLC0415 - as above

    from quipu.kernel.config import Settings  # noqa: PLC0415 - as above
    from quipu.kernel.db import embedded  # noqa: PLC0415 - as above

    with tempfile.TemporaryDirectory() as folder, start_blocking_portal() as portal:
        settings = Settings(home=Path(folder), embedding_model="hashing")
        with portal.wrap_async_context_manager(portal.call(embedded.start, settings)) as server:
            url = server.conninfo()
            with psycopg.connect(url, autocommit=True) as conn:
                conn.execute(f"create database {_DATABASE}".encode())
            peer = _measured_peer(make_conninfo(url, dbname=_DATABASE), items)
            ours, floor = _ours(url, items), _floor(url)
            sqlite, sessions = asyncio.run(_sessions(url, Path(folder)))
    beside = {**(peer if isinstance(peer, dict) else {}), **sqlite}
    ours |= sessions
    print(f"{items:,} items, milliseconds\n{'':18}{'peer':>14}{'Quipu':>9}{'times':>8}{'promise':>10}")
    kept = True
    for name, took in ours.items():
        theirs, promise = beside.get(name), _PROMISES.get(name)
        times = None if theirs is None else took / theirs
        most = max(promise * theirs, 1.5 * floor if name == "put" else 0) if promise and theirs else None
        kept = kept and (most is None or took <= most)
        cells = [f"{theirs:.3f}" if theirs else "-", f"{took:.3f}", f"{times:.2f}" if times else "-"]
        word = "" if most is None else f"≤ {most:.2f}" if took <= most else f"> {most:.2f}"
        print(f"{name:18}{cells[0]:>14}{cells[1]:>9}{cells[2]:>8}{word:>10}")
    print(f"floor of a write: {floor:.3f} (an empty transaction in a space, and a plain INSERT)")
    if isinstance(peer, str):
        print(peer)
    return 0 if kept or not check else 1


if __name__ == "__main__":
    sys.exit(main())
