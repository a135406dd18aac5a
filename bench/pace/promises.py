"""Lines of a measurement beside what is promised of them: options, table, JSON, verdict."""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median, quantiles

import anyio
from rich.console import Console
from rich.table import Table

from pace import usage


@dataclass(frozen=True, slots=True)
class Measured:
    """One line: the time of single calls in milliseconds, what stands beside it, what is promised of it."""

    what: str
    median_ms: float
    p95_ms: float
    beside: str = ""
    promise: str = ""
    kept: bool = True

    @classmethod
    def of(cls, what: str, times: Sequence[float]) -> Measured:
        """A line of many calls, each so many milliseconds."""
        return cls(what, median(times), quantiles(times, n=20)[-1])


Measure = Callable[[Path, argparse.Namespace], Awaitable[tuple[Sequence[Measured], str]]]
"""Measures all lines in an empty home, and says what else the title should."""


def parser(*, prog: str, doc: str | None) -> argparse.ArgumentParser:
    """The options that every such measurement has."""
    found = argparse.ArgumentParser(
        prog=prog, description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    found.add_argument("--short", action="store_true", help="a few of each")
    found.add_argument("--check", action="store_true", help="exit code 1 if a promise is not kept")
    found.add_argument("--json", type=Path, metavar="FILE", help="write the figures there")
    return found


def run(measure: Measure, options: argparse.Namespace, *, beside: str = "beside it") -> int:
    """Measure, print the table and write the JSON; returns the exit code."""
    busy = f"{usage.load()} at the start"
    with tempfile.TemporaryDirectory(prefix="quipu-bench-") as directory:
        home = Path(directory)
        home.chmod(0o711)  # when we are root, another account runs the server and must get in
        lines, said = anyio.run(measure, home, options)
    _show(lines, title=f"{said}; {busy}" if said else busy, beside=beside)
    if options.json:
        options.json.write_text(json.dumps([asdict(line) for line in lines], indent=2), "utf-8")
    return 1 if options.check and not all(line.kept for line in lines) else 0


def _show(lines: Sequence[Measured], *, title: str, beside: str) -> None:
    table = Table("", "median ms", "p95 ms", beside, "promise", "", title=title)
    for column in table.columns[1:4]:
        column.justify = "right"
    for line in lines:
        verdict = "" if not line.promise else "kept" if line.kept else "NOT KEPT"
        figures = f"{line.median_ms:.2f}", f"{line.p95_ms:.2f}", line.beside
        table.add_row(line.what, *figures, line.promise, verdict)
    Console(width=140).print(table)
