"""What comes back from a call of a tool."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from mcp_types import CallToolResult, TextContent

Call = Callable[..., Awaitable[CallToolResult]]


def text(result: CallToolResult) -> str:
    """What a model reads of an answer."""
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text
