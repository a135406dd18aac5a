"""Measure how long it takes until something happens, and how much memory a process needs.

    python bench/startup.py              medians of seven runs beside their limits
    python bench/startup.py --check      exit code 1 if a median is over its limit

Every run is a new process. ``quipu recall`` is measured with the server running ("warm") and with a
server that it has to start ("cold"); files are in the cache of the system in both cases.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from time import perf_counter

from rich.console import Console
from rich.table import Table

from pace import usage

_MESSAGES = 500
_IMPORT = "import time; t = time.perf_counter(); import quipu; quipu.Memory; print(time.perf_counter() - t)"
_FILL = f"""
from pace.facts import facts
from quipu import Memory
with Memory() as memory:
    memory.import_messages(({{"id": f.id, "content": f.text}} for f in facts({_MESSAGES}, 1)), space="bench")
"""
_LOADED = """
import os, sys
from pace.facts import facts
from pace.usage import resident_mb
from quipu import Memory
with Memory() as memory:
    new = [{"content": f"{f.text} {f.time}"} for f in facts(300, 1, seed=int(sys.argv[1]))]
    memory.import_messages(new, space="bench-memory")
    memory.recall("Who repaired the violin?", space="bench")
    print(resident_mb(os.getpid()) or "nan")
"""


@dataclass(frozen=True, slots=True)
class Measured:
    """One line of the table; ``limit`` is what the project promises."""

    what: str
    unit: str
    limit: float
    values: tuple[float, ...]

    @property
    def typical(self) -> float:
        """The median of the runs."""
        return median(self.values)

    @property
    def holds(self) -> bool:
        """Whether the median is under the limit."""
        return self.typical < self.limit


class Bench:
    """Runs new processes with a home of their own."""

    def __init__(self, home: Path, runs: int) -> None:
        self._runs = runs
        paths = [str(Path(__file__).resolve().parent), os.environ.get("PYTHONPATH", "")]
        path = os.pathsep.join(part for part in paths if part)
        self._environment: Mapping[str, str] = {**os.environ, "QUIPU_HOME": str(home), "PYTHONPATH": path}

    def measure(self) -> list[Measured]:
        """All lines of the table; takes about a minute."""
        self._python(_FILL)
        lines = [
            self._line("import quipu", "s", 0.3, lambda: float(self._python(_IMPORT))),
            self._line("quipu --help", "s", 0.3, lambda: self._quipu("--help")),
        ]
        self._quipu("db", "start")
        try:
            lines.append(self._line("quipu recall, server running", "s", 1.5, self._recall))
            seeds = iter(range(self._runs))
            lines.append(
                self._line(
                    "memory with the model loaded",
                    "MB",
                    350,
                    lambda: float(self._python(_LOADED, str(next(seeds)))),
                )
            )
        finally:
            self._quipu("db", "stop")
        lines.append(self._line("quipu recall, server stopped", "s", 2.5, self._recall))
        return lines

    def _line(self, what: str, unit: str, limit: float, run: Callable[[], float]) -> Measured:
        print(what, file=sys.stderr, flush=True)
        return Measured(what, unit, limit, tuple(run() for _ in range(self._runs)))

    def _recall(self) -> float:
        return self._quipu("recall", "Who repaired the violin?", "--space", "bench", "--json")

    def _quipu(self, *arguments: str) -> float:
        """Seconds from the start to the end of one command; CalledProcessError if it fails."""
        begin = perf_counter()
        self._run([sys.executable, "-m", "quipu", *arguments])
        return perf_counter() - begin

    def _python(self, code: str, *arguments: str) -> str:
        return self._run([sys.executable, "-c", code, *arguments])

    def _run(self, command: Sequence[str]) -> str:
        done = subprocess.run(
            command, env=self._environment, stdout=subprocess.PIPE, text=True, timeout=120, check=True
        )
        return done.stdout


def show(console: Console, lines: Sequence[Measured]) -> None:
    """The table: median, fastest and slowest run, and the limit."""
    table = Table(title=f"Start-up, {len(lines[0].values)} runs each, {usage.load()}", title_justify="left")
    table.add_column("what")
    for head in ("median", "fastest", "slowest", "limit", ""):
        table.add_column(head, justify="right")
    for line in lines:
        numbers = (line.typical, min(line.values), max(line.values), line.limit)
        digits = 0 if line.unit == "MB" else 2
        cells = [f"{number:.{digits}f} {line.unit}" for number in numbers]
        table.add_row(line.what, *cells, "holds" if line.holds else "over")
    console.print(table)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="bench/startup.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=7, help="new processes for each line (default 7)")
    parser.add_argument("--check", action="store_true", help="exit code 1 if a median is over its limit")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every run there")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="quipu-startup-", ignore_cleanup_errors=True) as home:
        lines = Bench(Path(home) / "home", options.runs).measure()
    show(Console(width=110), lines)
    if options.json:
        options.json.write_text(json.dumps([asdict(line) for line in lines], indent=1), encoding="utf-8")
    return 1 if options.check and not all(line.holds for line in lines) else 0


if __name__ == "__main__":
    sys.exit(main())
