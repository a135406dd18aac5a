"""What was derived from a message and the message are one answer, in every kind and in blocks."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from quipu import AsyncMemory
from quipu.recall.model import Hit

pytestmark = pytest.mark.anyio

TODAY = datetime.now(UTC)  # lessons fade
QUESTION = "Where does Ana live, and on which port does the API run?"
SAID = "I live in Porto. I prefer tabs in this repo. The API in Porto runs on port 8080."


@pytest.fixture
async def ana(memory: AsyncMemory) -> AsyncMemory:
    """A memory whose space ``ana`` holds one exchange, and all that was derived from it."""
    lines = [
        {"id": "m1", "role": "user", "content": SAID, "time": TODAY},
        {"id": "m2", "role": "assistant", "content": "Combinado.", "time": TODAY},
    ]
    await memory.observe(lines, space="ana", session="s", user="ana")
    await memory.work()
    await memory.lessons.extract(space="ana", session="s")
    return memory


def shown(hit: Hit) -> set[str]:
    """Whatever a hit shows: its kind, and the kinds that stand under it."""
    return {hit.kind, *(one.kind for one in hit.folded)}


async def test_all_that_rests_on_a_message_is_one_hit_with_it(ana: AsyncMemory) -> None:
    hits = await ana.recall(QUESTION, space="ana")
    (hit,) = [hit for hit in hits if SAID in (hit.text, *(one.text for one in hit.folded))]
    assert {"message", "episodes", "longterm", "lesson"} <= shown(hit)
    assert all(hit.kind == "message" for hit in hits[1:])
    derived = await ana.recall(QUESTION, space="ana", kinds=["episodes", "longterm", "lesson"])
    assert {one.id for one in derived} <= {hit.id, *(one.id for one in hit.folded)}


async def test_a_derived_memory_tells_the_message_that_it_rests_on(ana: AsyncMemory) -> None:
    for kind in ("longterm", "lesson"):
        hits = await ana.recall(QUESTION, space="ana", kinds=[kind])
        assert hits
        for hit in hits:
            (source,) = hit.folded
            assert (source.kind, source.text, source.source.message, source.source.session) == (
                "message",
                SAID,
                "m1",
                "s",
            )
            assert source.happened_at == TODAY


async def test_a_block_holds_a_memory_and_its_source_once(ana: AsyncMemory) -> None:
    block = await ana.recall_block(QUESTION, budget_tokens=2_000, space="ana")
    assert block.text.count("8080") == 1


async def test_what_was_forgotten_is_not_told_under_a_hit(ana: AsyncMemory) -> None:
    await ana.forget(space="ana", message="m1", confirm=True)
    for hit in await ana.recall(QUESTION, space="ana"):
        assert "Porto" not in "".join((hit.text, *(one.text for one in hit.folded)))
