"""Server of the protocol over the graph, under the name of the reference server."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListResourcesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    TextContent,
    TextResourceContents,
    Tool,
    ToolAnnotations,
)
from pydantic import ValidationError

from quipu.compat.server_memory.graph import Graph, Missing
from quipu.compat.server_memory.shapes import (
    Additions,
    Deletions,
    Done,
    Entities,
    Gone,
    Names,
    Nothing,
    Opening,
    Query,
    Relations,
    Results,
    Shape,
    Shown,
    faults,
    schema,
)
from quipu.errors import QuipuError

if TYPE_CHECKING:
    from quipu import AsyncMemory

Opened = Callable[[], Awaitable["AsyncMemory"]]
Context = ServerRequestContext[Any, Any]

_URI: Final = "memory://knowledge-graph"

_Call = Callable[[Graph, Any], Awaitable[Any]]
_TOOLS: Final[Mapping[str, tuple[_Call, type[Shape], type[Shape], str, tuple[bool, bool, bool]]]] = {
    "create_entities": (
        Graph.create_entities,
        Entities,
        Entities,
        "Create multiple new entities in the knowledge graph",
        (False, False, False),
    ),
    "create_relations": (
        Graph.create_relations,
        Relations,
        Relations,
        "Create multiple new relations between entities in the knowledge graph."
        " Relations should be in active voice",
        (False, False, False),
    ),
    "add_observations": (
        Graph.add_observations,
        Additions,
        Results,
        "Add new observations to existing entities in the knowledge graph",
        (False, False, False),
    ),
    "delete_entities": (
        Graph.delete_entities,
        Names,
        Done,
        "Delete multiple entities and their associated relations from the knowledge graph",
        (False, True, True),
    ),
    "delete_observations": (
        Graph.delete_observations,
        Deletions,
        Done,
        "Delete specific observations from entities in the knowledge graph",
        (False, True, True),
    ),
    "delete_relations": (
        Graph.delete_relations,
        Gone,
        Done,
        "Delete multiple relations from the knowledge graph",
        (False, True, True),
    ),
    "read_graph": (
        Graph.read_graph,
        Nothing,
        Shown,
        "Read the entire knowledge graph",
        (True, False, True),
    ),
    "search_nodes": (
        Graph.search_nodes,
        Query,
        Shown,
        "Search for nodes in the knowledge graph based on a query",
        (True, False, True),
    ),
    "open_nodes": (
        Graph.open_nodes,
        Opening,
        Shown,
        "Open specific nodes in the knowledge graph by their names",
        (True, False, True),
    ),
}
"""Calls with arguments, answer, description, and whether they only read, destroy, can be repeated."""


class _Door:
    """Answers requests from the graph of a memory."""

    def __init__(self, opened: Opened, *, space: str, user: str | None, read_only: bool) -> None:
        self._opened = opened
        self._space = space
        self._user = user
        self._tools = {name: one for name, one in _TOOLS.items() if one[-1][0] or not read_only}

    async def list_tools(self, _: Context, __: PaginatedRequestParams | None) -> ListToolsResult:
        """Return the tools."""
        return ListToolsResult(tools=[_tool(name) for name in self._tools])

    async def call_tool(self, _: Context, params: CallToolRequestParams) -> CallToolResult:
        """Return the answer of a tool, or what went wrong."""
        if params.name not in self._tools:
            return _failed(f"MCP error -32602: Tool {params.name} not found")
        call, arguments, *_more = self._tools[params.name]
        try:
            asked = arguments.model_validate(params.arguments or {})
        except ValidationError as error:
            wrong = f"Invalid arguments for tool {params.name}: {faults(error)}"
            return _failed(f"MCP error -32602: Input validation error: {wrong}")
        try:
            text, structured = await call(await self._graph(), asked)
        except (QuipuError, Missing) as error:
            return _failed(str(error))
        said = text if isinstance(text, str) else _dumped(text)
        return CallToolResult(content=[TextContent(text=said)], structured_content=structured)

    async def list_resources(self, _: Context, __: PaginatedRequestParams | None) -> ListResourcesResult:
        """Return the graph as a resource."""
        about = "The full knowledge graph with all entities and relations"
        graph = Resource(
            uri=_URI,
            name="knowledge-graph",
            title="Knowledge Graph",
            description=about,
            mime_type="application/json",
        )
        return ListResourcesResult(resources=[graph])

    async def read_resource(self, _: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        """Return the graph as JSON.

        Raises:
            MCPError: There is no such resource.
        """
        if str(params.uri) != _URI:
            raise MCPError(INVALID_PARAMS, f"Resource {params.uri} not found")
        text, _graph = await (await self._graph()).read_graph(Nothing())
        contents = TextResourceContents(uri=_URI, mime_type="application/json", text=_dumped(text))
        return ReadResourceResult(contents=[contents])

    async def _graph(self) -> Graph:
        return Graph(await self._opened(), space=self._space, user=self._user)


def server(opened: Opened, *, space: str, user: str | None = None, read_only: bool = False) -> Server[Any]:
    """Build the server over the memory of ``opened``, under the name of the reference server."""
    door = _Door(opened, space=space, user=user, read_only=read_only)
    return Server(
        "memory-server",
        version="0.6.3",
        on_list_tools=door.list_tools,
        on_call_tool=door.call_tool,
        on_list_resources=door.list_resources,
        on_read_resource=door.read_resource,
    )


def _tool(name: str) -> Tool:
    _, arguments, answer, about, (reads, destroys, again) = _TOOLS[name]
    return Tool(
        name=name,
        title=name.replace("_", " ").title(),
        description=about,
        input_schema=schema(arguments),
        output_schema=schema(answer),
        annotations=ToolAnnotations(
            read_only_hint=reads, destructive_hint=destroys, idempotent_hint=again, open_world_hint=False
        ),
    )


def _dumped(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _failed(text: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=text)], is_error=True)
