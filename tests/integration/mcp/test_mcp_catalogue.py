"""SQL through the tools tells nothing of how the objects of another space are called, made and filled."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from mcp.client.client import Client
from mcp_types import CallToolResult
from secret_names import NOBODYS, OBJECTS, Secrets, internal_name

from quipu import AsyncMemory
from quipu.interfaces.mcp.model import Caller

pytestmark = pytest.mark.anyio

SQL_TOOLS = ("tables_query", "tables_execute")
MODES = ("row share", "row exclusive", "share update exclusive", "share", "share row exclusive", "exclusive",
         "access exclusive")  # fmt: skip


@pytest.fixture(scope="module")
async def secrets(memory: AsyncMemory, module_url: str) -> Secrets:
    for space in ("victim", "other"):
        await memory.tables.create_schema("memory", space=space)
        await memory.transcripts.query("select 1", space=space)
    for statement in OBJECTS:
        await memory.tables.execute(statement, space="victim", confirm=True)
    schema = await memory.tables.create_schema("memory", space="victim")
    return Secrets(module_url, internal_name(module_url, schema))


async def _ask(client: Client, tool: str, statement: str) -> tuple[bool, str]:
    """Whether it is an error, and everything that comes back; what is shown before it is done is done."""
    result = await client.call_tool(tool, {"sql": statement})
    assert isinstance(result, CallToolResult)
    token = (result.structured_content or {}).get("token")
    if token:
        result = await client.call_tool(tool, {"sql": statement, "token": token})
        assert isinstance(result, CallToolResult)
    return bool(result.is_error), repr((result.content, result.structured_content))


@pytest.mark.long
@pytest.mark.parametrize("tool", SQL_TOOLS)
async def test_no_relation_or_function_of_the_catalogue_tells_of_another_space(
    connect: Callable[[Caller], Client], secrets: Secrets, tool: str
) -> None:
    async with connect(Caller(space="other")) as client:
        for statement in secrets.relations():
            refused, said = await _ask(client, tool, statement)
            assert not secrets.words.search(said), statement
            assert refused or "pg_timezone" in statement, (statement, said[:300])
        for theirs, nobodys in secrets.calls():
            if "pg_catalog.pg_" not in theirs:
                continue
            said = [(await _ask(client, tool, statement))[1] for statement in (theirs, nobodys)]
            assert not secrets.words.search(said[0]), theirs
            assert said[0].replace(str(secrets.table), "N") == said[1].replace(str(NOBODYS), "N"), theirs


async def test_no_number_becomes_the_name_of_what_it_is(
    connect: Callable[[Caller], Client], secrets: Secrets
) -> None:
    async with connect(Caller(space="other")) as client:
        for statement in secrets.by_number():
            refused, said = await _ask(client, "tables_query", statement)
            assert refused, (statement, said)
            assert not secrets.words.search(said), (statement, said)


@pytest.mark.parametrize("tool", SQL_TOOLS)
async def test_no_mode_locks_what_is_not_ones_own(
    connect: Callable[[Caller], Client], secrets: Secrets, tool: str
) -> None:
    async with connect(Caller(space="other")) as client:
        for name in (f"{secrets.schema}.known", "core.spaces", "core.recall_entries", "pg_catalog.pg_class"):
            for mode in MODES:
                refused, said = await _ask(client, tool, f"lock table {name} in {mode} mode")
                assert refused, (name, mode, said)
                assert not secrets.words.search(said), (name, mode)
