"""Serve MCP over HTTP on this machine to the official suite, which sends no key.

    python tests/conformance/serve.py            what `quipu serve` has
    python tests/conformance/serve.py --whole    beside it what the suite asks for by name, with sessions

It is the application of `quipu serve` with all its guards, over a new memory in a temporary directory; a real
key is put into each request before it gets there. Prints the address, and serves until SIGTERM.
"""

from __future__ import annotations

import sys
import tempfile
from functools import partial
from pathlib import Path

import anyio
import parts
from starlette.types import ASGIApp, Receive, Scope, Send

from quipu import AsyncMemory
from quipu.interfaces.mcp import mounted
from quipu.interfaces.mcp.mounted import HttpDoor
from quipu.interfaces.server import MOUNTS, Mount, create_app
from quipu.interfaces.serving.limits import Limits
from quipu.interfaces.serving.listener import bound, listen
from quipu.interfaces.serving.served import Served
from quipu.kernel.config import Settings


class WithKey:
    """The application, asked with a key."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._header = (b"authorization", f"Bearer {token}".encode())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] == "http":
            scope = {**scope, "headers": [*scope["headers"], self._header]}
        await self._app(scope, receive, send)


def whole(serving: Served) -> HttpDoor:
    """Our door, to a server of ours that has the parts of the suite too."""
    server = parts.add(mounted.server(serving))
    hosts = sorted(serving.terms.hosts)
    return HttpDoor(server, mounted.identify(serving), hosts=hosts, sessions=True)


async def serve(home: Path, mounts: tuple[Mount, ...]) -> None:
    """Until SIGTERM."""
    terms = Limits()
    async with AsyncMemory(settings=Settings(home=home, embedding_model="hashing")) as memory:
        key = await memory.keys.create(
            "suite", space="conformance", level="admin", requests_per_minute=60_000
        )
        app = WithKey(create_app(memory=memory, terms=terms, mounts=mounts), key.token)
        with bound("127.0.0.1", 0) as socket:
            address = f"http://127.0.0.1:{socket.getsockname()[1]}/mcp"
            ready = partial(print, address, flush=True)
            await listen(app, socket, terms, ready=ready, leaving=lambda: None, link=lambda: None)


def main() -> None:
    """Run the command line."""
    mounts = (Mount("/mcp", whole, mounted.running),) if "--whole" in sys.argv[1:] else MOUNTS
    with tempfile.TemporaryDirectory(prefix="quipu-mcp-") as directory:
        home = Path(directory)
        home.chmod(0o711)  # when we are root, another account runs the database and must get in
        anyio.run(serve, home, mounts)


if __name__ == "__main__":
    main()
