"""``quipu serve``: this memory by HTTP."""

from __future__ import annotations

import logging
import os
import pickle
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import click
from anyio import CancelScope

from quipu.app.kinds import PACKAGES
from quipu.app.memory import AsyncMemory
from quipu.errors import BadInput, MissingExtra, QuipuError
from quipu.interfaces.cli.call import Call, common
from quipu.interfaces.cli.memory import address, settings_of
from quipu.interfaces.cli.part import Part
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.peers import ROUTES
from quipu.interfaces.serving import addresses
from quipu.interfaces.serving.limits import Limits
from quipu.interfaces.serving.shared import Shared
from quipu.interfaces.serving.supervisor import Command, Supervisor
from quipu.kernel.base.clock import SystemClock
from quipu.kernel.db.database import Database
from quipu.upkeep.keys.keys import AsyncKeys
from quipu.upkeep.keys.signins import AsyncSignIns

if TYPE_CHECKING:
    from socket import socket

_MOST = 64
_CLOSING_SECONDS = 10.0  # after the last request: to close the memory


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", default=4780, show_default=True, help="The port; 0 takes one that is free.")
@click.option("--public-url", metavar="URL", help="The address for people, if a proxy stands before it.")
@click.option("--certificate", metavar="FILE", type=Path, help="For https, with --private-key.")
@click.option("--private-key", metavar="FILE", type=Path, help="The key of that certificate.")
@click.option("--processes", default=1, show_default=True, help=f"Processes that answer (1 to {_MOST}).")
@click.option("--worker", is_flag=True, help="Run a worker beside them.")
@click.option("--compat", multiple=True, type=click.Choice([*ROUTES]), help="Routes of a peer under /compat.")
@common
def command(
    call: Call,
    host: str,
    port: int,
    public_url: str | None,
    certificate: Path | None,
    private_key: Path | None,
    processes: int,
    worker: bool,
    compat: tuple[str, ...],
) -> None:
    """Serve this memory: REST under /v1 for programs with a key, pages for people who open the printed link.

    The link works once, for a day; the signal USR1 has another one printed. Other machines are let in
    (--host) only where there are keys: see `quipu keys`. SIGTERM or Ctrl-C ends it: requests in hand are
    finished first. Several processes answer at the same address, and one that dies is started again.

    Example: quipu serve --port 4780 --processes 4 --worker
    """
    if (certificate is None) != (private_key is None):
        raise BadInput("--certificate and --private-key belong together.", field="certificate")
    for file in (certificate, private_key):
        if file is not None and not file.is_file():
            raise BadInput(f"there is no file {file}.", field="certificate")
    if not 1 <= processes <= _MOST:
        raise BadInput(f"it can be 1 to {_MOST}.", field="processes")
    part = Part(
        kind="server",
        settings=settings_of(call),
        terms=addresses.terms_for(host, public_url, Limits()),
        compat=compat,
        behind_proxy=public_url is not None,
        certificate=None if certificate is None else str(certificate),
        private_key=None if private_key is None else str(private_key),
        as_json=call.json,
    )
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    site = _Site(Screen(call), host, port, public_url, part)
    if processes == 1 and not worker:
        anyio.run(site.serve)
    elif code := anyio.run(site.supervise, processes, worker):
        raise click.exceptions.Exit(code)


class _Site:
    """One run of the server."""

    def __init__(self, screen: Screen, host: str, port: int, public_url: str | None, part: Part) -> None:
        self._screen = screen
        self._host, self._port = host, port
        self._public_url = public_url
        self._part = part

    async def serve(self) -> None:
        """Open the memory, listen, and close it when the last request is answered."""
        async with AsyncMemory(settings=self._part.settings) as memory:
            with self._bound(keys=await memory.keys.count()) as sock:
                await self._part.serve(
                    memory,
                    sock,
                    ready=partial(self._ready, sock, await self._new_link(memory.signins)),
                    leaving=self._leaving,
                    link=partial(self._print_another, sock, memory.signins),
                )

    async def supervise(self, processes: int, worker: bool) -> int:
        """Have processes serve, and a worker beside them; return the exit code when all have ended."""
        settings, clock = self._part.settings, SystemClock()
        async with address(settings) as url, Database.open(url, settings, packages=PACKAGES) as database:
            signins, keys = AsyncSignIns(database, clock=clock), AsyncKeys(database, clock=clock)
            with self._bound(keys=await keys.count()) as sock, Shared.made() as shared:
                part = replace(self._part, shared=shared, sock=sock.fileno())
                parts = [part] * processes + [replace(part, kind="worker")] * worker
                return await self._supervise(parts, shared, sock, signins)

    async def _supervise(
        self, parts: Sequence[Part], shared: Shared, sock: socket, signins: AsyncSignIns
    ) -> int:
        from quipu.interfaces.serving.listener import heed  # noqa: PLC0415 - an optional extra
        from quipu.interfaces.serving.metrics import drop_gauges  # noqa: PLC0415 - as above

        supervisor = Supervisor(
            environment={**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(shared.metrics)},
            inherited=[sock.fileno()],
            grace_seconds=self._part.terms.leave_seconds + _CLOSING_SECONDS,
            gone=partial(drop_gauges, shared.metrics),
        )

        def leave() -> None:
            self._leaving()
            supervisor.leave()

        ready = partial(self._ready, sock, await self._new_link(signins))
        link = partial(self._print_another, sock, signins)
        code = 1
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(partial(heed, leave=leave, hurry=supervisor.hurry, link=link))
            with CancelScope(shield=True):
                code = await supervisor.run(
                    [Command(part.words(), pickle.dumps(part)) for part in parts], ready=ready
                )
            tasks.cancel_scope.cancel()
        return code

    def _bound(self, *, keys: int) -> socket:
        """Bind the socket; ``keys`` is the number of API keys that open anything."""
        try:
            from quipu.interfaces.serving.listener import bound  # noqa: PLC0415 - an optional extra
        except ImportError as error:
            raise MissingExtra("server", "`quipu serve`") from error
        addresses.check(self._host, keys=keys)
        return bound(self._host, self._port)

    def _ready(self, sock: socket, token: str) -> None:
        """Print where it is, and the link, which works once."""
        self._screen.show(f"REST: {self._base(sock).rstrip('/')}/v1")
        self._print_link(sock, token)
        self._screen.note(f"The link works once, for a day; for another: kill -USR1 {os.getpid()}")

    def _leaving(self) -> None:
        self._screen.note("Finishing what is in hand.")

    async def _new_link(self, signins: AsyncSignIns) -> str:
        return await signins.link(seconds=self._part.terms.link_seconds)

    async def _print_another(self, sock: socket, signins: AsyncSignIns) -> None:
        """Print another link by which somebody signs in, where the database can be asked for one."""
        try:
            self._print_link(sock, await self._new_link(signins))
        except QuipuError as error:
            self._screen.note(f"There is no link now: {error.message}")

    def _print_link(self, sock: socket, token: str) -> None:
        base = self._base(sock)
        link = f"{base.rstrip('/')}/signin?token={token}"
        self._screen.answer({"url": base, "link": link}, f"Pages: {link}")

    def _base(self, sock: socket) -> str:
        return self._public_url or self._address(sock)

    def _address(self, sock: socket) -> str:
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self._host.strip("[]"), self._host.strip("[]"))
        shown = f"[{host}]" if ":" in host else host
        scheme = "http" if self._part.certificate is None else "https"
        return f"{scheme}://{shown}:{sock.getsockname()[1]}"
