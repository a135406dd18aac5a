"""Listening: an application on a socket until the process is told to end; requests in hand are finished."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
from collections.abc import Awaitable, Callable, Generator
from functools import partial
from typing import Any, Final

import anyio
import h11
import uvicorn
from anyio import CancelScope
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from quipu.errors import ConfigError
from quipu.interfaces.serving.limits import Limits

_BACKLOG: Final = 2048
_IDLE_SECONDS: Final = 15


def _impatient(head_seconds: float) -> type[H11Protocol]:
    """Return connections that are closed if the head of a request takes longer to come."""

    class Impatient(H11Protocol):
        _due: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._expect()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.conn.their_state is not h11.IDLE:
                self._rest()
            elif self._due is None:
                self._expect()

        def connection_lost(self, exc: Exception | None) -> None:
            self._rest()
            super().connection_lost(exc)

        def _expect(self) -> None:
            self._due = self.loop.call_later(head_seconds, self.transport.close)

        def _rest(self) -> None:
            if self._due is not None:
                self._due.cancel()
                self._due = None

    return Impatient


class _Server(uvicorn.Server):
    """A server that leaves signals to us: its own way ends the process before the memory is closed."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for sock in sockets or ():
            sock.listen(_BACKLOG)
        self._ready()

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


def bound(host: str, port: int) -> socket.socket:
    """Bind a socket there; port 0 takes one that is free.

    Raises:
        ConfigError: it cannot be bound; says why.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # ``socket.create_server`` does not name the protocol; then asyncio leaves Nagle's algorithm on, and each
    # answer waits 40 ms for an acknowledgement.
    sock = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((host.strip("[]"), port))
        sock.listen(_BACKLOG)
    except (OSError, OverflowError) as error:
        sock.close()
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ConfigError(
            f"Nothing can listen on {host}, port {port}: {why}.", hint="Choose another with --port."
        ) from error
    return sock


async def heed(
    *, leave: Callable[[], None], hurry: Callable[[], None], link: Callable[[], Awaitable[None]]
) -> None:
    """Call ``leave`` at the first SIGTERM or SIGINT, ``hurry`` at the next, ``link`` at each SIGUSR1."""
    leaving = False
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT, signal.SIGUSR1) as received:
        async for number in received:
            if number == signal.SIGUSR1:
                await link()
            elif leaving:
                hurry()
            else:
                leaving = True
                leave()


async def listen(
    app: ASGIApp,
    sock: socket.socket,
    terms: Limits,
    *,
    ready: Callable[[], None],
    leaving: Callable[[], None],
    link: Callable[[], Awaitable[None]],
    ended: Callable[[], Awaitable[None]] = anyio.sleep_forever,
    behind_proxy: bool = False,
    certificate: str | None = None,
    private_key: str | None = None,
) -> None:
    """Serve until SIGTERM or SIGINT; the second one ends it without waiting for requests in hand.

    ``ready`` is called when requests are taken, ``leaving`` when it was told to end, ``link`` when SIGUSR1
    asks for a sign-in link. It ends as well when ``ended`` returns. ``behind_proxy``: the
    headers of a proxy on this machine tell who asks. ``certificate`` and ``private_key``: files, for https.

    Raises:
        ConfigError: the certificate or its key cannot be used.
    """
    config = uvicorn.Config(
        app,
        http=_impatient(terms.head_seconds),
        ws="none",
        loop="asyncio",
        lifespan="on",
        log_config=None,
        access_log=False,  # it would hold sign-in links
        server_header=False,
        proxy_headers=behind_proxy,
        limit_concurrency=terms.connections,
        backlog=1,  # so many are taken at a time: others of the same socket get some too
        timeout_keep_alive=_IDLE_SECONDS,
        timeout_graceful_shutdown=round(terms.leave_seconds),
        ssl_certfile=certificate,
        ssl_keyfile=private_key,
    )
    try:
        config.load()
    except OSError as error:
        raise ConfigError(f"The certificate and its key cannot be used: {error}.") from error
    server = _Server(config, ready)

    def leave() -> None:
        server.should_exit = True
        leaving()

    def hurry() -> None:
        server.force_exit = True

    async def outlive() -> None:
        await ended()
        leave()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(partial(heed, leave=leave, hurry=hurry, link=link))
        tasks.start_soon(outlive)
        with CancelScope(shield=True):
            await server.serve(sockets=[sock])
        tasks.cancel_scope.cancel()
