"""Graphs, agents and notes of other systems come in whole, once, and go as they came."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from importing import EXPORTS, written

from quipu import AsyncMemory

pytestmark = pytest.mark.anyio
EVERY = {
    "graphiti/dump.json": {"message": 3, "memory": 3, "document": 2},
    "letta/first.af": {"message": 10, "memory": 1, "document": 1},
    "letta/second.af": {"message": 7, "memory": 2, "document": 1},
    "hindsight": {"memory": 3, "document": 4},
    "cognee": {"message": 2, "memory": 4, "document": 2},
    "server_memory/memory.jsonl": {"document": 3},
    "anthropic_memory": {"document": 3},
    "notes": {"memory": 2, "document": 2, "loop": 1},
    "agents": {"memory": 1, "lesson": 5, "document": 10, "loop": 1},
}


@pytest.mark.parametrize("name", EVERY)
async def test_an_export_comes_once_and_nothing_is_refused(memory: AsyncMemory, name: str) -> None:
    done = await memory.imports.load(EXPORTS / name, space="ana")
    assert done.refused == []
    tasks = EVERY[name].get("loop", 0)
    counted = {kind: count - (tasks if kind == "message" else 0) for kind, count in done.records.items()}
    assert {kind: count for kind, count in counted.items() if count} == EVERY[name]
    again = await memory.imports.load(EXPORTS / name, space="ana")
    assert {kind: count for kind, count in again.records.items() if count} == {}
    assert again.changed == 0


async def test_a_fact_that_ended_is_not_current_and_rests_on_its_words(memory: AsyncMemory) -> None:
    await memory.imports.load(EXPORTS / "graphiti" / "dump.json", space="ana")
    hits = [hit.text for hit in await memory.recall("Where does Ana live?", space="ana", kinds=["longterm"])]
    assert any("Lisbon" in text for text in hits)
    assert not any("Berlin" in text for text in hits)
    memories = {one.summary: one for one in await memory.longterm.list(space="ana", ended=True)}
    assert memories["Ana lives in Lisbon."].sources == 1


async def test_what_was_said_of_an_ended_fact_is_not_believed(memory: AsyncMemory, tmp_path: Path) -> None:
    dump = json.loads((EXPORTS / "graphiti" / "dump.json").read_text())
    for episode in dump["episodes"]:
        words = episode["content"].replace("Ana: ", "")
        episode["content"] = words.replace("I moved to Lisbon in May.", "Lisbon is my town now, since May.")
    for fact in dump["facts"]:
        if "Lisbon" in fact["fact"]:
            fact["name"] = "MOVED_TO"
    await memory.imports.load(written(tmp_path / "dump.json", dump), space="ana")
    await memory.work()
    (home,) = await memory.beliefs.list(space="ana", key="home", ended=True)
    assert (home.value, home.valid_until) == ("Berlin", datetime(2025, 6, 1, tzinfo=UTC))
    assert await memory.beliefs.list(space="ana", key="home") == []
    hits = [hit.text for hit in await memory.recall("Where does Ana live?", space="ana")]
    assert any("Lisbon" in text for text in hits)
    assert not any("Berlin" in text for text in hits)


async def test_a_fact_that_ended_on_the_day_on_which_another_began_was_replaced(
    memory: AsyncMemory, tmp_path: Path
) -> None:
    dump = json.loads((EXPORTS / "graphiti" / "dump.json").read_text())
    (berlin,) = [fact for fact in dump["facts"] if "Berlin" in fact["fact"]]
    berlin["invalid_at"] = "2025-05-01T23:59:59"
    await memory.imports.load(written(tmp_path / "dump.json", dump), space="ana")
    hits = [hit.text for hit in await memory.recall("Where does Ana live?", space="ana")]
    assert any("Lisbon" in text for text in hits)
    assert not any("Berlin" in text for text in hits)


async def test_texts_of_which_every_fact_ended_are_not_found(memory: AsyncMemory, tmp_path: Path) -> None:
    dump = json.loads((EXPORTS / "graphiti" / "dump.json").read_text())
    for episode in dump["episodes"]:
        episode["source"] = "text"
    await memory.imports.load(written(tmp_path / "dump.json", dump), space="ana")
    hits = [hit.text for hit in await memory.recall("Where does Ana live?", space="ana")]
    assert any("Lisbon" in text for text in hits)
    assert not any("Berlin" in text for text in hits)
    then = [hit.text for hit in await memory.recall("Where did Ana live in 2024?", space="ana")]
    assert any("Berlin" in text for text in then)


async def test_instructions_and_copies_are_found_by_nobody(memory: AsyncMemory) -> None:
    await memory.imports.load(EXPORTS / "agents", space="ana")
    hits = await memory.recall("Use pnpm, never npm", space="ana", limit=50)
    assert hits
    assert not [hit for hit in hits if hit.kind == "document" and "obsidian" not in str(hit.id)]
