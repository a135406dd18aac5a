"""Starting the process of a store and talking to it."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pace.adapter import PEERS
from pace.environments import python_of
from pace.worker import Job

_BENCH = Path(__file__).resolve().parent.parent
# No store may phone home or fetch a model.
_QUIET = {
    "ANONYMIZED_TELEMETRY": "False",
    "MEM0_TELEMETRY": "False",
    "HF_HUB_OFFLINE": "1",
    "LANGSMITH_TRACING": "false",
    "TOKENIZERS_PARALLELISM": "false",
    # A product of one vector and a small matrix is no work to share out; threads only wait for each other.
    "OPENBLAS_NUM_THREADS": "1",
}


class StoreFailed(Exception):
    """The store could not do what it was asked; the message is its own."""


class Process:
    """The process of one store. Leaving the ``with`` block ends it."""

    def __init__(self, job: Job, *, log: Path) -> None:
        self._log = log
        peer = PEERS[job.peer]
        paths = [
            str(_BENCH),
            *([os.environ["PYTHONPATH"]] if peer.environment is None and "PYTHONPATH" in os.environ else []),
        ]
        home = log.parent / "home"
        home.mkdir(exist_ok=True)
        environment = {
            **os.environ,
            **_QUIET,
            "PYTHONPATH": os.pathsep.join(paths),
            "MEM0_DIR": str(home / "mem0"),
        }
        with log.open("ab") as stderr:
            self._child = subprocess.Popen(
                [str(python_of(peer)), "-m", "pace.worker", json.dumps(asdict(job))],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                env=environment,
                encoding="utf-8",
            )

    @property
    def pid(self) -> int:
        """The process id."""
        return self._child.pid

    def wait_until_open(self) -> None:
        """Wait until the store is open; raises StoreFailed if it cannot be opened."""
        self._answer()

    def ask(self, do: str, **arguments: object) -> dict[str, Any]:
        """Have a command carried out; raises StoreFailed with the error of the store."""
        if self._child.stdin is None:
            raise StoreFailed("the process has no input")
        try:
            self._child.stdin.write(json.dumps({"do": do, **arguments}) + "\n")
            self._child.stdin.flush()
        except BrokenPipeError as error:
            raise StoreFailed(self._last_words()) from error
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        line = self._child.stdout.readline() if self._child.stdout else ""
        if not line:
            raise StoreFailed(self._last_words())
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise StoreFailed(answer["error"])
        return answer

    def _last_words(self) -> str:
        lines = self._log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return lines[-1] if lines else f"the process ended with code {self._child.poll()}"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._child.stdin:
            self._child.stdin.close()
        try:
            self._child.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
        if self._child.stdout:
            self._child.stdout.close()
