"""What the official suite asks for by name, beside what our server answers with.

Everything goes through the public interface of the SDK: our handlers stay, these answer for their names only.
"""

from __future__ import annotations

from typing import Any

import asking
import shown
import texts
from mcp.server.lowlevel.server import Server
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    CompleteRequestParams,
    CompleteResult,
    Completion,
    EmptyResult,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    SetLevelRequestParams,
    SubscribeRequestParams,
    UnsubscribeRequestParams,
)
from telling import Context

TOOLS = {part.tool.name: part for part in (*shown.TOOLS, *asking.TOOLS)}


def add(server: Server[Any]) -> Server[Any]:
    """The same server, which knows the tools, resources and prompts of the suite too."""

    def ours(method: str) -> Any:
        entry = server.get_request_handler(method)
        assert entry is not None
        return entry.handler

    listed = PaginatedRequestParams
    for method, params, handler in (
        ("tools/list", listed, _tools(ours("tools/list"))),
        ("tools/call", CallToolRequestParams, _call(ours("tools/call"))),
        ("resources/list", listed, _resources(ours("resources/list"))),
        ("resources/templates/list", listed, _templates(ours("resources/templates/list"))),
        ("resources/read", ReadResourceRequestParams, _read(ours("resources/read"))),
        ("resources/subscribe", SubscribeRequestParams, _noted),
        ("resources/unsubscribe", UnsubscribeRequestParams, _noted),
        ("prompts/list", listed, _prompts(ours("prompts/list"))),
        ("prompts/get", GetPromptRequestParams, _prompt(ours("prompts/get"))),
        ("logging/setLevel", SetLevelRequestParams, _noted),
        ("completion/complete", CompleteRequestParams, _completed),
    ):
        server.add_request_handler(method, params, handler)
    return server


def _tools(ours: Any) -> Any:
    async def listing(context: Context, params: PaginatedRequestParams) -> ListToolsResult:
        there: ListToolsResult = await ours(context, params)
        return ListToolsResult(tools=[*there.tools, *(part.tool for part in TOOLS.values())])

    return listing


def _call(ours: Any) -> Any:
    async def calling(context: Context, params: CallToolRequestParams) -> CallToolResult:
        part = TOOLS.get(params.name)
        return await (ours(context, params) if part is None else part.call(context, params.arguments or {}))

    return calling


def _resources(ours: Any) -> Any:
    async def listing(context: Context, params: PaginatedRequestParams) -> ListResourcesResult:
        there: ListResourcesResult = await ours(context, params)
        return ListResourcesResult(resources=[*there.resources, *texts.RESOURCES])

    return listing


def _templates(ours: Any) -> Any:
    async def listing(context: Context, params: PaginatedRequestParams) -> ListResourceTemplatesResult:
        there: ListResourceTemplatesResult = await ours(context, params)
        return ListResourceTemplatesResult(resource_templates=[*there.resource_templates, texts.TEMPLATE])

    return listing


def _read(ours: Any) -> Any:
    async def reading(context: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        found = texts.read(str(params.uri))
        return await ours(context, params) if found is None else ReadResourceResult(contents=[found])

    return reading


def _prompts(ours: Any) -> Any:
    async def listing(context: Context, params: PaginatedRequestParams) -> ListPromptsResult:
        there: ListPromptsResult = await ours(context, params)
        return ListPromptsResult(prompts=[*there.prompts, *texts.PROMPTS])

    return listing


def _prompt(ours: Any) -> Any:
    async def getting(context: Context, params: GetPromptRequestParams) -> GetPromptResult:
        found = texts.messages(params.name, params.arguments or {})
        return await ours(context, params) if found is None else GetPromptResult(messages=found)

    return getting


async def _noted(_: Context, __: object) -> EmptyResult:
    return EmptyResult()


async def _completed(_: Context, __: CompleteRequestParams) -> CompleteResult:
    return CompleteResult(completion=Completion(values=[], total=0, has_more=False))
