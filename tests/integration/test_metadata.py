"""Metadata on messages, long-term memories and lessons: kept, returned, and filtered by inside a search."""

from __future__ import annotations

from typing import Any

import pytest

from quipu import AsyncMemory
from quipu.errors import BadInput, NotFound
from quipu.kernel.db.database import Database
from quipu.upkeep.consistency import examine

pytestmark = pytest.mark.anyio
PLANNER: dict[str, Any] = {"agent_id": "planner", "rank": 3, "topic": {"name": "boats"}}


async def test_a_filter_acts_inside_the_search_and_not_after_it(memory: AsyncMemory) -> None:
    crowd = [
        {"content": f"The green boat number {n} is in the harbour.", "metadata": {"rank": n}}
        for n in range(60)
    ]
    await memory.observe(crowd, space="ana")
    await memory.observe([{"content": "A dinghy left another harbour.", "metadata": PLANNER}], space="ana")
    question = "Which green boat is in the harbour?"
    assert "dinghy" not in str(await memory.recall(question, space="ana", limit=5))
    found = await memory.recall(question, space="ana", limit=5, filter={"agent_id": "planner"})
    assert [hit.text for hit in found] == ["A dinghy left another harbour."]
    assert found[0].metadata == PLANNER
    some = await memory.recall(question, space="ana", limit=50, filter={"rank": {"gte": 10, "lt": 13}})
    assert sorted(hit.metadata["rank"] for hit in some) == [10, 11, 12]
    none = await memory.recall(question, space="ana", filter={"not": {"rank": {"exists": True}}})
    assert list(none) == []
    with pytest.raises(BadInput):
        await memory.recall(question, space="ana", filter={"rank": {"near": 3}})


async def test_a_filter_goes_together_with_every_other_condition(memory: AsyncMemory) -> None:
    for user in ("ana", "bo"):
        for session in ("s", "t"):
            await memory.observe(
                [{"content": f"The boat of {user} is green.", "metadata": {"app_id": session}}],
                space="x",
                session=session + user,
                user=user,
            )
    found = await memory.recall("boat", space="x", user="bo", filter={"app_id": "t"})
    assert [(hit.source.user, hit.source.session) for hit in found] == [("bo", "tbo")]
    assert not await memory.recall("boat", space="x", session="sbo", filter={"app_id": "t"})
    assert len(await memory.recall("boat", space="x", kinds=["message"], filter={"app_id": "t"})) == 2
    block = await memory.recall_block("boat", space="x", budget_tokens=400, filter={"app_id": "t"}, user="bo")
    assert "boat of bo" in block.text
    many = await memory.recall_many(["boat", "green"], space="x", filter={"run_id": "none"})
    assert [list(one) for one in many] == [[], []]


async def test_kinds_without_metadata_give_nothing_where_a_filter_is_set(memory: AsyncMemory) -> None:
    await memory.observe([{"content": "Hello."}], space="ana", session="s")
    await memory.ledger.set("city.harbour", "Lisbon", space="ana", session="s")
    assert await memory.recall("harbour Lisbon", space="ana")
    assert not await memory.recall("harbour Lisbon", space="ana", filter={"not": {"a": 1}})


async def test_a_message_that_a_filter_hides_is_not_brought_in_by_a_link(memory: AsyncMemory) -> None:
    await memory.observe(
        [{"id": "1", "content": "I live in Porto.", "metadata": {"a": 1}}],
        space="ana",
        session="s",
        user="ana",
    )
    await memory.observe(
        [{"id": "2", "content": "I live in Lisbon now."}], space="ana", session="t", user="ana"
    )
    await memory.relate(newer="2", older="1", space="ana")
    found = await memory.recall("Where do I live?", space="ana", filter={"a": 1})
    assert [hit.source.message for hit in found] == ["1"]


async def test_long_ids_of_agents_are_found_as_they_are(memory: AsyncMemory) -> None:
    long = "x" * 600
    for end in "ab":
        metadata = {"run_id": long + end}
        await memory.observe([{"content": f"The boat {end}.", "metadata": metadata}], space="ana")
    found = await memory.recall("boat", space="ana", filter={"run_id": long + "b"})
    assert [hit.text for hit in found] == ["The boat b."]


async def test_long_term_memories_have_metadata(memory: AsyncMemory, database: Database) -> None:
    made = await memory.longterm.add("Likes tea.", space="ana", user="ana", metadata=PLANNER)
    await memory.longterm.add("Likes coffee.", space="ana", user="ana")
    assert made.metadata == PLANNER
    assert (await memory.longterm.get(made.id, space="ana")).metadata == PLANNER
    found = await memory.longterm.list(space="ana", filter={"topic.name": {"starts": "boat"}})
    assert [one.id for one in found] == [made.id]
    searched = await memory.longterm.search(
        "What does she like?", space="ana", filter={"agent_id": "planner"}
    )
    assert [one.memory.id for one in searched] == [made.id]
    hits = await memory.recall("tea", space="ana", filter={"rank": {"in": [3]}})
    assert [(hit.kind, hit.metadata) for hit in hits] == [("longterm", PLANNER)]
    again = await memory.longterm.add("Likes tea.", space="ana", user="ana", metadata={"rank": 4})
    assert again.metadata == {**PLANNER, "rank": 4}
    edited = await memory.longterm.edit(made.id, space="ana", metadata={"only": True})
    assert (edited.metadata, edited.version) == ({"only": True}, made.version)
    assert (await memory.longterm.edit(made.id, space="ana", summary="Likes green tea.")).metadata == {
        "only": True
    }
    with pytest.raises(BadInput) as refused:
        await memory.longterm.add("Likes milk.", space="ana", metadata={"a": float("nan")})
    assert refused.value.field == "metadata"
    assert await examine(database) == []


async def test_lessons_have_metadata(memory: AsyncMemory, database: Database) -> None:
    made = await memory.lessons.add("The tests need Docker.", space="ana", metadata=PLANNER)
    await memory.lessons.add("The tests need a network.", space="ana")
    assert made.metadata == PLANNER
    assert [one.id for one in await memory.lessons.list(space="ana", filter={"rank": 3})] == [made.id]
    found = await memory.lessons.search(
        "What do the tests need?", space="ana", filter={"agent_id": "planner"}
    )
    assert [one.lesson.id for one in found] == [made.id]
    assert [hit.metadata for hit in await memory.recall("tests", space="ana", filter={"rank": 3})] == [
        PLANNER
    ]
    edited = await memory.lessons.edit(made.id, space="ana", metadata={"only": 1})
    assert (edited.metadata, edited.edited_at) == ({"only": 1}, None)
    assert (await memory.lessons.edit(made.id, space="ana", fact="They need podman.")).metadata == {"only": 1}
    assert await examine(database) == []


async def test_one_long_term_memory_is_erased_for_good(memory: AsyncMemory, database: Database) -> None:
    made = await memory.longterm.add("Likes tea.", space="ana", user="ana")
    await memory.longterm.edit(made.id, space="ana", summary="Likes green tea.")
    preview = await memory.longterm.erase(made.id, space="ana")
    assert (preview.receipt, preview.counts) == (None, {"long_term_memory": 1, "longterm_history": 1})
    done = await memory.longterm.erase(made.id, space="ana", confirm=True)
    assert done.receipt is not None
    with pytest.raises(NotFound):
        await memory.longterm.get(made.id, space="ana")
    assert not await memory.recall("tea", space="ana")
    assert (await memory.receipts.get(done.receipt, space="ana"))[0].document["rows"] == dict(preview.counts)
    assert await examine(database) == []
