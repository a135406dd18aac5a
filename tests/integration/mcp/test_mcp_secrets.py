"""A secret that is sent through any text argument of any tool is nowhere afterwards."""

from __future__ import annotations

import random
import string
from collections.abc import Callable
from typing import Any

import pytest
from everywhere import found, in_catalogue
from mcp.client.client import Client
from mcp_types import CallToolResult
from text_fields import placed, texts

from quipu import AsyncMemory
from quipu.interfaces.mcp.model import Caller

pytestmark = pytest.mark.anyio

_DRAWN = random.Random(11)
# What each tool takes, such that it does something; a tool that is not here is called with the secret alone.
ARGUMENTS: dict[str, dict[str, Any]] = {
    "recall": {"question": "Where does Una live?"},
    "remember": {"text": "I live in Berlin."},
    "set_fact": {"key": "home", "value": "Berlin", "known": True, "reason": "She said so.", "session": "s"},
    "tables_create": {
        "name": "boats",
        "sql": "create table boats (id int generated always as identity primary key, name text)",
        "description": "Boats.",
        "embed_fields": ["name"],
        "column_descriptions": {"name": "What it is called."},
    },
    "tables_write": {"action": "insert", "table": "boats", "data": {"name": "Thorin"}},
    "tables_execute": {"sql": "comment on table boats is 'Boats.'"},
}
SQL = (
    *(
        "comment on table boats is '{}'",
        "alter table boats add column {} text",
        "create index {} on boats (name)",
    ),
    *("insert into boats (name) values ('{}')", "alter table boats alter column name set default '{}'"),
)


def secret() -> str:
    return "AK" + "IA" + "".join(_DRAWN.choices(string.ascii_uppercase + "234567", k=16))


async def test_no_tool_keeps_a_secret_in_any_argument(
    connect: Callable[[Caller], Client], memory: AsyncMemory, module_url: str
) -> None:
    sent: dict[str, str] = {}
    repeated: list[tuple[str, str]] = []
    taken = 0
    async with connect(Caller(space="tools", level="admin")) as client:

        async def call(name: str, arguments: dict[str, Any], where: str, text: str) -> None:
            nonlocal taken
            result = await client.call_tool(name, arguments)
            assert isinstance(result, CallToolResult)
            taken += not result.is_error
            sent[text] = f"{name} {where}"
            said = " ".join(getattr(part, "text", "") for part in result.content)
            if result.is_error and text in said:
                repeated.append((sent[text], said[:300]))

        tools = (await client.list_tools()).tools
        assert {one.name for one in tools} >= ARGUMENTS.keys()
        for tool in sorted(tools, key=lambda one: one.name != "tables_create"):
            base = ARGUMENTS.get(tool.name, {})
            await client.call_tool(tool.name, base)
            for at in texts(tool.input_schema, tool.input_schema.get("$defs", {})):
                text = secret()
                await call(tool.name, placed(base, at, text), str(at), text)
        for sql in SQL:
            text = secret()
            await call("tables_execute", {"sql": sql.format(text)}, sql, text)
    await memory.work(concurrency=4)
    kept = {*found(module_url, sent), *in_catalogue(module_url, sent)}
    places = sorted(f"{sent[text]} -> {place}" for place, text in kept)
    assert not [*repeated, *places], "\n".join(map(str, [*repeated, *places]))
    assert len(sent) > 35
    assert taken > 5
