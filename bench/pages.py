"""Measure how long every page and every GET of REST takes over 100,000 rows of every kind, and its size.

    python bench/pages.py                  100,000 rows, each address seven times
    python bench/pages.py --check          exit code 1 above 200 ms (the median) or 100 kB
    python bench/pages.py --short          200 rows, each once: does it run at all?
    python bench/pages.py --only /episodes only addresses that begin so
    python bench/pages.py --keep DIR       fill once, measure often: the memory lies there and is used again

The addresses are the routes themselves, and for each list its second page. They are asked one after the other
in one process, through the whole application but without a network. What an answer took is measured until its
last byte is there. A page is at most 100 kB; what a program asks for may be longer.
"""

from __future__ import annotations

import argparse
import html
import json
import re
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from time import perf_counter
from urllib.parse import urlencode

import anyio
import httpx
from rich.console import Console
from rich.table import Table

from lists.addresses import Address, addresses
from lists.filling import SPACE, fill
from pace import usage
from pace.figures import percentile
from pace.server import Server, home, running
from quipu import AsyncMemory
from quipu.interfaces.server import create_app
from quipu.interfaces.serving.limits import Limits
from quipu.kernel.config import Settings

_MOST_MS = 200.0
_MOST_KB = 100.0
_NEXT = re.compile(r'href="([^"]+)"[^>]*\brel="next"|rel="next"[^>]*\bhref="([^"]+)"')


@dataclass(frozen=True, slots=True)
class Measured:
    """One address: milliseconds of single answers, the size of one, and its rows where it is a list."""

    path: str
    status: int
    median_ms: float
    p95_ms: float
    kb: float
    rows: int | None
    kept: bool


async def measure(server: Server, options: argparse.Namespace) -> list[Measured]:
    """A line for each address."""
    conninfo, is_new = _database(server)
    settings = Settings(database_url=conninfo, embedding_model="hashing")
    async with AsyncMemory(settings=settings) as memory:
        if is_new:
            print(f"filling {options.rows:,} rows of every kind", file=sys.stderr, flush=True)
            await fill(memory, conninfo, options.rows)
            server.settle(conninfo)
        async with _client(memory) as client:
            lines: list[Measured] = []
            for address in addresses():
                if address.path.startswith(options.only):
                    async for line in _asked(client, address, times=options.times):
                        print(f"{line.path} {line.median_ms:.0f} ms", file=sys.stderr, flush=True)
                        lines.append(line)
    return lines


def _database(server: Server) -> tuple[str, bool]:
    """The database of the run, and whether it was made just now."""
    found = server.find("lists")
    return (server.database("lists"), True) if found is None else (found, False)


@asynccontextmanager
async def _client(memory: AsyncMemory) -> AsyncIterator[httpx.AsyncClient]:
    """Asks the application: signed in for the pages, with a key for REST."""
    app = create_app(memory=memory, terms=Limits())
    issued = await memory.keys.create("bench", level="admin", requests_per_minute=1_000_000)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(
            transport=httpx.ASGITransport(app=app, raise_app_exceptions=False),
            base_url="http://localhost",
            timeout=600,
        ) as client,
    ):
        token = await app.state.served.memory.signins.link(seconds=60)
        await client.get("/signin", params={"token": token})
        client.headers["Authorization"] = f"Bearer {issued.token}"
        yield client


async def _asked(client: httpx.AsyncClient, address: Address, *, times: int) -> AsyncIterator[Measured]:
    """The line of an address, and that of its second page."""
    line, answer = await _line(client, address.path, address, times=times)
    yield line
    following = _following(address, answer)
    if following is not None:
        second, _ = await _line(client, following, address, times=times, shown=f"{address.path} (page 2)")
        yield second


async def _line(
    client: httpx.AsyncClient, path: str, address: Address, *, times: int, shown: str | None = None
) -> tuple[Measured, httpx.Response]:
    url = path if "space=" in path else f"{path}{'&' if '?' in path else '?'}{urlencode({'space': SPACE})}"
    answer = await client.get(url)  # not counted: the first time a query is planned
    took: list[float] = []
    for _ in range(times):
        begun = perf_counter()
        answer = await client.get(url)
        took.append((perf_counter() - begun) * 1000)
    middle, kb = median(took), len(answer.content) / 1000
    kept = answer.status_code == 200 and middle <= _MOST_MS and (kb <= _MOST_KB or not address.is_page)
    rows = _rows(address, answer)
    return Measured(shown or path, answer.status_code, middle, percentile(took, 0.95), kb, rows, kept), answer


def _rows(address: Address, answer: httpx.Response) -> int | None:
    if address.is_page or answer.status_code != 200:
        return None
    told = answer.json() if "json" in answer.headers.get("content-type", "") else None
    items = told.get("items") if isinstance(told, dict) else told
    return len(items) if isinstance(items, list) else None


def _following(address: Address, answer: httpx.Response) -> str | None:
    """Where the second page of a list is; None where there is none."""
    if answer.status_code != 200:
        return None
    if address.is_page:
        found = _NEXT.search(answer.text)
        return None if found is None else html.unescape(found[1] or found[2])
    told = answer.json() if "json" in answer.headers.get("content-type", "") else None
    cursor = told.get("next") if isinstance(told, dict) else None
    glue = "&" if "?" in address.path else "?"
    return f"{address.path}{glue}{urlencode({'cursor': cursor})}" if isinstance(cursor, str) else None


def show(lines: Sequence[Measured], *, title: str) -> None:
    """Print the table, the slowest first."""
    table = Table("", "median ms", "p95 ms", "kB", "rows", "", title=title)
    for column in table.columns[1:5]:
        column.justify = "right"
    for line in sorted(lines, key=lambda one: -one.median_ms):
        verdict = "kept" if line.kept else "NOT KEPT" if line.status == 200 else f"status {line.status}"
        rows = "" if line.rows is None else str(line.rows)
        table.add_row(
            line.path, f"{line.median_ms:.0f}", f"{line.p95_ms:.0f}", f"{line.kb:.0f}", rows, verdict
        )
    Console(width=140).print(table)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="bench/pages.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=100_000, help="rows of every kind (default 100000)")
    parser.add_argument("--times", type=int, default=7, help="how often each address is asked")
    parser.add_argument("--only", default="/", metavar="PATH", help="only addresses that begin so")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep the memory there, and use it again")
    parser.add_argument("--short", action="store_true", help="200 rows, each address once")
    parser.add_argument("--check", action="store_true", help="exit code 1 if a promise is not kept")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there")
    options = parser.parse_args(arguments)
    if options.short:
        options.rows, options.times = 200, 1
    busy = usage.load()
    with home(options.keep, name="pages") as place, running(place) as server:
        lines = anyio.run(measure, server, options)
    show(lines, title=f"{options.rows:,} rows of every kind; {busy} at the start, {usage.load()} at the end")
    if options.json:
        options.json.write_text(json.dumps([asdict(line) for line in lines], indent=2), "utf-8")
    return 1 if options.check and not all(line.kept for line in lines) else 0


if __name__ == "__main__":
    sys.exit(main())
