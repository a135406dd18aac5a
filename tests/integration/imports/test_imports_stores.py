"""After an import our faces give what the peers gave: memories of mem0, items of LangGraph, sessions."""

from __future__ import annotations

import json
from typing import Any

import pytest
from importing import EXPORTS
from langgraph.store.base import NamespacePath

from quipu import AsyncMemory
from quipu.compat.langgraph import AsyncStore
from quipu.compat.mem0 import AsyncMemory as Mem0
from quipu.compat.openai_agents import Session

pytestmark = pytest.mark.anyio


def without_what_differs(item: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in item.items() if name != "score" and value not in (None, {})}


async def test_mem0_gets_lists_and_finds_what_it_had(memory: AsyncMemory) -> None:
    truth = json.loads((EXPORTS / "mem0" / "qdrant.json").read_text())
    await memory.imports.load(EXPORTS / "mem0" / "qdrant.zip", space="m")
    mem0 = Mem0(memory, space="m")
    expired = {one["id"] for one in truth["ben"]}
    for person in ("ana", "bot"):
        for one in truth[person]:
            got = await mem0.get(one["id"])
            assert without_what_differs(got or {}) == without_what_differs(one)
    listed = await mem0.get_all(filters={"user_id": "ana"}, top_k=50)
    assert {one["id"] for one in listed["results"]} == {one["id"] for one in truth["ana"]} - expired
    found = await mem0.search("What does Ana eat?", filters={"user_id": "ana"})
    assert any(one["memory"] == "Is vegan again." for one in found["results"])
    history = [
        (one["event"], one["old_memory"], one["new_memory"], one["updated_at"])
        for one in await mem0.history(changed(truth))
    ]
    assert history == [
        (one["event"], one["old_memory"], one["new_memory"], one["updated_at"])
        for one in truth["history"][changed(truth)]
    ]
    assert await mem0.get(truth["deleted"]) is None
    again = await memory.imports.load(EXPORTS / "mem0" / "qdrant.zip", space="m")
    assert (again.records, again.changed) == ({}, 0)


def changed(truth: dict[str, Any]) -> str:
    return next(id_ for id_, rows in truth["history"].items() if len(rows) > 1)


async def test_a_store_of_langgraph_gets_what_it_had(memory: AsyncMemory) -> None:
    await memory.imports.load(EXPORTS / "langgraph" / "store.zip", space="m")
    store = AsyncStore(memory, space="m")
    item = await store.aget(("memories", "ana"), "m2")
    assert item is not None
    assert item.value == {"text": "Prefers very short answers. 短い答え", "importance": 4}
    assert item.created_at.isoformat() == "2026-11-22T10:58:30+00:00"
    prefix: NamespacePath = ("memories",)
    assert await store.alist_namespaces(prefix=prefix) == [("memories", "ana")]  # that of ben has expired
    found = await store.asearch(("memories",), query="short answers")
    assert found[0].key == "m2"


async def test_a_session_of_agents_gives_its_items(memory: AsyncMemory) -> None:
    truth = json.loads((EXPORTS / "openai_agents" / "branches.json").read_text())
    await memory.imports.load(EXPORTS / "openai_agents" / "branches.zip", space="m")
    assert await Session("adv", memory, space="m").get_items() == truth["adv"]


async def test_threads_lessons_and_drawers_stand_where_they_are_found(memory: AsyncMemory) -> None:
    truth = json.loads((EXPORTS / "langgraph" / "threads.json").read_text())
    await memory.imports.load(EXPORTS / "langgraph" / "threads.zip", space="m")
    for thread, theirs in truth.items():
        assert [one.id for one in await memory.messages(thread, space="m")] == [id_ for id_, _, _ in theirs]
    for name, records in (
        ("claude_mem/claude-mem.zip", {"message": 3, "lesson": 3, "loop": 1}),
        ("mempalace/transcripts.zip", {"message": 6, "memory": 2}),
        ("mempalace/agents.zip", {"message": 3, "document": 5, "memory": 3}),
    ):
        report = await memory.imports.load(EXPORTS / name, space="m")
        assert (report.records, report.refused) == (records, [])
