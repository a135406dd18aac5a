"""Agents of Strands with our sessions, and our memory store in its manager."""

from __future__ import annotations

import asyncio
import os
from uuid import uuid4

import pytest
from strands import Agent
from strands.memory import MemoryManager
from strands.memory.types import AddMessagesContext, _has_method
from strands.models.model import Model

from quipu import AsyncMemory, Memory
from quipu.compat.strands import MemoryStore, session_manager

MEMORY = Memory(os.environ["QUIPU_HOME"])


def text(said):
    return {"role": "user", "content": [{"text": said}]}


CALL = {
    "role": "assistant",
    "content": [{"toolUse": {"toolUseId": "t1", "name": "weather", "input": {"z": 1, "a": [1.5, None]}}}],
}
RESULT = {
    "role": "user",
    "content": [{"toolResult": {"toolUseId": "t1", "status": "success", "content": [{"text": "Rain.\0"}]}}],
}
IMAGE = {"role": "user", "content": [{"image": {"format": "png", "source": {"bytes": b"\x89PNG\0\xff"}}}]}


class Scripted(Model):
    """A model that says the same to everything, and keeps what it was sent."""

    def __init__(self):
        self.sent = []

    def update_config(self, **_):
        pass

    def get_config(self):
        return {}

    def structured_output(self, *_, **__):
        raise NotImplementedError

    async def stream(self, messages, *_, **__):
        self.sent.append([dict(one) for one in messages])
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockStart": {"start": {}}}
        yield {"contentBlockDelta": {"delta": {"text": "Noted."}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn"}}


def test_an_agent_goes_on_where_it_was():
    space = f"t{uuid4().hex}"
    first = Agent(
        model=Scripted(),
        agent_id="bot",
        session_manager=session_manager("chat", MEMORY, space=space),
        callback_handler=None,
    )
    first.state.set("mood", "glad")
    first("I live in Lisbon.")
    model = Scripted()
    again = Agent(
        model=model,
        agent_id="bot",
        session_manager=session_manager("chat", MEMORY, space=space),
        callback_handler=None,
    )
    assert again.state.get("mood") == "glad"
    again("Where do I live?")
    said = [one["content"][0]["text"] for one in model.sent[0]]
    assert said == ["I live in Lisbon.", "Noted.", "Where do I live?"]


@pytest.fixture(params=["Memory", "AsyncMemory"])
async def opened(request):
    if request.param == "Memory":
        yield MEMORY
        return
    async with AsyncMemory(os.environ["QUIPU_HOME"]) as memory:
        yield memory


async def test_a_store_is_what_the_manager_takes(opened):
    store = MemoryStore("desk", opened, space=f"t{uuid4().hex}", extraction=True)
    assert all(_has_method(store, name) for name in ("search", "add", "add_messages"))
    manager = MemoryManager(stores=[store], add_tool_config=True)
    await manager.add("The boat is moored in Horta.", {"metadata": {"topic": "boats"}})
    await manager.add("Tea is drunk at five.")
    (first, *_) = await manager.search("Where is the boat moored?", {"max_search_results": 1})
    assert (first.content, first.store_name) == ("The boat is moored in Horta.", "desk")
    assert first.metadata["topic"] == "boats"
    assert first.metadata["kind"] == "document"


async def test_a_store_keeps_what_comes_again_once(opened):
    space = f"t{uuid4().hex}"
    store = MemoryStore("desk", opened, space=space, session="chat")
    ids = await asyncio.gather(*(store.add(" I like tea. " if n % 2 else "I like tea.") for n in range(8)))
    assert len(set(ids)) == 1
    batch = [text("ok"), text("I moor in Horta."), text("ok"), CALL, RESULT, IMAGE]
    for _ in range(3):
        await store.add_messages(batch, AddMessagesContext(sequence_numbers=[0, 1, 2, 4, 5, 6]))
    kept = MEMORY.messages("chat", space=space)
    assert [one.content for one in kept] == ["ok", "I moor in Horta.", "ok", "", "", ""]
    assert kept[3].item == CALL
    await store.add_messages([])
    found = await store.search("word " * 50_000 + "Where do I moor?")
    assert found[0].content == "I moor in Horta."


async def test_a_store_refuses_what_is_wrong(opened):
    store = MemoryStore("desk", opened, space=f"t{uuid4().hex}", writable=False)
    for wrong in (store.add("x"), store.add_messages([text("x")])):
        with pytest.raises(ValueError, match="not writable"):
            await wrong
    with pytest.raises(ValueError, match="at least 1"):
        await store.search("x", {"max_search_results": 0})
    with pytest.raises(ValueError, match="at least 1"):
        MemoryStore("desk", opened, max_search_results=0)
    with pytest.raises(ValueError, match="empty"):
        await MemoryStore("desk", opened, space="x").add(" ")
    assert await store.search("") == await store.search("nothing is here") == []


def test_an_agent_tells_what_it_hears_to_the_store():
    space = f"t{uuid4().hex}"
    store = MemoryStore("desk", MEMORY, space=space, session="chat", extraction=True)
    manager = MemoryManager(stores=[store])
    agent_ = Agent(model=Scripted(), memory_manager=manager, callback_handler=None)
    agent_("I live in Lisbon.")
    asyncio.run(manager.flush())
    assert [one.content for one in MEMORY.messages("chat", space=space)] == ["I live in Lisbon.", "Noted."]
