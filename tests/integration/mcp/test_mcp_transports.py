"""The official client over standard input and output, and over HTTP with a key."""

from __future__ import annotations

import gzip
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import anyio
import httpx2
import pytest
import uvicorn
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_answers import text
from patience import PATIENCE_SECONDS

from quipu import AsyncMemory
from quipu.interfaces.mcp.model import Caller
from quipu.interfaces.mcp.mounted import HttpDoor, answering
from quipu.interfaces.mcp.server import TOOLS, build
from quipu.interfaces.mcp.stdio import Opening
from quipu.interfaces.server import create_app
from quipu.kernel.config import Settings

pytestmark = pytest.mark.anyio


async def test_a_client_starts_the_command_remembers_and_recalls(
    server_settings: Settings, module_url: str, memory: AsyncMemory
) -> None:
    environment = {
        "QUIPU_HOME": str(server_settings.home),
        "QUIPU_DATABASE_URL": module_url,
        "QUIPU_EMBEDDING_MODEL": "hashing",
        "PYTHONPATH": ":".join(sys.path),
    }
    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "quipu", "mcp", "--space", "stdio", "--user", "ana"],
        env=environment,
    )
    async with Client(stdio_client(command)) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == [tool.name for tool in TOOLS]
        await client.call_tool("remember", {"text": "The ferry leaves at nine."})
        found = await client.call_tool("recall", {"question": "When does the ferry leave?"})
        assert "leaves at nine" in text(found)
    (hit,) = await memory.recall("When does the ferry leave?", space="stdio", user="ana")
    assert hit.source.user == "ana"


@pytest.mark.parametrize(("options", "space"), [([], "boat"), (["--space", "shed"], "shed")])
async def test_the_server_of_a_project_has_the_space_of_its_hooks(
    server_settings: Settings,
    module_url: str,
    memory: AsyncMemory,
    tmp_path: Path,
    options: list[str],
    space: str,
) -> None:
    folder = tmp_path / "boat"
    folder.mkdir()
    environment = {
        "QUIPU_HOME": str(server_settings.home),
        "QUIPU_DATABASE_URL": module_url,
        "QUIPU_EMBEDDING_MODEL": "hashing",
        "PYTHONPATH": ":".join(sys.path),
    }
    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "quipu", "mcp", "--project", *options],
        env=environment,
        cwd=folder,
    )
    async with Client(stdio_client(command)) as client:
        await client.call_tool("remember", {"text": "The gangway squeaks."})
    (hit,) = await memory.recall("What squeaks?", space=space)
    assert "gangway" in hit.text


@asynccontextmanager
async def served(settings: Settings) -> AsyncIterator[str]:
    """A server of ours on this machine; its address."""
    app = create_app(settings)
    listening = uvicorn.Config(app, port=0, log_level="error")
    socket = listening.bind_socket()
    server = uvicorn.Server(listening)
    async with anyio.create_task_group() as group:
        group.start_soon(server.serve, [socket])
        while not server.started:  # noqa: ASYNC110 - uvicorn has a flag, no event
            await anyio.sleep(0.02)
        yield f"http://127.0.0.1:{socket.getsockname()[1]}/mcp"
        server.should_exit = True


async def test_a_key_opens_its_space_over_http_and_nothing_else_does(
    server_settings: Settings, module_url: str, memory: AsyncMemory
) -> None:
    settings = replace(server_settings, database_url=module_url)
    await memory.observe([{"content": "The safe is behind the mirror."}], space="bob")
    writing = await memory.keys.create("writer", space="ana", level="write")
    reading = await memory.keys.create("reader", space="ana", level="read")
    every = await memory.keys.create("all", level="admin")
    async with served(settings) as url, httpx2.AsyncClient(timeout=PATIENCE_SECONDS) as plain:

        @asynccontextmanager
        async def connected(token: str, **headers: str) -> AsyncIterator[Client]:
            sent = {"Authorization": f"Bearer {token}", **headers}
            async with (
                httpx2.AsyncClient(headers=sent, timeout=PATIENCE_SECONDS) as http,
                Client(streamable_http_client(url, http_client=http)) as client,
            ):
                yield client

        async with connected(writing.token, **{"Quipu-User": "ana"}) as client:
            assert "forget" not in {tool.name for tool in (await client.list_tools()).tools}
            await client.call_tool("remember", {"text": "The ferry leaves at nine."})
            assert "mirror" not in text(await client.call_tool("recall", {"question": "Where is the safe?"}))
        (hit,) = await memory.recall("When does the ferry leave?", space="ana", user="ana")
        assert "nine" in hit.text
        async with connected(reading.token) as client:
            assert "remember" not in {tool.name for tool in (await client.list_tools()).tools}
        async with connected(every.token, **{"Quipu-Space": "bob"}) as client:
            assert "mirror" in text(await client.call_tool("recall", {"question": "Where is the safe?"}))
        for headers, status in (
            ({}, 401),
            ({"Authorization": "Bearer quipu_none"}, 401),
            ({"Authorization": f"Bearer {writing.token}", "Quipu-Space": "bob"}, 403),
            ({"Authorization": f"Bearer {every.token}"}, 422),
            ({"Authorization": f"Bearer {writing.token}", "Host": "evil.example"}, None),
        ):
            answer = await plain.post(
                url, json={"jsonrpc": "2.0", "id": 1, "method": "ping"}, headers=headers
            )
            assert answer.status_code == status or (status is None and 400 <= answer.status_code < 500), (
                headers
            )
            assert "Traceback" not in answer.text


