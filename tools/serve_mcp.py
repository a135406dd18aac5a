"""Serve the tools of MCP over HTTP on this machine without a key, for a program that tests servers.

    python tools/serve_mcp.py           prints the address, and serves until standard input ends

The memory is a new one in a temporary directory; what ``quipu serve`` puts around the same application (keys,
limits) is left out, because such programs send no key. Beside ours stand a tool that answers, a tool that
fails, and a text, under the names by which the official suite asks for them.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import anyio
import uvicorn
from anyio import to_thread

from quipu import AsyncMemory
from quipu.errors import BadInput
from quipu.interfaces.mcp.http import HttpDoor
from quipu.interfaces.mcp.model import Answer, Caller, Desk, Given, Tool
from quipu.interfaces.mcp.resources import RESOURCES, Resource
from quipu.interfaces.mcp.tools.every import TOOLS
from quipu.kernel.config import Settings


class Simple(Answer):
    said: str = "This is a simple text response for testing."

    def text(self) -> str:
        return self.said


async def _answers(_: Desk, __: Given) -> Simple:
    return Simple()


async def _fails(_: Desk, __: Given) -> Simple:
    raise BadInput("This tool intentionally returns an error for testing.")


async def _text(_: Desk) -> str:
    return "This is the content of the static text resource."


def _tool(name: str, call: object) -> Tool:
    return Tool(
        name=name, title=name, about="Asked for by the suite.", level="read", given=Given, answer=Simple,
        call=call,  # type: ignore[arg-type]
    )  # fmt: skip


ASKED_TOOLS = (_tool("test_simple_text", _answers), _tool("test_error_handling", _fails))
ASKED_RESOURCES = (
    Resource(uri="test://static-text", name="static", title="A text", about="Asked for.", read=_text),
)


async def serve(home: Path) -> None:
    async with AsyncMemory(settings=Settings(home=home, embedding_model="hashing")) as memory:

        async def opened() -> AsyncMemory:
            return memory

        async def anybody(_: object) -> Caller:
            return Caller(space="conformance")

        door = HttpDoor(
            opened, anybody, tools=(*TOOLS, *ASKED_TOOLS), resources=(*RESOURCES, *ASKED_RESOURCES)
        )
        listening = uvicorn.Config(door, port=0, log_level="warning", lifespan="off")
        socket = listening.bind_socket()
        server = uvicorn.Server(listening)
        async with door.running(), anyio.create_task_group() as group:
            group.start_soon(server.serve, [socket])
            print(f"http://127.0.0.1:{socket.getsockname()[1]}/mcp", flush=True)
            await to_thread.run_sync(sys.stdin.read)
            server.should_exit = True


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="quipu-mcp-") as directory:
        home = Path(directory)
        home.chmod(0o711)  # when we are root, another account runs the database and must get in
        anyio.run(serve, home)


if __name__ == "__main__":
    main()
