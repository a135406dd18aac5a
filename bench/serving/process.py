"""``quipu serve`` as a process of its own, for the time of a measurement."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import quipu


@dataclass(frozen=True, slots=True)
class Server:
    """Where it listens, and its process, which may have others below it."""

    port: int
    pid: int


@contextmanager
def serving(conninfo: str, model: str, *, processes: int = 1) -> Iterator[Server]:
    """Serve a database; the processes end, as they would under a service manager, when the block does."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("QUIPU_")}
    environment |= {
        "QUIPU_DATABASE_URL": conninfo,
        "QUIPU_EMBEDDING_MODEL": model,
        "PYTHONPATH": str(Path(quipu.__file__).parent.parent),
    }
    options = ["--port", "0", "--processes", str(processes), "--json"]
    command = [sys.executable, "-m", "quipu", "serve", *options]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            told = json.loads("".join(process.stdout.readline() for _ in range(4)))
            yield Server(int(told["url"].rpartition(":")[2]), process.pid)
        finally:
            process.terminate()
            process.wait(30)
