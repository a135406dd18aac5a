"""Measure how long the hooks of an agent take: the process that the agent waits for, from start to end.

    python bench/hooks.py               medians and 95th percentiles of 40 calls of each hook
    python bench/hooks.py --check       exit code 1 if a warm hook takes 400 ms or more (95th percentile)
    python bench/hooks.py --short       three calls over a few messages: does it run at all?

"cold" is the first call of a session when neither service nor database run. "warm" is every other. The first
line is what nobody can undercut: an interpreter that does nothing. The last lines are the service itself.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter

from rich.console import Console
from rich.table import Table

from pace import usage
from pace.facts import facts
from quipu import Memory
from quipu.interfaces.hooks import client

_LIMIT_SECONDS = 0.4
_SPACE, _PROJECT = "bench", "/home/dana/src/bench"
_QUESTIONS = (
    "Who repaired the violin?",
    "Where was the bicycle bought last year?",
    "What did they say about the garden fence?",
    "Which train goes to the coast on Sunday?",
    "please rename the function and run the tests again",
)


@dataclass(frozen=True, slots=True)
class Measured:
    """One line of the table, in seconds; ``limit`` is what the project promises."""

    what: str
    seconds: tuple[float, ...]
    limit: float | None = None

    @property
    def p95(self) -> float:
        """Of a few values the largest."""
        return quantiles(self.seconds, n=20)[-1] if len(self.seconds) >= 20 else max(self.seconds)

    @property
    def holds(self) -> bool:
        """Whether 19 of 20 are within the limit."""
        return self.limit is None or self.p95 < self.limit


class Bench:
    """Calls hooks as an agent does, in a home of their own."""

    def __init__(self, home: Path, *, messages: int) -> None:
        source = str(Path(client.__file__).resolve().parents[3])
        path = os.pathsep.join(filter(None, (source, os.environ.get("PYTHONPATH", ""))))
        bare = {
            name: value for name, value in os.environ.items() if not name.startswith(("QUIPU_", "CLAUDE_"))
        }
        self._environment: Mapping[str, str] = {**bare, "QUIPU_HOME": str(home), "PYTHONPATH": path}
        self._home, self._calls = home, 0
        with Memory(home=home) as memory:
            known = ({"id": one.id, "content": one.text} for one in facts(messages, 1))
            memory.import_messages(known, space=_SPACE)

    def measure(self, *, rounds: int, cold_rounds: int) -> list[Measured]:
        """All lines; the service is stopped at the end."""
        bare = tuple(self._timed(sys.executable, "-I", "-S", "-c", "pass") for _ in range(rounds))
        cold: list[float] = []
        for _ in range(cold_rounds):
            self.stop()
            cold.append(self._hook("session-start"))
        events: dict[str, list[float]] = {event: [] for event in client.LIMIT_SECONDS}
        for _ in range(rounds):
            for event, seconds in events.items():
                seconds.append(self._hook(event))
        lines = [Measured("python -c pass", bare), Measured("session-start, cold", tuple(cold))]
        lines += [Measured(f"{event}, warm", tuple(s), _LIMIT_SECONDS) for event, s in events.items()]
        return lines

    def status(self) -> Mapping[str, object]:
        """What the service says of itself."""
        return client.converse(str(self._home), {"do": "status"}, 5.0)

    def stop(self) -> None:
        """End the service, and wait until it has closed its database."""
        try:
            client.converse(str(self._home), {"do": "stop"}, 5.0)
        except (OSError, EOFError, client.Refused):
            return
        while (self._home / "run" / "hooks.sock").exists():
            time.sleep(0.05)
        time.sleep(1)

    def _hook(self, event: str) -> float:
        self._calls += 1
        given = {
            "session_id": f"s{self._calls}",
            "transcript_path": str(self._transcript()),
            "cwd": _PROJECT,
            "prompt": _QUESTIONS[self._calls % len(_QUESTIONS)],
        }
        program = (sys.executable, "-I", "-S", client.__file__, event, "--space", _SPACE)
        return self._timed(*program, given=json.dumps(given))

    def _transcript(self) -> Path:
        """A transcript that grows by a line with every call."""
        path = self._home / "s.jsonl"
        line = {
            "type": "user",
            "uuid": f"u{self._calls}",
            "sessionId": "s",
            "timestamp": "2026-05-04T10:00:00Z",
            "cwd": _PROJECT,
            "message": {"role": "user", "content": f"Number {self._calls} of the prompts."},
        }
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        return path

    def _timed(self, *command: str, given: str = "") -> float:
        begin = perf_counter()
        subprocess.run(
            command, env=self._environment, input=given, capture_output=True, text=True, check=True
        )
        return perf_counter() - begin


def show(console: Console, lines: Sequence[Measured], status: Mapping[str, object]) -> None:
    """The table, and what the service held at the end."""
    table = Table(title=f"Hooks, {usage.load()}", title_justify="left")
    for head in ("what", "calls", "p50", "p95", "limit", ""):
        table.add_column(head, justify="left" if head == "what" else "right")
    for line in lines:
        verdict = "to compare" if line.limit is None else "holds" if line.holds else "over"
        numbers = [f"{1000 * seconds:.0f} ms" for seconds in (median(line.seconds), line.p95)]
        limit = "" if line.limit is None else f"{1000 * line.limit:.0f} ms"
        table.add_row(line.what, str(len(line.seconds)), *numbers, limit, verdict)
    console.print(table)
    console.print(f"service: {status['resident_mb']} MB after {status['answered']} answers")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="bench/hooks.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=40, help="calls of each hook (default 40)")
    parser.add_argument("--messages", type=int, default=5_000, help="in the memory (default 5,000)")
    parser.add_argument("--short", action="store_true", help="three calls over twenty messages")
    parser.add_argument("--check", action="store_true", help="exit code 1 if a warm hook is over its limit")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every call there")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="quipu-hooks-", ignore_cleanup_errors=True) as place:
        Path(place).chmod(0o711)  # when we are root, another account runs the server and must get in
        bench = Bench(Path(place) / "home", messages=20 if options.short else options.messages)
        try:
            lines = bench.measure(
                rounds=3 if options.short else options.rounds, cold_rounds=1 if options.short else 5
            )
            show(Console(width=110), lines, bench.status())
        finally:
            bench.stop()
    if options.json:
        options.json.write_text(json.dumps([asdict(line) for line in lines], indent=1), encoding="utf-8")
    return 1 if options.check and not all(line.holds for line in lines) else 0


if __name__ == "__main__":
    sys.exit(main())