async def test_a_key_of_one_user_keeps_to_that_user_over_http(
    server_settings: Settings, module_url: str, memory: AsyncMemory
) -> None:
    settings = replace(server_settings, database_url=module_url)
    for user, hidden in (("ana", "under the stairs"), ("bo", "behind the mirror")):
        await memory.observe(
            [{"content": f"My safe is {hidden}.", "user": user}], space="house", session=f"of {user}"
        )
    issued = await memory.keys.create("ana", space="house", user="ana", level="write")
    key = {"Authorization": f"Bearer {issued.token}"}
    async with (
        served(settings) as url,
        httpx2.AsyncClient(headers=key, timeout=PATIENCE_SECONDS) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        found = text(await client.call_tool("recall", {"question": "Where is the safe?"}))
        assert "under the stairs" in found
        assert "mirror" not in found
        await client.call_tool("remember", {"text": "The boat is green."})
        refused = await client.call_tool("recall", {"question": "Where is the safe?", "user": "bo"})
        assert "mirror" not in text(refused)
        offered = {tool.name for tool in (await client.list_tools()).tools}
        assert "forget" not in offered
        # The client's configuration can name the user of the key, and neither another one nor another space.
        for more, status in (
            ({"Quipu-User": "ana"}, 200),
            ({"Quipu-User": "bo"}, 403),
            ({"Quipu-Space": "elsewhere"}, 403),
            ({"Quipu-User": "ANA"}, 403),
        ):
            ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
            accept = {"Accept": "application/json, text/event-stream"}
            answer = await http.post(url, json=ping, headers=accept | more)
            assert answer.status_code == status, more
            assert "mirror" not in answer.text
    hits = await memory.recall("What colour is the boat?", space="house", user="ana")
    assert "The boat is green." in [hit.text for hit in hits]
    assert not [
        hit
        for hit in await memory.recall("What colour is the boat?", space="house", user="bo")
        if "boat" in hit.text
    ]


async def test_what_no_program_should_read_is_refused_over_http(
    server_settings: Settings, module_url: str, memory: AsyncMemory
) -> None:
    settings = replace(server_settings, database_url=module_url)
    issued = await memory.keys.create("nested", space="ana", level="write")
    ping = b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": '
    headers = {
        "Authorization": f"Bearer {issued.token}",
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
    }
    async with served(settings) as url, httpx2.AsyncClient(timeout=PATIENCE_SECONDS) as plain:
        for body, more in (
            (ping + b"[" * 100_000, {}),
            (ping + b'{"a":' * 100_000 + b"1" + b"}" * 100_001, {}),
            (ping + b"{}}" + b" " * 5_000_000, {}),
            (gzip.compress(ping + b"{}}"), {"Content-Encoding": "gzip"}),
        ):
            answer = await plain.post(url, content=body, headers=headers | more)
            assert 400 <= answer.status_code < 500
            assert "Traceback" not in answer.text
            print(answer.status_code, answer.text)
        answer = await plain.post(url, content=ping + b"{}}", headers=headers)
        assert answer.status_code == 200


async def test_trouble_of_our_own_is_told_near_and_only_logged_for_those_far_away(
    server_settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    nowhere = replace(server_settings, database_url="postgresql://nobody@127.0.0.1:9/none?connect_timeout=1")

    async def anybody(_: object) -> Caller:
        return Caller(space="s")

    async with Opening(nowhere) as opening:
        near = build(opening.memory, lambda _: Caller(space="s"))
        async with Client(near) as client:
            result = await client.call_tool("recall", {"question": "Where?"})
            assert result.is_error
            assert "127.0.0.1" in text(result)
        far = HttpDoor(answering(opening.memory), anybody)
        transport = httpx2.ASGITransport(app=far)
        async with (
            far.running(),
            httpx2.AsyncClient(transport=transport, base_url="http://localhost") as http,
            Client(streamable_http_client("http://localhost/mcp", http_client=http)) as client,
        ):
            result = await client.call_tool("recall", {"question": "Where?"})
            assert result.is_error
            assert text(result) == "The database does not answer."
    assert "127.0.0.1" in caplog.text
