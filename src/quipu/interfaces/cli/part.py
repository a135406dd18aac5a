"""One process of ``quipu serve``: it answers requests, or does the jobs that wait.

Where the server has several, it starts them; nobody does by hand. A process reads its `Part` from standard
input, says on standard output that it is ready, and ends when the input is closed.
"""

from __future__ import annotations

import logging
import os
import pickle
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from socket import socket
from typing import Final, Literal

import anyio

from quipu.app.memory import AsyncMemory
from quipu.errors import MissingExtra, QuipuError
from quipu.interfaces.cli import failure
from quipu.interfaces.cli.workers import employed, heed
from quipu.interfaces.serving.limits import Limits
from quipu.interfaces.serving.shared import Shared
from quipu.kernel.config import Settings

Kind = Literal["server", "worker"]
_READY: Final = b"ready\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One process: which memory it opens, and how it serves.

    ``shared`` is what it has together with the others, None where it is the only one. ``sock`` is the number
    of the socket that it inherits. ``compat`` are the peers whose routes it has; ``behind_proxy``,
    ``certificate`` and ``private_key`` as in `listen`.
    """

    kind: Kind
    settings: Settings
    terms: Limits
    compat: tuple[str, ...]
    behind_proxy: bool
    certificate: str | None
    private_key: str | None
    as_json: bool
    shared: Shared | None = None
    sock: int = -1

    def words(self) -> list[str]:
        """Return the command of a process that does this part, once it is given ``pickle.dumps(part)``."""
        return [sys.executable, "-P", "-m", "quipu.interfaces.cli.part", self.kind]

    async def serve(
        self,
        memory: AsyncMemory,
        sock: socket,
        *,
        ready: Callable[[], None],
        leaving: Callable[[], None],
        link: Callable[[], Awaitable[None]],
        ended: Callable[[], Awaitable[None]] = anyio.sleep_forever,
    ) -> None:
        """Answer requests at a socket until a signal or ``ended`` ends it; see `listen`."""
        try:
            from quipu.interfaces.server import MOUNTS, create_app, peer  # noqa: PLC0415 - an optional extra
            from quipu.interfaces.serving.listener import listen  # noqa: PLC0415 - as above
        except ImportError as error:
            raise MissingExtra("server", "`quipu serve`") from error
        mounts = [*MOUNTS, *map(peer, dict.fromkeys(self.compat))]
        await listen(
            create_app(memory=memory, terms=self.terms, mounts=mounts, shared=self.shared),
            sock,
            self.terms,
            ready=ready,
            leaving=leaving,
            link=link,
            ended=ended,
            behind_proxy=self.behind_proxy,
            certificate=self.certificate,
            private_key=self.private_key,
        )

    async def answer(self) -> None:
        """Answer requests at the inherited socket, until standard input is closed."""
        with socket(fileno=self.sock) as sock:
            sock.setblocking(False)
            async with AsyncMemory(settings=self.settings) as memory:
                await self.serve(memory, sock, ready=_ready, leaving=_ignore, link=_no_link, ended=_closed)

    async def work(self) -> None:
        """Do jobs, and count them, until standard input is closed."""
        from quipu.interfaces.serving.metrics import Metrics  # noqa: PLC0415 - an optional extra

        jobs = Metrics().jobs

        async with employed(
            self.settings, noted=lambda topic, outcome: jobs.labels(topic, outcome).inc()
        ) as hired:

            async def outlive() -> None:
                await _closed()
                hired.stop()

            async with anyio.create_task_group() as tasks:
                await tasks.start(heed, hired, _ignore, tasks.cancel_scope)
                tasks.start_soon(outlive)
                _ready()
                await hired.run(grace_seconds=self.terms.leave_seconds)
                tasks.cancel_scope.cancel()


def main() -> int:
    """Do the part that stands on standard input; return the exit code."""
    part: Part = pickle.load(sys.stdin.buffer)
    sys.excepthook = failure.excepthook
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    try:
        anyio.run(part.answer if part.kind == "server" else part.work)
    except QuipuError as error:
        return failure.failed(error, as_json=part.as_json)
    return 0


def _ready() -> None:
    os.write(sys.stdout.fileno(), _READY)


async def _closed() -> None:
    """Wait until nobody is left who could write to standard input."""
    await anyio.wait_readable(sys.stdin.fileno())


async def _no_link() -> None:
    """Print none, as the process that started this one does."""


def _ignore() -> None:
    """Say nothing, as the process that started this one does."""


if __name__ == "__main__":
    sys.exit(main())
