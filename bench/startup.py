"""Measure how long it takes until something happens, and how much memory a process needs.

    python bench/startup.py              medians of seven rounds beside their limits
    python bench/startup.py --check      exit code 1 if a median is over its limit
    python bench/startup.py --short      one round over a few messages, without the demo: does it run at all?

Every measurement is a new process, and each round measures everything once, so that a busy moment of the
machine falls on all lines alike. ``quipu recall`` is measured with the server running ("warm") and with a
server that it has to start ("cold"); files are in the cache of the system in both cases, and compiled, as
they are where pip installed them. Lines without a limit are what nobody can undercut: Python alone, the
libraries that a recall cannot do without, and a server of MCP's SDK with nothing in it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from time import perf_counter

from rich.console import Console
from rich.table import Table

from pace import usage

_MESSAGES, _FEW_MESSAGES = 500, 20
_QUESTION = ("recall", "Who repaired the violin?", "--space", "bench", "--json")
_LIBRARIES = "import psycopg, numpy, onnxruntime"
_IMPORT = "import time; t = time.perf_counter(); import quipu; quipu.Memory; print(time.perf_counter() - t)"
_INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"},
    },
}
_EMPTY_SERVER = """
import anyio
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
async def serve():
    async with stdio_server() as (read, write):
        server = Server("quipu")
        await server.run(read, write, server.create_initialization_options())
anyio.run(serve)
"""
_FILL = """
import sys
from pace.facts import facts
from quipu import Memory
with Memory() as memory:
    known = ({"id": f.id, "content": f.text} for f in facts(int(sys.argv[1]), 1))
    memory.import_messages(known, space="bench")
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
    """One line of the table; ``limit`` is what the project promises, None where it is for comparison."""

    what: str
    unit: str
    limit: float | None
    values: tuple[float, ...]

    @property
    def typical(self) -> float:
        """The median of the rounds."""
        return median(self.values)

    @property
    def holds(self) -> bool:
        """Whether the median is under the limit."""
        return self.limit is None or self.typical < self.limit

    @property
    def verdict(self) -> str:
        """The last cell of the line."""
        if self.limit is None:
            return "to compare"
        return "holds" if self.holds else "over"


@dataclass(frozen=True, slots=True)
class Line:
    """What is measured, and how: ``run`` is given the number of the round."""

    what: str
    unit: str
    limit: float | None
    run: Callable[[int], float]


