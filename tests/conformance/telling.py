"""A tool of the suite: what is listed of it, and what it does."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp_types import CallToolResult, ContentBlock, TextContent, Tool

Context = ServerRequestContext[Any, Any]
Call = Callable[[Context, dict[str, Any]], Awaitable[CallToolResult]]


@dataclass(frozen=True, slots=True)
class Part:
    tool: Tool
    call: Call


def part(name: str, call: Call, *needed: str, schema: dict[str, Any] | None = None) -> Part:
    """The tool ``name`` that needs these texts, or whose arguments have this schema."""
    texts = {"type": "object", "properties": {one: {"type": "string"} for one in needed}}
    given = schema or {**texts, "required": [*needed]}
    return Part(Tool(name=name, description="Asked for by the suite.", input_schema=given), call)


def answer(*content: ContentBlock | str) -> CallToolResult:
    """What a tool answers; a plain string is a text."""
    blocks = [TextContent(text=one) if isinstance(one, str) else one for one in content]
    return CallToolResult(content=blocks)
