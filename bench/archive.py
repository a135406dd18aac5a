"""Measure how fast an archive of many messages is written and taken in, and how much memory that takes.

    python bench/archive.py                    1,000,000 messages
    python bench/archive.py --messages 20000   a small run: does it work at all?
    python bench/archive.py --check            exit code 1 where a promise is broken

The messages are made by SQL in sessions of a thousand. Beside the archive stands COPY of the same rows in the
same run: out to a file, and in to a table with the same keys and checks but no references. Memory is the most
that this process ever had; the server is another process.
"""

from __future__ import annotations

import argparse
import resource
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TypeVar

import anyio
import psycopg
from rich.console import Console
from rich.table import Table

from pace import usage
from pace.server import Server, home, running
from pace.statements import load
from quipu import AsyncMemory
from quipu.kernel.config import Settings

OUT_PER_SECOND, IN_PER_SECOND, MOST_MB = 20_000, 5_000, 300.0
IN_A_SESSION = 1_000
_PIECE = 1 << 20
_SQL = load("archive")
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Figures:
    """One run: records, and seconds of each step."""

    records: int
    out: float
    copy_out: float
    into: float
    copy_in: float
    bytes: int
    most_mb: float

    @property
    def broken(self) -> bool:
        """True if a promise is broken."""
        slow = self.records / self.out < OUT_PER_SECOND or self.records / self.into < IN_PER_SECOND
        return slow or self.most_mb >= MOST_MB


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code: 1 where --check fails."""
    options = _parse(arguments)
    busy = usage.load()
    with (
        TemporaryDirectory(prefix="quipu-archive-") as folder,
        home(None, name="archive") as place,
        running(place) as server,
    ):
        figures = anyio.run(_measured, server, Path(folder), options.messages // IN_A_SESSION)
    _show(figures, f"{figures.records:,} records, {busy} at the start")
    return int(options.check and figures.broken)


async def _measured(server: Server, folder: Path, sessions: int) -> Figures:
    conninfo = server.database("archive")
    async with AsyncMemory(settings=Settings(database_url=conninfo, embedding_model="hashing")) as memory:
        _fill(conninfo, sessions)
        start = perf_counter()
        written = await memory.archives.export(folder / "archive", space="bench")
        out = perf_counter() - start
        copy_out = _timed(lambda: _copy_out(conninfo, folder / "copied"))
        start = perf_counter()
        loaded = await memory.archives.load(folder / "archive", space="there")
        into = perf_counter() - start
        assert written.records == loaded.records
        copy_in = _timed(lambda: _copy_in(conninfo, folder / "copied"))
    return Figures(
        records=sum(written.records.values()),
        out=out,
        copy_out=copy_out,
        into=into,
        copy_in=copy_in,
        bytes=written.bytes,
        most_mb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    )


def _fill(conninfo: str, sessions: int) -> None:
    with psycopg.connect(conninfo, autocommit=True) as conn:
        conn.execute(_SQL["quick"])
        row = conn.execute(_SQL["space"], {"name": "bench"}).fetchone()
        assert row is not None
        values = {"space": row[0], "sessions": sessions}
        for name in ("sessions", "messages"):
            conn.execute(_SQL[name], values)
        conn.execute(_SQL["vacuum"])


def _copy_out(conninfo: str, path: Path) -> None:
    with (
        psycopg.connect(conninfo) as conn,
        path.open("wb") as file,
        conn.cursor().copy(_SQL["copy_out"]) as copy,
    ):
        for data in copy:
            file.write(data)


def _copy_in(conninfo: str, path: Path) -> None:
    with psycopg.connect(conninfo) as conn, path.open("rb") as file:
        conn.execute(_SQL["copied"])
        with conn.cursor().copy(_SQL["copy_in"]) as copy:
            while data := file.read(_PIECE):
                copy.write(data)


def _timed(work: Callable[[], _T]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start


def _show(figures: Figures, title: str) -> None:
    table = Table("figure", "measured", "promised", title=title)
    rows = (
        ("out, records/s", f"{figures.records / figures.out:,.0f}", f"at least {OUT_PER_SECOND:,}"),
        ("the same rows by COPY, rows/s", f"{figures.records / figures.copy_out:,.0f}", ""),
        (
            "in without vectors, records/s",
            f"{figures.records / figures.into:,.0f}",
            f"at least {IN_PER_SECOND:,}",
        ),
        ("the same rows by COPY, rows/s", f"{figures.records / figures.copy_in:,.0f}", ""),
        ("size, MB", f"{figures.bytes / 1e6:,.0f}", ""),
        ("most memory of the process, MB", f"{figures.most_mb:,.0f}", f"below {MOST_MB:g}"),
    )
    for row in rows:
        table.add_row(*row)
    Console(width=110).print(table)


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="bench/archive.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--messages", type=int, default=1_000_000, help="in sessions of 1,000 (default 1000000)"
    )
    parser.add_argument("--check", action="store_true", help="exit code 1 where a promise is broken")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
