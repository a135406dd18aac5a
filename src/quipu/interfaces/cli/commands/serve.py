"""``quipu serve``: this memory by HTTP."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import click

from quipu.app.memory import AsyncMemory
from quipu.errors import BadInput, MissingExtra
from quipu.interfaces.cli.call import Call, common
from quipu.interfaces.cli.memory import settings_of
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.peers import ROUTES
from quipu.interfaces.serving import addresses
from quipu.interfaces.serving.limits import Limits

if TYPE_CHECKING:
    from socket import socket

    from fastapi import FastAPI


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", default=4780, show_default=True, help="The port; 0 takes one that is free.")
@click.option("--public-url", metavar="URL", help="The address for people, if a proxy stands before it.")
@click.option("--certificate", metavar="FILE", type=Path, help="For https, with --private-key.")
@click.option("--private-key", metavar="FILE", type=Path, help="The key of that certificate.")
@click.option("--compat", multiple=True, type=click.Choice([*ROUTES]), help="Routes of a peer under /compat.")
@common
def command(
    call: Call,
    host: str,
    port: int,
    public_url: str | None,
    certificate: Path | None,
    private_key: Path | None,
    compat: tuple[str, ...],
) -> None:
    """Serve this memory: REST under /v1 for programs with a key, pages for people who open the printed link.

    The link works once; the signal USR1 has another one printed. Other machines are let in (--host) only
    where there are keys: see `quipu keys`. SIGTERM or Ctrl-C ends it: requests in hand are finished first.

    Example: quipu serve --port 4780
    """
    if (certificate is None) != (private_key is None):
        raise BadInput("--certificate and --private-key belong together.", field="certificate")
    for file in (certificate, private_key):
        if file is not None and not file.is_file():
            raise BadInput(f"there is no file {file}.", field="certificate")
    doors = _Doors(Screen(call), host, port, public_url, certificate, private_key, compat)
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    anyio.run(doors.serve, AsyncMemory(settings=settings_of(call)))


class _Doors:
    """One run of the server."""

    def __init__(
        self,
        screen: Screen,
        host: str,
        port: int,
        public_url: str | None,
        certificate: Path | None,
        private_key: Path | None,
        compat: Sequence[str],
    ) -> None:
        self._screen = screen
        self._host, self._port = host, port
        self._public_url = public_url
        self._certificate = None if certificate is None else str(certificate)
        self._private_key = None if private_key is None else str(private_key)
        self._compat = compat

    async def serve(self, memory: AsyncMemory) -> None:
        """Open the memory, listen, and close it when the last request is answered."""
        try:
            from quipu.interfaces.server import MOUNTS, create_app, peer  # noqa: PLC0415 - an optional extra
            from quipu.interfaces.serving.listener import bound, listen  # noqa: PLC0415 - as above
        except ImportError as error:
            raise MissingExtra("server", "`quipu serve`") from error
        terms = addresses.terms_for(self._host, self._public_url, Limits())
        async with memory:
            addresses.check(self._host, keys=await memory.keys.count())
            mounts = [*MOUNTS, *map(peer, dict.fromkeys(self._compat))]
            app = create_app(memory=memory, terms=terms, mounts=mounts)
            with bound(self._host, self._port) as sock:
                await listen(
                    app,
                    sock,
                    terms,
                    ready=lambda: self._ready(app, sock),
                    leaving=lambda: self._screen.note("Finishing what is in hand."),
                    link=lambda: self._link(app, sock),
                    behind_proxy=self._public_url is not None,
                    certificate=self._certificate,
                    private_key=self._private_key,
                )

    def _ready(self, app: FastAPI, sock: socket) -> None:
        """Print where it is, and the link, which works once."""
        base = self._public_url or self._address(sock)
        self._screen.show(f"REST: {base.rstrip('/')}/v1")
        self._link(app, sock)
        self._screen.note(f"The link works once; for another: kill -USR1 {os.getpid()}")

    def _link(self, app: FastAPI, sock: socket) -> None:
        """Print the link by which somebody signs in: at the beginning, and when it is asked for."""
        base = self._public_url or self._address(sock)
        link = f"{base.rstrip('/')}/signin?token={app.state.served.signin.token}"
        self._screen.answer({"url": base, "link": link}, f"Pages: {link}")

    def _address(self, sock: socket) -> str:
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self._host.strip("[]"), self._host.strip("[]"))
        shown = f"[{host}]" if ":" in host else host
        scheme = "http" if self._certificate is None else "https"
        return f"{scheme}://{shown}:{sock.getsockname()[1]}"
