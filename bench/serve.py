"""Measure how many questions a second `quipu serve` answers, and how long each takes.

    python bench/serve.py                     100,000 memories, 1, 8 and 32 clients for ten seconds each
    python bench/serve.py --quick             2,000 memories, a second each: does it run at all?
    python bench/serve.py --processes 2       two processes answer
    python bench/serve.py --model all-MiniLM-L6-v2 --n 10000   every text and question is really encoded
    python bench/serve.py --database-url URL --read-urls URL   an empty database, and a standby of its server
    python bench/serve.py --url https://memory.example.org     show what a load on your server would be
    python bench/serve.py --url … --key … --confirm            put it on: 1,000 memories in a space of its
                                                               own, which is forgotten at the end

The server is a process of its own with the settings that everybody gets, the clients are in this one, on the
same machine: on two cores they take from each other. Each client asks its next question when it has the
answer to the last. In the first row nobody serves: the same questions in one process, one after the other. An
answer that is no answer, or does not come, is an error, and there may be none. With a standby the first row
stands twice, and after each the same questions read at the standby.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from urllib.parse import quote

from rich.console import Console
from rich.table import Table

from pace import usage
from pace.adapter import Place
from pace.adapters.quipu_memory import QuipuMemory
from pace.facts import Query, facts, queries
from pace.figures import percentile
from pace.server import running
from pace.vectors import Vectors
from quipu import Memory
from quipu.kernel.config import Settings
from serving.client import Client
from serving.load import Plan, load
from serving.process import serving

CLIENTS = (1, 8, 32)
DEPTH = 10
WARM_SECONDS = (1.0, 10.0)  # of one process; of several, which begin when the first is ready


@dataclass(slots=True)
class Asked:
    """What one number of clients saw."""

    clients: str
    ms: list[float] = field(default_factory=list)
    seconds: float = 0.0
    found: int = 0
    errors: int = 0
    cpu_seconds: float | None = None


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code: 1 if there were errors."""
    options = _parse(arguments)
    if options.url is not None:
        return _elsewhere(options)
    count, seconds = (2_000, 1.0) if options.quick else (options.n or 100_000, options.seconds)
    busy = usage.load()
    with tempfile.TemporaryDirectory(prefix="quipu-serve-", ignore_cleanup_errors=True) as temporary:
        Path(temporary).chmod(0o711)  # when we are root, another account runs the server and must get in
        with running(Path(temporary) / "home") as server:
            conninfo = options.database_url or server.database("serve")
            asked = _load(conninfo, options.model, count, options.spaces)
            server.settle(conninfo)
            settings = Settings(embedding_model=options.model, database_url=conninfo)
            at_standby = replace(settings, read_urls=options.read_urls)
            both = [settings] if options.read_urls is None else [settings, at_standby] * 2
            rows = [_alone(one, asked, seconds) for one in both]
            rows += _served(conninfo, options.model, asked, seconds, options.processes)
    served = f"{options.processes} process{'es' if options.processes > 1 else ''}"
    _show(
        rows, f"{count:,} memories, {options.spaces} spaces, {options.model}, {served}, {busy} at the start"
    )
    return 1 if any(row.errors for row in rows) else 0


def _elsewhere(options: argparse.Namespace) -> int:
    """Load on a server that runs already, where that is confirmed."""
    plan = Plan(
        url=options.url,
        key=options.key or os.environ.get("QUIPU_KEY", ""),
        memories=1_000 if options.n is None else options.n,
        clients=options.clients,
        seconds=options.seconds,
        writes=options.writes,
    )
    if options.confirm and plan.key:
        return load(plan)
    print(plan)
    print("Nothing was done: it takes --confirm, and --key (or QUIPU_KEY), an admin key for all spaces.")
    return 0


def _load(conninfo: str, model: str, count: int, spaces: int) -> list[Query]:
    """Store the facts the quick way; the questions about them."""
    print(f"loading {count:,} memories", file=sys.stderr, flush=True)
    made = facts(count, spaces)
    store = QuipuMemory()
    store.model = model
    store.open(Place(Path(), conninfo, Vectors(Path(), ())))
    try:
        store.bulk(made)
    finally:
        store.close()
    return queries(made)


