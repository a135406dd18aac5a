"""Listening on a real socket: who dawdles is sent away, what is in hand is finished."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter

import anyio
import pytest
from anyio.abc import ByteStream, TaskGroup
from starlette.types import Receive, Scope, Send

from quipu.errors import ConfigError
from quipu.interfaces.serving.listening import bound, listen
from quipu.interfaces.serving.terms import Terms

pytestmark = pytest.mark.anyio

REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers after a while; ``/at-once`` at once."""
    if scope["type"] == "lifespan":
        while (message := await receive())["type"] != "lifespan.shutdown":
            await send({"type": f"{message['type']}.complete"})
        await send({"type": "lifespan.shutdown.complete"})
        return
    await anyio.sleep(0 if scope["path"] == "/at-once" else 0.3)
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
    """Where it listens, the tasks that end with it, and whether it was told to leave."""

    port: int
    tasks: TaskGroup
    left: list[str] = field(default_factory=list)


@asynccontextmanager
async def running() -> AsyncIterator[Running]:
    """The application, listening, for a block; a signal ends it as it would in production."""
    ready = anyio.Event()
    terms = Terms(head_seconds=0.2, leave_seconds=5)
    with anyio.fail_after(20), bound("127.0.0.1", 0) as sock:
        async with anyio.create_task_group() as tasks:
            server = Running(sock.getsockname()[1], tasks)

            async def listening() -> None:
                leaving = partial(server.left.append, "leaving")
                await listen(app, sock, terms, ready=ready.set, leaving=leaving)

            tasks.start_soon(listening)
            await ready.wait()
            try:
                yield server
            finally:
                os.kill(os.getpid(), signal.SIGTERM)


async def test_a_head_that_does_not_come_to_an_end_is_not_waited_for() -> None:
    async with running() as server:
        for begun in (b"", REQUEST[:20], REQUEST[:-2]):
            begin = perf_counter()
            async with await anyio.connect_tcp("127.0.0.1", server.port) as slow:
                if begun:
                    await slow.send(begun)
                with anyio.fail_after(5), pytest.raises((anyio.EndOfStream, anyio.BrokenResourceError)):
                    await slow.receive()
            assert perf_counter() - begin >= 0.15


async def test_a_connection_is_used_again_and_its_next_head_is_not_waited_for_either() -> None:
    async with running() as server, await anyio.connect_tcp("127.0.0.1", server.port) as kept:
        for _ in range(2):  # an answer may take longer than a head
            await kept.send(REQUEST)
            await answer(kept)
        await kept.send(REQUEST[:10])
        with anyio.fail_after(5), pytest.raises((anyio.EndOfStream, anyio.BrokenResourceError)):
            await kept.receive()


async def test_what_is_in_hand_is_finished_when_it_is_told_to_end() -> None:
    told: list[bytes] = []

    async def ask(port: int) -> None:
        async with await anyio.connect_tcp("127.0.0.1", port) as stream:
            await stream.send(REQUEST)
            told.append(await answer(stream))

    async with running() as server:
        server.tasks.start_soon(ask, server.port)
        await anyio.sleep(0.1)
        assert told == []
    assert server.left == ["leaving"]
    assert told[0].endswith(b"ok")


async def test_answers_do_not_wait_for_acknowledgements() -> None:
    """With Nagle's algorithm each answer on an open connection takes 40 ms."""
    times: list[float] = []
    async with running() as server, await anyio.connect_tcp("127.0.0.1", server.port) as stream:
        for _ in range(10):
            begin = perf_counter()
            await stream.send(REQUEST.replace(b"GET /", b"GET /at-once"))
            await answer(stream)
            times.append(perf_counter() - begin)
    assert min(times[1:]) < 0.03


def test_what_cannot_be_bound_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(ConfigError, match="listen"):
        bound("127.0.0.1", taken.getsockname()[1])
    for host, port in (("127.0.0.1", 99_999), ("no such host", 0), ("203.0.113.1", 0)):
        with pytest.raises(ConfigError):
            bound(host, port)
