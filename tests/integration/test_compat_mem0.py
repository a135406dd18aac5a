"""Mem0's classes that are ours do what mem0 2.2.1 did on the same calls."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mem0_calls import Player

import quipu
from quipu.compat.mem0 import AsyncMemory, Memory, Refused, ValidationError
from quipu.errors import BadInput
from quipu.kernel.config import Settings

pytestmark = pytest.mark.anyio
CALLS = Path(__file__).parents[1] / "data" / "mem0" / "calls.json"
BY_DESIGN = {
    111: "mem0 counts each member of a list for nin; here the list is none of the values",
    112: "as above",
    158: "mem0 ends in an AttributeError",
    167: "of two operators at one field mem0 takes the first; here both must hold",
    168: "as above",
}
ANA = {"user_id": "ana"}


@pytest.fixture
def core(server_settings: Settings, url: str) -> Iterator[quipu.Memory]:
    with quipu.Memory(settings=replace(server_settings, database_url=url)) as opened:
        yield opened


@pytest.fixture
def mem0(core: quipu.Memory) -> Memory:
    return Memory(core, space="desk")


def texts(answer: dict[str, Any]) -> list[str]:
    return sorted(one["memory"] for one in answer["results"])


def test_every_recorded_call_is_answered_as_mem0_answered_it(mem0: Memory) -> None:
    player = Player(mem0)
    rows = json.loads(CALLS.read_text("utf-8"))
    assert len(rows) == 233
    differ = {at: row for at, row in enumerate(rows) if player.play(row) != row[3]}
    assert set(differ) == set(BY_DESIGN), differ


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({"topic": {"contains": "rav"}}, ["b"]),
        ({"topic": {"contains": "TRAV"}}, []),
        ({"topic": {"icontains": "TRAV"}}, ["b"]),
        ({"tags": {"contains": "x"}}, ["a"]),
        ({"topic": "trav"}, []),
        (
            {"OR": [{"topic": "food"}, {"AND": [{"rank": {"gt": 1}}, {"NOT": [{"topic": "food"}]}]}]},
            ["a", "b"],
        ),
        ({"value": 5}, ["a"]),
        ({"metadata": 6}, ["b"]),
        ({"a\\b": 1}, ["a"]),
    ],
)
def test_filters_that_mem0_documents_hold(mem0: Memory, filters: dict[str, Any], found: list[str]) -> None:
    mem0.add("a", infer=False, metadata={"topic": "food", "tags": ["x"], "value": 5, "a\\b": 1}, **ANA)
    mem0.add("b", infer=False, metadata={"topic": "travel", "rank": 2, "metadata": 6}, **ANA)
    assert texts(mem0.get_all(filters={**ANA, **filters})) == found
    assert texts(mem0.search("a b", filters={**ANA, **filters}, threshold=0.0)) == found


def test_what_is_inferred_is_added_known_replaced_or_over(mem0: Memory) -> None:
    (home,) = mem0.add("I live in Berlin.", metadata={"from": "chat"}, **ANA)["results"]
    assert (home["memory"], home["event"]) == ("The user lives in Berlin.", "ADD")
    assert mem0.add("I live in Berlin.", **ANA)["results"] == [{**home, "event": "NONE"}]
    assert mem0.add("I moved to Lisbon.", **ANA)["results"] == [
        {
            "id": home["id"],
            "memory": "The user lives in Lisbon.",
            "event": "UPDATE",
            "previous_memory": home["memory"],
        }
    ]
    (diet,) = mem0.add("I am vegetarian.", **ANA)["results"]
    assert mem0.add("I am not vegetarian any more.", **ANA)["results"] == [{**diet, "event": "DELETE"}]
    assert mem0.add([{"role": "assistant", "content": "I live in Rome."}], **ANA)["results"] == []
    assert mem0.add("How are you?", **ANA)["results"] == []
    assert [one["event"] for one in mem0.history(home["id"])] == ["ADD", "UPDATE"]
    assert [one["event"] for one in mem0.history(diet["id"])] == ["ADD", "DELETE"]
    kept = mem0.get(home["id"])
    assert kept is not None
    assert (kept["attributed_to"], kept["metadata"]) == ("user", {"from": "chat"})


def test_what_is_inferred_of_one_is_not_merged_with_another(mem0: Memory) -> None:
    mem0.add("I live in Berlin.", user_id="ana")
    (of_bob,) = mem0.add("I moved to Lisbon.", user_id="bob")["results"]
    assert of_bob["event"] == "ADD"
    assert texts(mem0.get_all(filters={"user_id": "ana"})) == ["The user lives in Berlin."]


def test_memories_are_recalled_and_forgotten_as_all_else(mem0: Memory, core: quipu.Memory) -> None:
    mem0.add("The boat is moored in Horta.", infer=False, metadata={"topic": "boats"}, **ANA)
    hit = core.recall("Where is the boat moored?", space="desk", filter={"topic": "boats"})[0]
    assert (hit.kind, hit.text) == ("document", "The boat is moored in Horta.")
    core.forget(space="desk", user="ana", confirm=True)
    assert mem0.get_all(filters=ANA)["results"] == []


def test_text_is_kept_letter_for_letter(mem0: Memory) -> None:
    secret = "  ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8\n\t中 🚀 " + "x" * 100_000
    (added,) = mem0.add(secret, infer=False, **ANA)["results"]
    kept = mem0.get(added["id"])
    assert kept is not None
    assert kept["memory"] == secret


def test_thousands_are_listed_and_deleted(mem0: Memory) -> None:
    turns = [{"role": "user", "content": f"note {number}"} for number in range(2_005)]
    assert len(mem0.add(turns, infer=False, **ANA)["results"]) == 2_005
    assert len(mem0.get_all(filters=ANA, top_k=3_000)["results"]) == 2_005
    assert len(mem0.get_all(filters=ANA, limit=7)["results"]) == 7
    mem0.delete_all(user_id="ana")
    assert mem0.get_all(filters=ANA, top_k=3_000)["results"] == []


def test_a_database_cannot_hold_all_and_says_so(mem0: Memory) -> None:
    with pytest.raises(BadInput):
        mem0.add("a\0b", infer=False, **ANA)
    with pytest.raises(BadInput, match="metadata"):
        mem0.add("a", infer=False, metadata={"big": "x" * 70_000}, **ANA)
    with pytest.raises(ValidationError, match="language model"):
        mem0.add("a", memory_type="procedural_memory", agent_id="bot")
    assert mem0.get_all(filters=ANA)["results"] == []


def test_ids_that_no_database_holds_name_no_memory(mem0: Memory) -> None:
    for wrong in ("", "a\0b", "x" * 2_000):
        assert mem0.get(wrong) is None
        assert mem0.history(wrong) == []
        with pytest.raises(Refused, match="not found"):
            mem0.delete(wrong)
        with pytest.raises(ValueError, match="not found"):
            mem0.update(wrong, text="x")


def test_a_config_of_mem0_opens_what_stands_under_quipu(core: quipu.Memory) -> None:
    config = {"vector_store": {"provider": "qdrant"}, "quipu": {"space": "other"}}
    Memory.from_config(config, core).add("x", infer=False, **ANA)
    assert texts(Memory(core, space="other").get_all(filters=ANA)) == ["x"]
    assert Memory(core).get_all(filters=ANA)["results"] == []


async def test_the_async_face_does_the_same(memory: quipu.AsyncMemory) -> None:
    async with AsyncMemory(memory, space="desk") as mem0:
        (added,) = (await mem0.add("I live in Porto.", infer=False, **ANA))["results"]
        await mem0.update(added["id"], text="I live in Faro.")
        kept = await mem0.get(added["id"])
        assert kept is not None
        assert kept["memory"] == "I live in Faro."
        assert texts(await mem0.search("Where do I live?", filters=ANA)) == ["I live in Faro."]
        await mem0.delete(added["id"])
        assert [one["event"] for one in await mem0.history(added["id"])] == ["ADD", "UPDATE", "DELETE"]
        with pytest.raises(Refused):
            await mem0.get_all(filters={})
        await mem0.reset()
        assert await mem0.history(added["id"]) == []


async def test_the_async_face_takes_a_memory_that_blocks(core: quipu.Memory) -> None:
    mem0 = AsyncMemory.from_config({}, core, space="desk")
    await mem0.add("x", infer=False, **ANA)
    assert texts(await mem0.get_all(filters=ANA)) == ["x"]


def test_updates_at_once_lose_nothing(mem0: Memory) -> None:
    (added,) = mem0.add("x", infer=False, **ANA)["results"]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda at: mem0.update(added["id"], metadata={f"n{at}": at}), range(12)))
    kept = mem0.get(added["id"])
    assert kept is not None
    assert kept["metadata"] == {f"n{at}": at for at in range(12)}
