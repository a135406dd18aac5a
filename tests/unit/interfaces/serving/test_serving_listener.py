"""Listening on a real socket: who dawdles is sent away, what is in hand is finished."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from time import perf_counter

import anyio
import pytest
from anyio.abc import ByteStream, TaskGroup
from patience import PATIENCE_SECONDS
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from quipu.errors import ConfigError
from quipu.interfaces.serving.limits import Limits
from quipu.interfaces.serving.listener import bound, listen

pytestmark = pytest.mark.anyio

REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


@dataclass
class App:
    """Answers; ``/held`` when it is told to, ``/slow`` after ``pause_seconds``."""

    pause_seconds: float = 0.0
    held: anyio.Event = field(default_factory=anyio.Event)
    go: anyio.Event = field(default_factory=anyio.Event)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._wait(scope["path"])
        await _answer(scope, receive, send)

    async def _wait(self, path: str) -> None:
        if path == "/held":
            self.held.set()
            await self.go.wait()
        elif path == "/slow":
            await anyio.sleep(self.pause_seconds)


async def _answer(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "lifespan":
        while (message := await receive())["type"] != "lifespan.shutdown":
            await send({"type": f"{message['type']}.complete"})
        await send({"type": "lifespan.shutdown.complete"})
        return
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


async def answer(stream: ByteStream) -> bytes:
    """One whole answer: its head and its body may come apart."""
    came = b""
    while not came.endswith(b"ok"):
        came += await stream.receive()
    return came


@dataclass
class Running:
    """Where it listens, the application, the tasks that end with it, and whether it was told to leave."""

    port: int
    app: App
    tasks: TaskGroup
    left: list[str] = field(default_factory=list)
    linked: anyio.Event = field(default_factory=anyio.Event)


@asynccontextmanager
async def running(
    app: App | None = None, *, head_seconds: float = PATIENCE_SECONDS
) -> AsyncIterator[Running]:
    """The application, listening, for a block; a signal ends it as it would in production."""
    ready = anyio.Event()
    app = app or App()
    terms = Limits(head_seconds=head_seconds, leave_seconds=PATIENCE_SECONDS)
    with anyio.fail_after(PATIENCE_SECONDS), bound("127.0.0.1", 0) as sock:
        async with anyio.create_task_group() as tasks:
            server = Running(sock.getsockname()[1], app, tasks)

            async def listening() -> None:
                def leaving() -> None:
                    server.left.append("leaving")
                    app.go.set()

                async def link() -> None:
                    server.linked.set()

                await listen(app, sock, terms, ready=ready.set, leaving=leaving, link=link)

            tasks.start_soon(listening)
            await ready.wait()
            try:
                yield server
            finally:
                os.kill(os.getpid(), signal.SIGTERM)


async def is_sent_away(stream: ByteStream, begun: bytes) -> None:
    """The server ends the connection of whoever sends no more than this."""
    with suppress(anyio.BrokenResourceError):  # it may be over already
        await stream.send(begun)
    with (
        anyio.fail_after(PATIENCE_SECONDS),
        pytest.raises((anyio.EndOfStream, anyio.BrokenResourceError)),
    ):
        await stream.receive()


async def test_a_signal_asks_for_a_sign_in_link_and_ends_nothing() -> None:
    async with running() as server:
        os.kill(os.getpid(), signal.SIGUSR1)
        await server.linked.wait()
        assert server.left == []


async def test_a_head_that_does_not_come_to_an_end_is_not_waited_for() -> None:
    async with running(head_seconds=0.2) as server:
        for begun in (b"", REQUEST[:20], REQUEST[:-2]):
            begin = perf_counter()
            async with await anyio.connect_tcp("127.0.0.1", server.port) as slow:
                await is_sent_away(slow, begun)
            assert perf_counter() - begin >= 0.15


async def test_a_connection_is_used_again_and_its_next_head_is_not_waited_for_either() -> None:
    for head_seconds in (0.2, 1, 5, 25):  # a busy machine needs the longer ones for a whole head
        answered = 0
        app = App(pause_seconds=1.5 * head_seconds)  # an answer may take longer than a head
        async with (
            running(app, head_seconds=head_seconds) as server,
            await anyio.connect_tcp("127.0.0.1", server.port) as kept,
        ):
            with suppress(anyio.EndOfStream, anyio.BrokenResourceError):
                for _ in range(2):
                    await kept.send(REQUEST.replace(b"GET /", b"GET /slow"))
                    await answer(kept)
                    answered += 1
            await is_sent_away(kept, REQUEST[:10])
        if answered == 2:
            break
    assert answered == 2


async def test_what_is_in_hand_is_finished_when_it_is_told_to_end() -> None:
    told: list[bytes] = []

    async def ask(port: int) -> None:
        async with await anyio.connect_tcp("127.0.0.1", port) as stream:
            await stream.send(REQUEST.replace(b"GET /", b"GET /held"))
            told.append(await answer(stream))

    async with running() as server:
        server.tasks.start_soon(ask, server.port)
        await server.app.held.wait()
        assert told == []
    assert server.left == ["leaving"]
    assert told[0].endswith(b"ok")


async def test_answers_do_not_wait_for_acknowledgements(monkeypatch: pytest.MonkeyPatch) -> None:
    """With Nagle's algorithm each answer on an open connection takes 40 ms."""
    at_once: list[bool] = []
    made = H11Protocol.connection_made

    def noted(protocol: H11Protocol, transport: asyncio.Transport) -> None:  # type: ignore[override]
        raw = transport.get_extra_info("socket")
        at_once.append(bool(raw.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)))
        made(protocol, transport)

    monkeypatch.setattr(H11Protocol, "connection_made", noted)
    async with running() as server, await anyio.connect_tcp("127.0.0.1", server.port) as stream:
        await stream.send(REQUEST)
        await answer(stream)
    assert at_once == [True]


def test_what_cannot_be_bound_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(ConfigError, match="listen"):
        bound("127.0.0.1", taken.getsockname()[1])
    for host, port in (("127.0.0.1", 99_999), ("no such host", 0), ("203.0.113.1", 0)):
        with pytest.raises(ConfigError):
            bound(host, port)
