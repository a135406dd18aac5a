"""The service of a home: listens on a Unix socket, holds one open memory, ends when nobody needs it."""

from __future__ import annotations

import json
import os
import resource
import signal
import socket
import sys
import time
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import anyio
from anyio.abc import SocketAttribute, SocketListener, SocketStream

import quipu
from quipu import AsyncMemory
from quipu.errors import QuipuError
from quipu.interfaces.hooks.client import (
    MOST_BYTES,
    code_state,
    note,
    peer_uid,
    run_directory,
    settings_state,
)
from quipu.interfaces.hooks.daemon.answers import Answers, asked_space
from quipu.interfaces.hooks.daemon.pending import COUNTED, catch_up, count, sync_all

_AT_ONCE = 16
_READ_SECONDS, _MOST_SECONDS, _LEAVE_SECONDS = 5.0, 300.0, 5.0
_LEFT = (anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream)

Request = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Life:
    """Limits of a service at rest: for how long, and with how much memory."""

    idle_seconds: float
    most_mb: float

    def over(self, *, rested_seconds: float, resident_mb: float, same_code: bool) -> str | None:
        """Return why a service that answers nobody now is over; None if it is not."""
        if not same_code:
            return "another version was installed"
        if rested_seconds >= self.idle_seconds:
            return f"nobody asked for {self.idle_seconds:.0f} s"
        if resident_mb > self.most_mb:
            return f"it held {resident_mb:.0f} MB"
        return None


