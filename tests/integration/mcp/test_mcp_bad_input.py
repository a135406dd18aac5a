"""Whatever is handed to a tool, the answer says what to do, and tells nothing of what is inside."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError
from mcp_answers import text
from mcp_arguments import likely, needed, properties

from quipu import AsyncMemory
from quipu.interfaces.mcp.model import Caller, Tool
from quipu.interfaces.mcp.server import TOOLS, build

pytestmark = pytest.mark.anyio

every_tool = pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
INSIDE = re.compile(
    r"Traceback|File \"|\.py\b|psycopg|pydantic|0x[0-9a-f]{6}|\bspace_id\b|select .+ from core\.|errors\.",
    re.I,
)
ODD: tuple[Any, ...] = ("", "a\0b", "\ud800", "x" * 200_000, -1, 10**30, [], {}, [[{}]])
READABLE = 2_000


def told(result: Any) -> str:
    said = text(result)
    assert not INSIDE.search(said), said
    return said


@every_tool
async def test_odd_values_are_refused_in_words_or_taken_but_nothing_breaks(
    tool: Tool, connect: Callable[[Caller], Client]
) -> None:
    rng = random.Random(tool.name)
    async with connect(Caller(space="odd")) as client:
        for name in properties(tool):
            for value in rng.sample(ODD, 3):  # over all tools, each value some twenty times
                arguments = {**likely(tool, rng, {}, "x"), name: value}
                try:
                    result = await client.call_tool(tool.name, arguments)
                except MCPError:  # what cannot be written as JSON does not get there
                    assert value == "\ud800", name
                    continue
                if result.is_error:
                    assert len(told(result)) < READABLE


@every_tool
async def test_what_is_missing_or_unknown_is_named_with_what_there_is(
    tool: Tool, connect: Callable[[Caller], Client]
) -> None:
    async with connect(Caller(space="odd")) as client:
        unknown = await client.call_tool(
            tool.name, {**likely(tool, random.Random(2), {}, "x"), "space": "bob"}
        )
        assert unknown.is_error
        assert "space" in told(unknown)
        assert all(name in told(unknown) for name in properties(tool))
        if needed(tool):
            missing = await client.call_tool(tool.name, {})
            assert missing.is_error
            assert all(f"{name}: Field required" in told(missing) for name in needed(tool))


async def test_what_was_given_is_not_repeated_when_it_does_not_fit(
    connect: Callable[[Caller], Client],
) -> None:
    async with connect(Caller(space="odd")) as client:
        result = await client.call_tool("recall", {"question": ["my secret plan"]})
        assert "my secret plan" not in told(result)


async def test_of_what_nobody_foresaw_only_the_log_has_the_words(caplog: pytest.LogCaptureFixture) -> None:
    async def breaks() -> AsyncMemory:
        raise RuntimeError("select secret from core.messages")

    async with Client(build(breaks, lambda _: Caller(space="odd"))) as client:
        with pytest.raises(MCPError) as raised:
            await client.call_tool("recall", {"question": "Where?"})
    assert raised.value.error.message == "Something went wrong in Quipu."
    assert "select secret" in caplog.text
