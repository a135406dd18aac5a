"""A connection with a key of one user: no tool shows or changes anything of anybody else in the space."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable

import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError
from mcp_answers import Call, text
from mcp_arguments import MARK, likely
from mcp_types import TextResourceContents
from test_mcp_isolation import gather

from quipu import AsyncMemory, acting_for
from quipu.interfaces.mcp.model import Caller
from quipu.interfaces.mcp.resources import RESOURCES
from quipu.interfaces.mcp.server import TOOLS

pytestmark = pytest.mark.anyio

SPACE = "town"


async def fill(memory: AsyncMemory) -> None:
    for person, mark in MARK.items():
        said = [
            {"content": f"I will paint the boat {mark} by Friday.", "user": person, "id": f"m {person}"},
            {"content": f"The boat {mark} is a fine one.", "role": "assistant"},
        ]
        await memory.observe(said, space=SPACE, session=f"of {person}")
        await memory.ledger.set("boat", mark, space=SPACE, user=person)
        await memory.longterm.add(f"The boat of {mark} is green.", space=SPACE, user=person)
    sql = "create table pets (id int primary key, a text)"
    await memory.tables.create_table("pets", sql, description="Pets.", embed_fields=["a"], space=SPACE)
    await memory.tables.insert("pets", {"id": 1, "a": f"a boat {MARK['bob']}"}, space=SPACE)
    await memory.lessons.add(f"The {MARK['bob']} needs Docker.", space=SPACE)
    await memory.work()


async def everything(memory: AsyncMemory, person: str) -> str:
    with acting_for(person):
        hits = await memory.recall("the boat", space=SPACE, limit=100)
        return repr(
            [
                sorted((hit.kind, hit.id, hit.text) for hit in hits),
                await memory.loops.list(space=SPACE, state="all"),
                await memory.ledger.list(space=SPACE),
                await memory.longterm.list(space=SPACE),
            ]
        )


async def test_no_call_of_any_tool_shows_or_changes_another_person(
    memory: AsyncMemory, connect: Callable[[Caller], Client]
) -> None:
    rng = random.Random(11)
    await fill(memory)
    known: defaultdict[str, list[str]] = defaultdict(list)  # ids of both, whoever asks
    seen: set[str] = set()
    bob = await everything(memory, "bob")
    assert MARK["bob"] in bob
    assert MARK["ana"] not in bob
    ana = Caller(space=SPACE, user="ana", level="admin", bound=True)
    reader = Caller(space=SPACE, user="bob", level="read", bound=True)
    async with connect(ana) as one, connect(reader) as other:
        for resource in RESOURCES:
            if resource.name == "tables":
                with pytest.raises(MCPError, match="concern everybody"):
                    await one.read_resource(resource.uri)
                continue
            (content,) = (await one.read_resource(resource.uri)).contents
            assert isinstance(content, TextResourceContents)
            assert MARK["bob"] not in content.text
        for tool in [*TOOLS, *rng.choices(TOOLS, k=150)]:
            asker, foreign = rng.choice([(one, "bob"), (one, "bob"), (other, "ana")])
            arguments = likely(tool, rng, known, "harbour")
            result = await asker.call_tool(tool.name, arguments)
            gather(result.structured_content, known)
            if MARK[foreign] not in repr(arguments):
                assert MARK[foreign] not in repr(result), (tool.name, arguments)
            seen |= {tool.name} if not result.is_error else set()
    assert await everything(memory, "bob") == bob
    assert len(seen) >= 5, f"the calls mean too little: {sorted(seen)}"


async def test_a_bound_connection_finds_its_own(memory: AsyncMemory, call: Call) -> None:
    space = "pair"
    for person, mark in MARK.items():
        said = [
            {"content": f"My pet is a {mark}.", "user": person},
            {"content": f"A {mark}!", "role": "tool"},
        ]
        await memory.observe(said, space=space, session=f"of {person}")
    ana = Caller(space=space, user="ana", level="write", bound=True)
    shown = text(await call("recall", by=ana, question="Which pet?", limit=30))
    assert MARK["ana"] in shown
    assert MARK["bob"] not in shown
    assert not (await call("remember", by=ana, text="Ana feeds it at noon.")).is_error
    assert (await call("tables_query", by=ana, sql="select 1")).is_error
