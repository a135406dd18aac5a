"""Processes beside each other: started, started anew when one ends, and ended together."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import anyio
from anyio import EndOfStream
from anyio.abc import Process

_LOG: Final = logging.getLogger("quipu.server")
_PAUSE_SECONDS: Final = 1.0


@dataclass(frozen=True, slots=True)
class Command:
    """Command that starts a process, and the bytes that it reads first."""

    words: Sequence[str]
    given: bytes


class Supervisor:
    """Keeps processes alive until ``leave`` is called.

    Each reads its bytes from standard input, writes a line when it is ready, and has to end when its input
    is closed: so it ends too where this process is killed. They form sessions of their own, so Ctrl-C at a
    terminal reaches this process alone. They inherit the files ``inherited``. ``gone`` is called with the id
    of each that has ended.
    """

    def __init__(
        self,
        *,
        environment: Mapping[str, str],
        inherited: Sequence[int],
        grace_seconds: float,
        gone: Callable[[int], None],
    ) -> None:
        self._environment = environment
        self._inherited = inherited
        self._grace_seconds = grace_seconds
        self._gone = gone
        self._running: set[Process] = set()
        self._ended = anyio.Event()
        self._leaving = anyio.Event()
        self._code = 0

    async def run(self, commands: Sequence[Command], *, ready: Callable[[], None]) -> int:
        """Run the commands: the first, and when it is ready, the others; ``ready`` is called then.

        So what is wrong for all of them is said once.

        Returns:
            0, or the exit code of one that ended before it was ever ready: it says why, and all others end.
        """
        first, *others = commands
        begun = anyio.Event()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._end)
            tasks.start_soon(self._keep, first, begun)
            await begun.wait()
            if not self._leaving.is_set():
                ready()
                for command in others:
                    tasks.start_soon(self._keep, command, anyio.Event())
        return self._code

    def leave(self) -> None:
        """Have all processes end; who has not after the grace is killed."""
        self._leaving.set()

    def hurry(self) -> None:
        """End them at once, without finishing what is in hand."""
        for process in self._running:
            process.kill()

    async def _keep(self, command: Command, begun: anyio.Event) -> None:
        while not self._leaving.is_set():
            process = await anyio.open_process(
                command.words,
                stderr=None,
                env=self._environment,
                pass_fds=self._inherited,
                start_new_session=True,
            )
            self._running.add(process)
            is_ready = await self._is_ready(process, command.given)
            if is_ready:
                begun.set()
            code = await process.wait()
            await process.aclose()
            self._running.discard(process)
            self._ended.set()
            self._gone(process.pid)
            if self._leaving.is_set():
                break
            if not begun.is_set():
                self._code = code or 1
                self.leave()
                break
            _LOG.warning("The process %d ended with %d; another takes its place.", process.pid, code)
            if not is_ready:
                with anyio.move_on_after(_PAUSE_SECONDS):
                    await self._leaving.wait()
        begun.set()

    async def _is_ready(self, process: Process, given: bytes) -> bool:
        """Return True when the process has said that it is ready; False where it ended before."""
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            await process.stdin.send(given)
            if self._leaving.is_set():
                await process.stdin.aclose()
            await process.stdout.receive()
        except (anyio.BrokenResourceError, EndOfStream):
            return False
        return True

    async def _end(self) -> None:
        await self._leaving.wait()
        for process in list(self._running):
            assert process.stdin is not None
            await process.stdin.aclose()
        with anyio.move_on_after(self._grace_seconds):
            while self._running:
                self._ended = anyio.Event()
                await self._ended.wait()
        self.hurry()