def resident_mb() -> float:
    """Return the memory that this process holds now; the most it ever held if the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
    except (OSError, ValueError):
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most / (2**20 if sys.platform == "darwin" else 2**10)


def serve(home: str, *, idle_seconds: float, most_mb: float) -> None:
    """Serve a home until it is over. The caller holds its lock."""
    anyio.run(Service(home, Life(idle_seconds, most_mb)).run)


class Service:
    """One service: its socket, its memory, and what it has done so far."""

    def __init__(self, home: str, life: Life) -> None:
        self._home, self._life = home, life
        self._folder = Path(run_directory(home))
        self._code, self._settings = code_state(), settings_state(home)
        self._since = self._last = time.monotonic()
        self._answered = self._now = 0
        self._done: Counter[str] = Counter({"synced": 0, **dict.fromkeys(COUNTED, 0)})
        self._busy = False
        self._begun: set[str] = set()
        self._answers: Answers | None = None
        self._failure = ""
        self._ready, self._asked, self._over = anyio.Event(), anyio.Event(), anyio.Event()
        self._answered_one = anyio.Event()

    async def run(self) -> None:
        """Listen, open the memory meanwhile, and end in good order."""
        async with anyio.create_task_group() as tasks, self._listening() as listener:
            tasks.start_soon(listener.serve, self._meet)
            tasks.start_soon(self._heed_signals)
            await self._hold_memory()
            with anyio.move_on_after(_LEAVE_SECONDS):
                await self._nobody_waits()
            tasks.cancel_scope.cancel()

    async def _hold_memory(self) -> None:
        broken = self._folder / "broken"
        try:
            async with AsyncMemory(home=self._home) as memory, anyio.create_task_group() as tasks:
                broken.unlink(missing_ok=True)
                self._answers = Answers(memory)
                self._ready.set()
                tasks.start_soon(self._sync, memory)
                tasks.start_soon(self._watch)
                await self._over.wait()
                tasks.cancel_scope.cancel()
        except QuipuError as error:
            broken.write_text(f"{error}\n", "utf-8")
            note(self._home, f"service: {error}")
            self._failure = str(error)
            self._ready.set()

    async def _nobody_waits(self) -> None:
        while self._now:
            self._answered_one = anyio.Event()
            await self._answered_one.wait()

    @asynccontextmanager
    async def _listening(self) -> AsyncGenerator[SocketListener]:
        """Listen at the socket, put in place at once and for us alone; a file left there by the dead goes."""
        place, made = self._folder / "hooks.sock", self._folder / "new.sock"
        async with await anyio.create_unix_listener(made, mode=0o600, backlog=64) as listener:
            made.replace(place)
            try:
                yield listener
            finally:
                place.unlink(missing_ok=True)

    async def _meet(self, stream: SocketStream) -> None:
        """Answer one caller. Nothing that a caller does ends the service."""
        async with stream:
            with suppress(*_LEFT):
                raw: socket.socket = stream.extra(SocketAttribute.raw_socket)
                if peer_uid(raw) != os.geteuid():
                    return
                line = b""
                with anyio.move_on_after(_READ_SECONDS) as reading:
                    line = await _line(stream)
                if not reading.cancelled_caught:
                    reply = await self._reply(line)
                    await stream.send(json.dumps(reply).encode() + b"\n")

    async def _reply(self, line: bytes) -> dict[str, object]:
        try:
            request = cast("Request", json.loads(line))
            kind, seconds = str(request["do"]), min(float(request["seconds"]), _MOST_SECONDS)
            states = (request["code"], request["settings"])
        except (ValueError, KeyError, TypeError):
            return {"error": "that is no question of a hook"}
        if kind == "stop":
            self._over.set()
            return {"stopped": True, "pid": os.getpid()}
        if self._over.is_set() or (kind != "status" and states != (self._code, self._settings)):
            self._over.set()
            return {"leaving": True}
        if kind == "status":
            return self._status()
        self._last = time.monotonic()
        if kind == "sync":
            self._asked.set()
            return {"accepted": True}
        return await self._answer(request, seconds)

    async def _answer(self, request: Request, seconds: float) -> dict[str, object]:
        if self._now >= _AT_ONCE:
            return {"error": "too many ask at once"}
        self._now += 1
        try:
            with anyio.fail_after(seconds):
                await self._ready.wait()
                if self._answers is None:
                    return {"error": self._failure}
                text = await self._answers.answer(request)
            self._answered += 1
            if request["do"] == "session-start" and (space := asked_space(request)) is not None:
                self._begun.add(space)
                self._asked.set()
            return {"text": text}
        except TimeoutError:
            return {"error": f"no answer within {seconds:.1f} s"}
        except Exception as error:  # noqa: BLE001 - one question must not end the service for all others
            return {"error": str(error) if isinstance(error, QuipuError) else repr(error)}
        finally:
            self._now -= 1
            self._answered_one.set()
            self._last = time.monotonic()

    async def _sync(self, memory: AsyncMemory) -> None:
        while True:
            self._asked = anyio.Event()
            self._busy = True
            self._done.update(await sync_all(memory, self._home, self._folder / "pending"))
            while self._begun:
                await catch_up(memory, self._home, self._begun.pop())
            self._busy = False
            await self._asked.wait()

    async def _watch(self) -> None:
        while not self._over.is_set():
            await anyio.sleep(min(self._life.idle_seconds / 4, 5.0))
            if self._now or self._busy:
                continue
            why = self._life.over(
                rested_seconds=time.monotonic() - self._last,
                resident_mb=resident_mb(),
                same_code=_is(self._code),
            )
            if why is not None:
                print(f"ended: {why}", flush=True)
                self._over.set()

    async def _heed_signals(self) -> None:
        with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as received:
            async for _ in received:
                self._over.set()

    def _status(self) -> dict[str, object]:
        return {
            "pid": os.getpid(),
            "version": quipu.__version__,
            "ready": self._ready.is_set(),
            "up_seconds": round(time.monotonic() - self._since, 1),
            "rested_seconds": round(time.monotonic() - self._last, 1),
            "ends_after_seconds": self._life.idle_seconds,
            "answered": self._answered,
            **self._done,
            "pending": count(self._folder / "pending"),
            "resident_mb": round(resident_mb()),
        }


async def _line(stream: SocketStream) -> bytes:
    received = bytearray()
    while not received.endswith(b"\n") and len(received) <= MOST_BYTES:
        received += await stream.receive()
    return bytes(received)


def _is(code: str) -> bool:
    try:
        return code_state() == code
    except OSError:
        return False
