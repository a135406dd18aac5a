"""Hooks as an agent runs them: processes with a document on standard input."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from patience import PATIENCE_SECONDS, until

from quipu.interfaces.hooks import client

SOURCE = Path(__file__).resolve().parents[3] / "src"
NOBODY = (OSError, EOFError, client.Refused)
# The hook as it is, with time enough on a busy machine.
PATIENT = f"""
import importlib.util, sys
found = importlib.util.spec_from_file_location("client", {client.__file__!r})
client = importlib.util.module_from_spec(found)
found.loader.exec_module(client)
client.LIMIT_SECONDS = dict.fromkeys(client.LIMIT_SECONDS, {PATIENCE_SECONDS})
client.BROKEN_SECONDS = {PATIENCE_SECONDS}
client.main(sys.argv[1:])
"""


@dataclass(frozen=True)
class Ran:
    """How a hook ended and what it printed."""

    code: int
    printed: str

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

    def start(self, event: str, *options: str, limited: bool = False, **given: Any) -> subprocess.Popen[str]:
        """A hook that was called and is not waited for; ``limited``: within the limits that hooks have."""
        program = [client.__file__] if limited else ["-c", PATIENT]
        command = [sys.executable, "-I", "-S", *program, event, *options]
        pipe = subprocess.PIPE
        process = subprocess.Popen(
            command, env=self.environment(), stdin=pipe, stdout=pipe, stderr=pipe, text=True
        )
        assert process.stdin is not None
        process.stdin.write(json.dumps({"session_id": "now", "cwd": "/home/dana/src/boat", **given}))
        process.stdin.close()
        return process

    def run(self, event: str, *options: str, limited: bool = False, **given: Any) -> Ran:
        """A hook and what came of it."""
        return ended(self.start(event, *options, limited=limited, **given))

    def serve(self, *options: str) -> subprocess.Popen[bytes]:
        """The service itself, as a hook would start it."""
        command = [
            sys.executable,
            "-P",
            "-m",
            "quipu.interfaces.hooks.daemon",
            "--home",
            str(self.home),
            *options,
        ]
        return subprocess.Popen(command, env=self.environment())

    def status(self) -> dict[str, Any]:
        """What the service says of itself; {} where there is none."""
        with suppress(*NOBODY):
            return client.converse(str(self.home), {"do": "status"}, PATIENCE_SECONDS)
        return {}

    def stop(self) -> None:
        """End the service and wait until it is gone."""
        with suppress(*NOBODY):
            client.converse(str(self.home), {"do": "stop"}, PATIENCE_SECONDS)
        assert until(lambda: not self.status())

    @property
    def log(self) -> str:
        """What hooks and service noted."""
        file = self.home / "hooks.log"
        return file.read_text() if file.exists() else ""

    @property
    def run_directory(self) -> Path:
        return Path(client.run_directory(str(self.home)))


def ended(process: subprocess.Popen[str]) -> Ran:
    """Wait for a hook."""
    assert process.stdout is not None
    assert process.stderr is not None
    with process:
        printed, errors = process.stdout.read(), process.stderr.read()
    assert errors == ""
    return Ran(process.returncode, printed)
