"""Gathering what belongs to a topic, a person or a time, and blocks for questions that ask for it."""

from __future__ import annotations

import pytest

from quipu import AsyncMemory
from quipu.errors import BadInput
from quipu.recall.timeline import Gathered

pytestmark = pytest.mark.anyio

GARDEN = [
    ("2025-03-02T09:00:00Z", "user", "ana", "The garden got a new apple tree today."),
    ("2025-03-02T09:01:00Z", "assistant", "ana", "Water the apple tree in the garden well."),
    ("2025-05-10T18:00:00Z", "user", "ana", "Moles have dug up the garden."),
    ("2025-05-10T18:01:00Z", "assistant", "ana", "A trap of sound helps against moles in a garden."),
    ("2025-09-20T12:00:00Z", "user", "ana", "We ate the first apples of the garden."),
    ("2025-09-21T12:00:00Z", "user", "ben", "The garden of my aunt has forty roses."),
    ("2025-06-01T12:00:00Z", "user", "ben", "My left knee hurts."),
]


async def told(memory: AsyncMemory, space: str = "home") -> None:
    await memory.observe(
        [
            {
                "id": f"g{n}",
                "time": at,
                "role": role,
                "user": user,
                "session": f"s-{user}-{at[:7]}",
                "content": said,
            }
            for n, (at, role, user, said) in enumerate(GARDEN)
        ],
        space=space,
    )


def ids(found: Gathered) -> list[str | None]:
    return [one.source.message for one in found.items]


async def test_everything_about_a_topic_comes_in_order_with_its_coverage(memory: AsyncMemory) -> None:
    await told(memory)
    found = await memory.gather("the garden", space="home")
    assert ids(found) == ["g0", "g1", "g2", "g3", "g4", "g5"]
    assert found.coverage == "all 6"
    assert found.cursor is None
    first = await memory.gather("the garden", space="home", limit=4)
    rest = await memory.gather("the garden", space="home", limit=4, after=first.cursor)
    assert ids(first) + ids(rest) == ids(found)
    assert (first.coverage, rest.coverage, rest.cursor) == ("4 of about 6", "all 6", None)


async def test_a_topic_is_narrowed_to_a_person_a_speaker_and_a_time(memory: AsyncMemory) -> None:
    await told(memory)
    assert ids(await memory.gather("the garden", space="home", user="ben")) == ["g5"]
    assert ids(await memory.gather("the garden", space="home", speaker="assistant")) == ["g1", "g3"]
    assert ids(await memory.gather("the garden", space="home", since="2025-09-21")) == ["g5"]
    assert ids(await memory.gather("the garden", space="home", session="nowhere")) == []
    assert (await memory.gather("the garden", space="nothing here")).items == ()


async def test_an_exchange_is_told_once_with_its_reply(memory: AsyncMemory) -> None:
    await told(memory)
    found = await memory.gather("the garden", space="home", user="ana", exchanges=True)
    assert [(one.source.message, one.replier) for one in found.items] == [
        ("g0", "assistant"), ("g2", "assistant"), ("g4", ""),
    ]  # fmt: skip
    assert found.items[1].reply == "A trap of sound helps against moles in a garden."


async def test_without_a_topic_it_is_all_of_a_time_or_person_in_parts(memory: AsyncMemory) -> None:
    await told(memory)
    seen: list[str | None] = []
    counts: list[int] = []
    cursor = None
    while True:
        found = await memory.gather(
            space="home", since="2025-05-01", until="2025-09-21", limit=2, after=cursor
        )
        seen += ids(found)
        counts.append(found.count)
        cursor = found.cursor
        if cursor is None:
            break
    assert seen == ["g2", "g3", "g6", "g4"]
    assert (counts, found.about) == ([2, 4], 4)
    assert ids(await memory.gather(space="home", user="ben")) == ["g6", "g5"]
    assert ids(await memory.gather(space="home", speaker="Assistant")) == []
    assert ids(await memory.gather(space="home", speaker="assistant")) == ["g1", "g3"]
    assert ids(await memory.gather(space="home", session="s-ana-2025-05")) == ["g2", "g3"]
    both = await memory.gather(space="home", user="ana", exchanges=True, limit=1)
    after = await memory.gather(space="home", user="ana", exchanges=True, limit=1, after=both.cursor)
    assert (ids(both), ids(after)) == (["g0"], [])  # the second line is the reply that was told already
    assert after.cursor is not None


async def test_a_filter_over_metadata_narrows_a_topic_and_a_time(memory: AsyncMemory) -> None:
    said = [
        {
            "id": f"g{n}",
            "time": at,
            "content": text,
            "session": "s",
            "metadata": {"agent_id": ["planner", "gardener"][n % 2], "n": n},
        }
        for n, (at, _, _, text) in enumerate(GARDEN)
    ]
    await memory.observe(said, space="home")
    planner = {"agent_id": "planner"}
    assert ids(await memory.gather("the garden", space="home", filter=planner)) == ["g0", "g2", "g4"]
    assert ids(await memory.gather(space="home", filter={"n": {"gte": 4}})) == ["g6", "g4", "g5"]
    assert ids(await memory.gather(space="home", since="2025-06-01", filter=planner)) == ["g6", "g4"]
    first = await memory.gather(space="home", filter=planner, limit=3)
    rest = await memory.gather(space="home", filter=planner, limit=3, after=first.cursor)
    assert (ids(first), ids(rest), first.about) == (["g0", "g2", "g6"], ["g4"], 4)
    assert ids(await memory.gather(space="home", filter={"agent_id": "nobody"})) == []


async def test_what_cannot_be_gathered_is_refused_by_name(memory: AsyncMemory) -> None:
    for arguments, field in (
        ({}, "topic"),
        ({"topic": " "}, "topic"),
        ({"topic": "x", "limit": 0}, "limit"),
        ({"topic": "x", "after": "elsewhere"}, "after"),
        ({"topic": "x", "kinds": ["dream"]}, "kinds"),
    ):
        with pytest.raises(BadInput) as refused:
            await memory.gather(space="home", **arguments)  # type: ignore[arg-type]
        assert refused.value.field == field


async def test_a_block_for_a_list_is_short_in_order_and_begins_with_the_askers_own_lines(
    memory: AsyncMemory,
) -> None:
    await told(memory)
    asked = "In which order did I have things happen in the garden?"
    block = await memory.recall_block(asked, space="home", user="ana", budget_tokens=4_000)
    lines = [line for line in block.text.splitlines() if line.startswith(("- ", "2025"))]
    assert lines[:3] == [
        "2025-03-02",
        "- user: The garden got a new apple tree today.",
        "- assistant: Water the apple tree in the garden well.",
    ]
    assert [line for line in lines if line[0] == "2"] == ["2025-03-02", "2025-05-10", "2025-09-20"]
    small = await memory.recall_block(asked, space="home", user="ana", budget_tokens=block.tokens - 30)
    assert "- assistant" in block.text
    assert {hit.source.role for hit in block.hits} == {"user", "assistant"}
    assert {hit.source.message for hit in small.hits} >= {"g0", "g2", "g4"}


async def test_what_is_forgotten_is_gathered_no_more(memory: AsyncMemory) -> None:
    await told(memory)
    await memory.forget(space="home", user="ana", confirm=True)
    assert ids(await memory.gather("the garden", space="home")) == ["g5"]
    assert ids(await memory.gather(space="home", since="2025-01-01")) == ["g6", "g5"]
