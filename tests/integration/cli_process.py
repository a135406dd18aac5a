"""The command line as people and programs call it: quickly in this process, or as a process of its own."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pooler
from patience import PATIENCE_SECONDS

from quipu.interfaces.cli.main import run

if TYPE_CHECKING:
    from collections.abc import Iterator

CHAT = [
    {
        "session": "s1",
        "id": "m1",
        "speaker": "Ana",
        "content": "I moved to Lisbon in May.",
        "time": "2025-05-03T10:00:00Z",
    },
    {
        "session": "s1",
        "id": "m2",
        "speaker": "Bo",
        "content": "How is the flat?",
        "time": "2025-05-03T10:01:00Z",
    },
    {
        "session": "s1",
        "id": "m3",
        "speaker": "Ana",
        "content": "Small, and the lift squeaks.",
        "time": "2025-05-03T10:02:00Z",
    },
    {
        "session": "s2",
        "id": "m4",
        "speaker": "Bo",
        "content": "My bicycle was stolen.",
        "time": "2025-06-01T09:00:00Z",
    },
]
LINES = "".join(json.dumps(line) + "\n" for line in CHAT)

SOURCE = Path(__file__).resolve().parent.parent.parent / "src"


@dataclass(frozen=True)
class Done:
    """How a command ended, and what it wrote."""

    returncode: int
    stdout: str
    stderr: str


@dataclass(frozen=True)
class CommandLine:
    """Runs ``quipu`` with a home of its own and nothing of the caller's settings."""

    home: Path
    settings: dict[str, str] = field(default_factory=dict)

    def environment(self) -> dict[str, str]:
        bare = {
            name: value for name, value in os.environ.items() if not name.startswith(("QUIPU_", "CLAUDE_"))
        }
        given = {"QUIPU_HOME": str(self.home), "PYTHONPATH": str(SOURCE), "HOME": str(self.home)}
        return bare | given | pooler.environment(self.settings)

    def start(self, *arguments: str, **options: Any) -> subprocess.Popen[str]:
        """A process of its own."""
        command = [sys.executable, "-m", "quipu", *arguments]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
        return subprocess.Popen(
            command, text=True, encoding="utf-8", env=self.environment(), cwd=self.home, **pipes
        )

    def process(self, *arguments: str, given: str = "") -> Done:
        """The same as ``run`` in a process of its own."""
        with self.start(*arguments) as process:
            out, err = process.communicate(given, timeout=PATIENCE_SECONDS)
            return Done(process.returncode, out, err)

    def run(self, *arguments: str, given: str = "") -> Done:
        """The whole command line from its first function on, in this process: a tenth of the time."""
        out, err = _pipe(), _pipe()
        with self._surroundings(given), redirect_stdout(out), redirect_stderr(err):
            code = run(arguments)
        return Done(code, _read(out), _read(err))

    def text(self, *arguments: str, given: str = "") -> str:
        """What a command that succeeds prints."""
        done = self.run(*arguments, given=given)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def json(self, *arguments: str, given: str = "") -> Any:
        """The document that a command that succeeds prints."""
        return json.loads(self.text(*arguments, "--json", given=given))

    @contextmanager
    def _surroundings(self, given: str) -> Iterator[None]:
        before, where, hook, stdin = dict(os.environ), Path.cwd(), sys.excepthook, sys.stdin
        os.environ.clear()
        os.environ.update(self.environment())
        os.chdir(self.home)
        sys.stdin = io.TextIOWrapper(io.BytesIO(given.encode()), encoding="utf-8")
        try:
            yield
        finally:
            sys.stdin, sys.excepthook = stdin, hook
            os.chdir(where)
            os.environ.clear()
            os.environ.update(before)


def _pipe() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="")


def _read(pipe: io.TextIOWrapper) -> str:
    pipe.flush()
    pipe.seek(0)
    return pipe.read()