class Bench:
    """Runs new processes with a home of their own."""

    def __init__(self, home: Path, *, messages: int) -> None:
        self._messages = messages
        paths = [str(Path(__file__).resolve().parent), os.environ.get("PYTHONPATH", "")]
        path = os.pathsep.join(part for part in paths if part)
        # Silent beside ours: onnxruntime alone would take the time to write down that it was loaded.
        ours = {"QUIPU_HOME": str(home), "PYTHONPATH": path, "ORT_DISABLE_TELEMETRY": "1"}
        around = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        self._environment: Mapping[str, str] = {**around, **ours}

    def measure(self, *, rounds: int, demo: bool) -> list[Measured]:
        """All lines of the table; half a minute for the first demo, then ten seconds a round."""
        self._python(_FILL, str(self._messages))
        if demo:
            self._quipu("demo", "--quiet")
        stopped, running = self._stopped(demo=demo), self._running()
        values: dict[str, list[float]] = {line.what: [] for line in (*stopped, *running)}
        for number in range(rounds):
            print(f"round {number + 1} of {rounds}", file=sys.stderr, flush=True)
            _note(values, stopped, number)
            self._quipu("db", "start")
            try:
                _note(values, running, number)
            finally:
                self._quipu("db", "stop")
        return [
            Measured(line.what, line.unit, line.limit, tuple(values[line.what]))
            for line in (*stopped, *running)
        ]

    def _stopped(self, *, demo: bool) -> list[Line]:
        """What is measured while no server runs."""
        empty, ours = ("-c", _EMPTY_SERVER), ("-m", "quipu", "mcp", "--space", "bench")
        return [
            Line("python -c pass", "s", None, lambda _: self._timed(sys.executable, "-c", "pass")),
            Line(
                f'python -c "{_LIBRARIES}"',
                "s",
                None,
                lambda _: self._timed(sys.executable, "-c", _LIBRARIES),
            ),
            Line("import quipu", "s", 0.3, lambda _: float(self._python(_IMPORT))),
            Line("quipu --help", "s", 0.3, lambda _: self._quipu("--help")),
            Line("quipu recall, cold: starts the server", "s", 2.5, lambda _: self._quipu(*_QUESTION)),
            Line("an empty server of MCP: its first answer", "s", None, lambda _: self._answered(*empty)),
            Line("quipu mcp: its first answer", "s", 1.5, lambda _: self._answered(*ours)),
            *([Line("quipu demo, again", "s", 15, lambda _: self._quipu("demo", "--quiet"))] if demo else ()),
        ]

    def _running(self) -> list[Line]:
        """What is measured beside a running server."""
        return [
            Line("quipu recall, warm: the server runs", "s", 1.5, lambda _: self._quipu(*_QUESTION)),
            Line(
                "memory of a process, model loaded",
                "MB",
                350,
                lambda number: float(self._python(_LOADED, str(number))),
            ),
        ]

    def _answered(self, *arguments: str) -> float:
        """Seconds until a server of MCP has answered who it is, which a client waits for when it starts."""
        begin = perf_counter()
        with subprocess.Popen(
            [sys.executable, *arguments],
            env=self._environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as server:
            assert server.stdin is not None
            assert server.stdout is not None
            server.stdin.write(f"{json.dumps(_INITIALIZE)}\n")
            server.stdin.flush()
            answer = json.loads(server.stdout.readline())
            seconds = perf_counter() - begin
            server.stdin.close()
            assert answer["result"]["serverInfo"]["name"] == "quipu", answer
        return seconds

    def _quipu(self, *arguments: str) -> float:
        return self._timed(sys.executable, "-m", "quipu", *arguments)

    def _timed(self, *command: str) -> float:
        """Seconds from the start to the end of one command; CalledProcessError if it fails."""
        begin = perf_counter()
        self._run(command)
        return perf_counter() - begin

    def _python(self, code: str, *arguments: str) -> str:
        return self._run([sys.executable, "-c", code, *arguments])

    def _run(self, command: Sequence[str]) -> str:
        done = subprocess.run(
            command, env=self._environment, stdout=subprocess.PIPE, text=True, timeout=300, check=True
        )
        return done.stdout


def _note(values: dict[str, list[float]], lines: Iterable[Line], number: int) -> None:
    for line in lines:
        values[line.what].append(line.run(number))


def show(console: Console, lines: Sequence[Measured]) -> None:
    """The table: median, fastest and slowest round, and the limit."""
    table = Table(title=f"Start-up, rounds: {len(lines[0].values)}, {usage.load()}", title_justify="left")
    table.add_column("what")
    for head in ("median", "fastest", "slowest", "limit", ""):
        table.add_column(head, justify="right")
    for line in lines:
        numbers = (line.typical, min(line.values), max(line.values), line.limit)
        digits = 0 if line.unit == "MB" else 2
        cells = ["" if number is None else f"{number:.{digits}f} {line.unit}" for number in numbers]
        table.add_row(line.what, *cells, line.verdict)
    console.print(table)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="bench/startup.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=7, help="new processes for each line (default 7)")
    parser.add_argument(
        "--short", action="store_true", help="one round over a few messages, without the demo"
    )
    parser.add_argument("--check", action="store_true", help="exit code 1 if a median is over its limit")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every round there")
    options = parser.parse_args(arguments)
    if options.rounds < 1:
        parser.error("--rounds: at least 1")
    with tempfile.TemporaryDirectory(prefix="quipu-startup-", ignore_cleanup_errors=True) as home:
        Path(home).chmod(0o711)  # when we are root, another account runs the server and must get in
        bench = Bench(Path(home) / "home", messages=_FEW_MESSAGES if options.short else _MESSAGES)
        lines = bench.measure(rounds=1 if options.short else options.rounds, demo=not options.short)
    show(Console(width=110), lines)
    if options.json:
        options.json.write_text(json.dumps([asdict(line) for line in lines], indent=1), encoding="utf-8")
    return 1 if options.check and not all(line.holds for line in lines) else 0


if __name__ == "__main__":
    sys.exit(main())
