"""No tool ever shows or changes anything of another space, or of another person where one is settled."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import pytest
from mcp.client.client import Client
from mcp_answers import Call, text
from mcp_arguments import MARK, likely
from mcp_types import TextResourceContents

from quipu import AsyncMemory
from quipu.interfaces.mcp.model import Caller
from quipu.interfaces.mcp.resources import RESOURCES
from quipu.interfaces.mcp.server import TOOLS

pytestmark = pytest.mark.anyio

NAMES = {"id", "message", "session", "token", "kind", "key", "name", "table"}


def gather(answer: Any, known: defaultdict[str, list[str]]) -> None:
    """Note every id that an answer names, under the argument that takes it."""
    match answer:
        case dict():
            for name, cell in answer.items():
                if name in NAMES and isinstance(cell, str):
                    known[name].append(cell)
                gather(cell, known)
        case list():
            for cell in answer:
                gather(cell, known)
        case _:
            pass


async def fill(memory: AsyncMemory, space: str) -> None:
    mark = MARK[space]
    said = [{"content": f"I will paint the boat {mark} by Friday.", "speaker": "Ana", "id": f"m {mark}"}]
    await memory.observe(said, space=space, session=f"of {mark}", user=mark)
    await memory.ledger.set("boat", mark, space=space, user=mark)
    await memory.longterm.add(f"The boat of {mark} is green.", space=space, user=mark)
    sql = "create table pets (id int primary key, a text)"
    await memory.tables.create_table(
        "pets", sql, description=f"Pets: {mark}", embed_fields=["a"], space=space
    )
    await memory.tables.insert("pets", {"id": 1, "a": f"a boat {mark}"}, space=space)


async def everything(memory: AsyncMemory, space: str) -> str:
    """What a space holds, as its owner finds it; not scores and estimates, which change with time."""
    hits = await memory.recall("the boat of Ana", space=space, limit=100)
    tables = (await memory.tables.list(space=space)).tables
    found = [
        sorted((hit.kind, hit.id, hit.text) for hit in hits),
        await memory.loops.list(space=space, state="all"),
        await memory.ledger.list(space=space),
        [(table.name, table.description, table.columns) for table in tables],
        await memory.tables.query("select * from pets order by id", space=space),
    ]
    return repr(found)


async def test_no_call_of_any_tool_shows_or_changes_another_space(
    memory: AsyncMemory, connect: Callable[[Caller], Client]
) -> None:
    rng = random.Random(7)
    for space in MARK:
        await fill(memory, space)
    await memory.work()
    known: defaultdict[str, list[str]] = defaultdict(list)  # ids of both, whoever asks
    seen: set[str] = set()
    bob = await everything(memory, "bob")
    async with connect(Caller(space="ana")) as ana, connect(Caller(space="bob", level="read")) as reader:
        for resource in RESOURCES:
            (content,) = (await ana.read_resource(resource.uri)).contents
            assert isinstance(content, TextResourceContents)
            assert MARK["bob"] not in content.text
        for _ in range(150):
            asker, other = rng.choice([(ana, "bob"), (ana, "bob"), (reader, "ana")])
            tool = rng.choice(TOOLS)
            arguments = likely(tool, rng, known, "harbour")
            result = await asker.call_tool(tool.name, arguments)
            gather(result.structured_content, known)
            given = repr(arguments)
            if MARK[other] not in given:  # what it names itself comes back in what it is told
                assert MARK[other] not in repr(result), (tool.name, arguments)
            seen |= {tool.name} if not result.is_error else set()
    assert await everything(memory, "bob") == bob
    assert len(seen) >= 5, f"the calls mean too little: {sorted(seen)}"


async def test_who_is_settled_to_one_person_sees_and_changes_nothing_of_another(
    memory: AsyncMemory, call: Call
) -> None:
    space = "family"
    for person in ("ana", "bob"):
        promise = f"I will send you the contract of the {MARK[person]} by Friday."
        thanks = {"content": "Thank you, I wait for it.", "role": "assistant"}
        said = [{"content": promise, "speaker": person, "id": person}, thanks]
        await memory.observe(said, space=space, session=f"of {person}", user=person)
        await memory.ledger.set("pet", MARK[person], space=space, user=person)
    await memory.work()
    ana = Caller(space=space, user="ana")
    for name, arguments in (
        ("recall", {"question": "Which pet?", "limit": 30}),
        ("open_loops", {"state": "all"}),
        ("set_fact", {"key": "pet", "value": "cat"}),
    ):
        shown = repr(await call(name, by=ana, **arguments))
        assert MARK["ana"] in shown, name
        assert MARK["bob"] not in shown, name
    (loop,) = await memory.loops.list(space=space, user="bob")
    assert (await call("close_loop", by=ana, id=str(loop.id))).is_error
    for what in ({"message": "bob"}, {"session": "of bob"}):
        assert "Nothing is known" in text(await call("forget", by=ana, **what))
    assert (await memory.loops.get(loop.id, space=space)).state == "open"
    assert [value.value for value in await memory.ledger.list(space=space, user="bob")] == [MARK["bob"]]


async def test_who_may_only_read_is_offered_and_allowed_nothing_else(
    connect: Callable[[Caller], Client], memory: AsyncMemory
) -> None:
    rng = random.Random(3)
    async with connect(Caller(space="read only", level="read")) as client:
        offered = {tool.name for tool in (await client.list_tools()).tools}
        assert offered == {tool.name for tool in TOOLS if tool.level == "read"}
        for tool in TOOLS:
            result = await client.call_tool(tool.name, likely(tool, rng, {}, "x"))
            assert tool.level == "read" or "needs the level" in text(result)
    assert "read only" not in {space.name for space in await memory.spaces() if space.entries}
