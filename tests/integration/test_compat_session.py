"""A session of the OpenAI Agents SDK that is ours does what SQLite's does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from agents import SQLiteSession
from agents.memory import Session as SessionProtocol
from agents.memory import SessionSettings

from quipu import AsyncMemory, Memory
from quipu.compat.openai_agents import Session
from quipu.errors import BadInput

pytestmark = pytest.mark.anyio
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
ITEMS: list[Any] = [
    {"role": "user", "content": "What is the weather in Rome?"},
    {"type": "reasoning", "id": "r1", "summary": [], "encrypted_content": "gAAA"},
    {"type": "function_call", "call_id": "c1", "name": "weather", "arguments": '{"city":"Rome"}', "id": "f1"},
    {"type": "function_call_output", "call_id": "c1", "output": "Rain."},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "It rains."}]},
    {"role": "user", "content": [{"type": "input_image", "image_url": "https://example.org/1.png"}]},
    {"role": "user", "content": "Ж 中 🚀 \u2028 \x7f \" \\ '; drop table messages; --"},
    {"role": "developer", "content": ""},
    {"z": 1, "a": [1.0, 1e23, -0.5, 10**30, None, True], "nested": {"b": {"a": []}}},
    {"role": "user", "content": "NUL \0 and half \ud800."},
]


@pytest.fixture
async def pair(memory: AsyncMemory) -> AsyncGenerator[tuple[Any, Any]]:
    theirs = SQLiteSession("chat")
    yield Session("chat", memory, space="ana"), theirs
    theirs.close()


Pair = tuple[Any, Any]


async def same(pair: Pair, act: Callable[[Any], Any]) -> Any:
    ours, theirs = [await act(one) for one in pair]
    assert ours == theirs
    assert [list(one) for one in ours or [] if isinstance(one, dict)] == [
        list(one) for one in theirs or [] if isinstance(one, dict)
    ]
    return ours


async def test_it_is_a_session_of_the_sdk(memory: AsyncMemory) -> None:
    session = Session("chat", memory)
    assert isinstance(session, SessionProtocol)
    assert session.session_id == "chat"
    assert session.session_settings == SessionSettings()
    limited = Session("chat", memory, session_settings={"limit": 2})
    assert limited.session_settings == SessionSettings(limit=2)


async def test_items_come_back_as_from_sqlite(pair: Pair) -> None:
    await same(pair, lambda one: one.get_items())
    await same(pair, lambda one: one.add_items([]))
    await same(pair, lambda one: one.add_items(ITEMS[:4]))
    await same(pair, lambda one: one.add_items(ITEMS[4:]))
    assert await same(pair, lambda one: one.get_items()) == ITEMS


@pytest.mark.parametrize("limit", [0, 1, 3, 9, 10, 100, -1, None])
async def test_limits_are_those_of_sqlite(pair: Pair, limit: int | None) -> None:
    await same(pair, lambda one: one.add_items(ITEMS))
    await same(pair, lambda one: one.get_items(limit))
    for one in pair:
        one.session_settings = SessionSettings(limit=limit)
    await same(pair, lambda one: one.get_items())
    await same(pair, lambda one: one.get_items(2))


async def test_items_are_popped_as_from_sqlite(pair: Pair) -> None:
    await same(pair, lambda one: one.pop_item())
    await same(pair, lambda one: one.add_items(ITEMS[:5]))
    for _ in range(2):
        await same(pair, lambda one: one.pop_item())
    await same(pair, lambda one: one.add_items(ITEMS[5:]))
    for _ in range(9):
        await same(pair, lambda one: one.pop_item())
        await same(pair, lambda one: one.get_items())


async def test_a_session_is_cleared_as_sqlite_s_is(pair: Pair) -> None:
    await same(pair, lambda one: one.clear_session())
    await same(pair, lambda one: one.add_items(ITEMS))
    await same(pair, lambda one: one.clear_session())
    await same(pair, lambda one: one.get_items())
    await same(pair, lambda one: one.add_items(ITEMS[:2]))
    assert await same(pair, lambda one: one.get_items()) == ITEMS[:2]


async def test_the_same_item_may_come_many_times(pair: Pair) -> None:
    await same(pair, lambda one: one.add_items([ITEMS[0]] * 3))
    await same(pair, lambda one: one.add_items([ITEMS[0]]))
    assert len(await same(pair, lambda one: one.get_items())) == 4


async def test_sessions_and_spaces_are_apart(memory: AsyncMemory) -> None:
    await Session("a", memory, space="x").add_items(ITEMS[:1])
    assert await Session("b", memory, space="x").get_items() == []
    assert await Session("a", memory, space="y").get_items() == []


async def test_popped_items_are_each_popped_once(memory: AsyncMemory) -> None:
    session = Session("chat", memory, space="ana")
    await session.add_items([{"role": "user", "content": f"n {n}"} for n in range(20)])
    popped: list[Any] = []

    async def pop() -> None:
        while (item := await session.pop_item()) is not None:
            popped.append(item["content"])

    async with anyio.create_task_group() as tasks:
        for _ in range(8):
            tasks.start_soon(pop)
    assert sorted(popped) == sorted(f"n {n}" for n in range(20))


async def test_secrets_go_unless_the_session_is_verbatim(memory: AsyncMemory) -> None:
    item: Any = {"type": "function_call_output", "call_id": "1", "output": f"token {SECRET}"}
    await Session("a", memory, space="ana").add_items([item])
    assert SECRET not in str(await Session("a", memory, space="ana").get_items())
    await Session("b", memory, space="ana", verbatim=True).add_items([item])
    assert await Session("b", memory, space="ana").get_items() == [item]


async def test_what_was_observed_otherwise_is_an_item_too(memory: AsyncMemory) -> None:
    await memory.observe([{"role": "assistant", "content": "Hello."}], space="ana", session="chat")
    assert await Session("chat", memory, space="ana").get_items() == [
        {"role": "assistant", "content": "Hello."}
    ]


async def test_items_are_recalled_as_other_messages_are(memory: AsyncMemory) -> None:
    await Session("chat", memory, space="ana", user="ana").add_items(ITEMS[:5])
    hits = await memory.recall("weather in Rome", space="ana", user="ana")
    assert "What is the weather in Rome?" in [hit.text for hit in hits]


async def test_an_item_that_has_no_form_in_json_is_refused_and_nothing_is_added(memory: AsyncMemory) -> None:
    session = Session("chat", memory, space="ana")
    with pytest.raises(BadInput):
        await session.add_items([ITEMS[0], {"content": float("nan")}])  # pyright: ignore[reportArgumentType]
    assert await session.get_items() == []


def test_it_opens_a_server_by_its_url_and_closes_it(url: str, tmp_path: Path) -> None:
    async def talk() -> list[Any]:
        async with Session("chat", url, space="ana") as session:
            await session.add_items(ITEMS[:2])
            return await session.get_items()

    assert asyncio.run(talk()) == ITEMS[:2]
    with Memory(url=url) as memory:
        session = Session("chat", memory, space="ana")
        assert asyncio.run(session.get_items()) == ITEMS[:2]
        assert asyncio.run(session.pop_item()) == ITEMS[1]
        session.close()  # what it did not open it leaves open
        assert len(memory.messages("chat", space="ana")) == 1
