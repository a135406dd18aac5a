"""Hooks as an agent runs them: processes with a document on standard input."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from quipu.interfaces.hooks import client

SOURCE = Path(__file__).resolve().parents[3] / "src"
NOBODY = (OSError, EOFError, client.Refused)


@dataclass(frozen=True)
class Ran:
    """What a hook printed and how long it took."""

    code: int
    printed: str
    seconds: float

    @property
    def context(self) -> str:
        """What the agent is told."""
        return json.loads(self.printed)["hookSpecificOutput"]["additionalContext"] if self.printed else ""


@dataclass
class Hooks:
    """Runs hooks with a home and settings of their own."""

    home: Path
    settings: dict[str, str] = field(default_factory=dict)

    def environment(self) -> dict[str, str]:
        bare = {k: v for k, v in os.environ.items() if not k.startswith(("QUIPU_", "CLAUDE_"))}
        return {**bare, "PYTHONPATH": str(SOURCE), "QUIPU_HOME": str(self.home), **self.settings}

    def start(self, event: str, **given: Any) -> subprocess.Popen[str]:
        """A hook that was called and is not waited for."""
        command = [sys.executable, "-I", "-S", client.__file__, event]
        pipe = subprocess.PIPE
        process = subprocess.Popen(
            command, env=self.environment(), stdin=pipe, stdout=pipe, stderr=pipe, text=True
        )
        assert process.stdin is not None
        process.stdin.write(json.dumps({"session_id": "now", "cwd": "/home/dana/src/boat", **given}))
        process.stdin.close()
        return process

    def run(self, event: str, **given: Any) -> Ran:
        """A hook and what came of it."""
        begin = time.monotonic()
        return ended(self.start(event, **given), begin)

    def serve(self, *options: str) -> subprocess.Popen[bytes]:
        """The service itself, as a hook would start it."""
        command = [sys.executable, "-P", "-m", "quipu.interfaces.local", "--home", str(self.home), *options]
        return subprocess.Popen(command, env=self.environment())

    def status(self) -> dict[str, Any]:
        """What the service says of itself; {} where there is none."""
        with suppress(*NOBODY):
            return client.converse(str(self.home), {"do": "status"}, 2.0)
        return {}

    def stop(self) -> None:
        """End the service and wait until it is gone."""
        with suppress(*NOBODY):
            client.converse(str(self.home), {"do": "stop"}, 2.0)
        assert until(lambda: not self.status())

    @property
    def log(self) -> str:
        """What hooks and service noted."""
        file = self.home / "hooks.log"
        return file.read_text() if file.exists() else ""

    @property
    def run_directory(self) -> Path:
        return Path(client.run_directory(str(self.home)))


def ended(process: subprocess.Popen[str], begin: float) -> Ran:
    """Wait for a hook."""
    assert process.stdout is not None
    assert process.stderr is not None
    with process:
        printed, errors = process.stdout.read(), process.stderr.read()
    assert errors == ""
    return Ran(process.returncode, printed, time.monotonic() - begin)


def until(happens: Any, seconds: float = 10.0) -> bool:
    """Whether it happened in time."""
    end = time.monotonic() + seconds
    while not happens():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True
