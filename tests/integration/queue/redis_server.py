"""A real Redis, on a socket in a directory of its own, that can be killed and started again."""

from __future__ import annotations

import shutil
import signal
import subprocess
import time
from pathlib import Path


class RedisServer:
    """Writes down what it is told before it answers, so that kill -9 takes nothing."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._socket = directory / "redis.sock"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"unix://{self._socket}"

    def start(self) -> None:
        program = shutil.which("redis-server")
        assert program is not None, "These tests need a Redis: apt-get install redis-server"
        options = ["--port", "0", "--unixsocket", str(self._socket), "--dir", str(self._directory)]
        keeping = ["--appendonly", "yes", "--appendfsync", "always", "--save", ""]
        self._process = subprocess.Popen([program, *options, *keeping], stdout=subprocess.DEVNULL)
        while self.cli("ping") != "PONG":
            time.sleep(0.01)

    def cli(self, *words: str) -> str:
        done = subprocess.run(
            ["redis-cli", "-s", str(self._socket), *words], capture_output=True, text=True, check=False
        )
        return done.stdout.strip()

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        self._end(signal.SIGTERM)

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(10)
            self._process = None
