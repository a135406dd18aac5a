"""The nine tools of the reference server answer as it did: server-memory 2026.8.31, on the same calls."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, TextContent

from quipu import AsyncMemory
from quipu.compat.server_memory.server import server

pytestmark = pytest.mark.anyio
CALLS = Path(__file__).parents[2] / "data" / "server_memory" / "calls.json"
ANA = {"name": "Ana", "entityType": "person", "observations": ["lives in Lisbon"]}
BOB = {"name": "Bob", "entityType": "person", "observations": []}
KNOWS = {"from": "Ana", "to": "Bob", "relationType": "knows"}

Connect = Callable[..., Client]


@pytest.fixture
def graph(memory: AsyncMemory, request: pytest.FixtureRequest) -> Connect:
    """Connects the official client to the tools, over a space that this test has to itself."""

    async def opened() -> AsyncMemory:
        return memory

    return lambda **named: Client(server(opened, space=request.node.name, **named))


async def answer(client: Client, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    result = await client.call_tool(name, arguments)
    assert isinstance(result, CallToolResult)
    (content,) = result.content
    assert isinstance(content, TextContent)
    error = bool(result.is_error)
    return {"error": error, "text": content.text, "structured": result.structured_content}


async def test_every_recorded_call_is_answered_as_the_reference_server_answered_it(graph: Connect) -> None:
    rows = json.loads(CALLS.read_text("utf-8"))
    assert len(rows) == 39
    async with graph() as client:
        await client.list_tools()  # with the schemas, the client checks what comes back
        for name, arguments, recorded in rows:
            assert await answer(client, name, arguments) == recorded, name


async def test_observations_and_relations_are_recalled_as_all_else(
    graph: Connect, memory: AsyncMemory, request: pytest.FixtureRequest
) -> None:
    async with graph() as client:
        await answer(client, "create_entities", {"entities": [ANA, BOB]})
        await answer(client, "create_relations", {"relations": [KNOWS]})
    hits = await memory.recall("Where does Ana live?", space=request.node.name)
    assert (hits[0].kind, hits[0].text) == ("document", "Ana: lives in Lisbon")
    assert "Ana knows Bob" in [hit.text for hit in await memory.recall("knows", space=request.node.name)]


async def test_a_person_has_a_graph_of_their_own(graph: Connect) -> None:
    async with graph(user="ana") as client:
        await answer(client, "create_entities", {"entities": [ANA]})
    async with graph(user="bob") as client:
        shown = await answer(client, "read_graph", {})
        assert shown["structured"] == {"entities": [], "relations": []}


async def test_who_may_only_read_is_offered_what_only_reads(graph: Connect) -> None:
    async with graph(read_only=True) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert names == ["read_graph", "search_nodes", "open_nodes"]
        refused = await answer(client, "create_entities", {"entities": [ANA]})
        assert refused["error"]


async def test_observations_that_are_added_at_once_are_all_kept(graph: Connect) -> None:
    async with graph() as client:
        await answer(client, "create_entities", {"entities": [BOB]})

        async def observe(number: int) -> None:
            added = {"entityName": "Bob", "contents": [f"fact {number}"]}
            await answer(client, "add_observations", {"observations": [added]})

        async with anyio.create_task_group() as group:
            for number in range(12):
                group.start_soon(observe, number)
        (bob,) = (await answer(client, "open_nodes", {"names": ["Bob"]}))["structured"]["entities"]
        assert sorted(bob["observations"]) == sorted(f"fact {number}" for number in range(12))


async def test_what_cannot_be_stored_is_an_error_and_changes_nothing(graph: Connect) -> None:
    async with graph() as client:
        wrong = {**ANA, "observations": ["a\0b"]}
        assert (await answer(client, "create_entities", {"entities": [BOB, wrong]}))["error"]
        assert (await answer(client, "read_graph", {}))["structured"]["entities"] == []


async def test_the_graph_is_a_resource(graph: Connect) -> None:
    async with graph() as client:
        await answer(client, "create_entities", {"entities": [ANA]})
        (listed,) = (await client.list_resources()).resources
        (contents,) = (await client.read_resource(listed.uri)).contents
        assert json.loads(getattr(contents, "text", "")) == {"entities": [ANA], "relations": []}
        with pytest.raises(MCPError, match="not found"):
            await client.read_resource("memory://else")