def _alone(settings: Settings, asked: Sequence[Query], seconds: float) -> Asked:
    """One after the other in this process."""
    row = Asked("in one process" if settings.read_urls is None else "at a standby")
    with Memory(settings=settings) as memory:
        memory.recall(asked[0].text, space=asked[0].user)
        begun = perf_counter()
        for query in itertools.cycle(asked):
            start = perf_counter()
            hits = memory.recall(query.text, space=query.user, limit=DEPTH)
            row.ms.append((perf_counter() - start) * 1000)
            row.found += query.fact_id in [hit.source.message for hit in hits]
            if perf_counter() - begun > seconds:
                break
        row.seconds = perf_counter() - begun
    return row


def _served(
    conninfo: str, model: str, asked: Sequence[Query], seconds: float, processes: int
) -> Iterator[Asked]:
    """By HTTP, with more and more clients."""
    with Memory(url=conninfo, settings=Settings(embedding_model=model)) as memory:
        token = memory.keys.create("bench", level="read", requests_per_minute=1_000_000).token
    with serving(conninfo, model, processes=processes) as server:
        warm = WARM_SECONDS[processes > 1]
        asyncio.run(_many(server.port, token, asked, Asked("warm"), clients=4, seconds=warm))
        for clients in CLIENTS:
            row = Asked(f"{clients} client{'s' if clients > 1 else ''}")
            before = usage.cpu_seconds([server.pid])
            asyncio.run(_many(server.port, token, asked, row, clients=clients, seconds=seconds))
            after = usage.cpu_seconds([server.pid])
            row.cpu_seconds = None if before is None or after is None else after - before
            yield row


async def _many(
    port: int, token: str, asked: Sequence[Query], row: Asked, *, clients: int, seconds: float
) -> None:
    begun = perf_counter()
    until = begun + seconds
    await asyncio.gather(*(_one(port, token, asked, row, who, until) for who in range(clients)))
    row.seconds = perf_counter() - begun


async def _one(port: int, token: str, asked: Sequence[Query], row: Asked, who: int, until: float) -> None:
    rng = random.Random(who)
    async with Client(f"http://127.0.0.1:{port}", token) as client:
        while (start := perf_counter()) < until:
            query = rng.choice(asked)
            path = f"/v1/recall?space={quote(query.user)}"
            try:
                status, told = await client.post(path, {"question": query.text, "limit": DEPTH})
            except (OSError, EOFError, ValueError):
                row.errors += 1
                return
            row.ms.append((perf_counter() - start) * 1000)
            if status != 200 or not told["hits"]:
                row.errors += 1
            else:
                row.found += query.fact_id in [hit["source"]["message"] for hit in told["hits"]]


def _show(rows: Sequence[Asked], title: str) -> None:
    table = Table(
        "", "recalls/s", "p50 ms", "p95 ms", "p99 ms", "CPU ms each", "found", "errors", title=title
    )
    for column in table.columns[1:]:
        column.justify = "right"
    for row in rows:
        times = [f"{percentile(row.ms, share):.1f}" for share in (0.5, 0.95, 0.99)] if row.ms else ["-"] * 3
        cpu = "" if row.cpu_seconds is None or not row.ms else f"{row.cpu_seconds / len(row.ms) * 1000:.1f}"
        found = f"{row.found / len(row.ms):.0%}" if row.ms else "-"
        rate = f"{len(row.ms) / row.seconds:.0f}" if row.seconds else "-"
        table.add_row(row.clients, rate, *times, cpu, found, str(row.errors))
    Console(width=110).print(table)


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="bench/serve.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--n", type=int, help="memories to load (default 100000; 1000 with --url)")
    parser.add_argument("--spaces", type=int, default=20, help="the share of rank r is 1/r (default 20)")
    parser.add_argument(
        "--model", default="hashing", help="'hashing' (default: vectors are ready at once) or a model"
    )
    parser.add_argument("--seconds", type=float, default=10.0, help="of each number of clients (default 10)")
    parser.add_argument("--processes", type=int, default=1, help="of the server (default 1)")
    parser.add_argument(
        "--database-url", help="an empty database to take instead of one in an embedded server"
    )
    parser.add_argument("--read-urls", help="standbys of its server, as QUIPU_READ_URLS names them")
    parser.add_argument("--quick", action="store_true", help="2,000 memories, a second each")
    other = parser.add_argument_group("on a server that runs already")
    other.add_argument("--url", help="its address; nothing is done there without --confirm")
    other.add_argument("--key", help="an admin key for all spaces; QUIPU_KEY in the environment if not given")
    other.add_argument("--clients", type=int, nargs="+", default=CLIENTS, help="at a time (default 1 8 32)")
    other.add_argument("--writes", type=float, default=0.1, help="share of writes, 0 to 1 (default 0.1)")
    other.add_argument("--confirm", action="store_true", help="put the load on")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
