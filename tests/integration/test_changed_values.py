"""Values that changed, as recall, why and blocks tell them."""

from __future__ import annotations

import pytest

from quipu import AsyncMemory

pytestmark = pytest.mark.anyio

JANUARY, MAY = "2026-01-05T10:00:00Z", "2026-05-04T10:00:00Z"
BEES = {"id": "m1", "content": "The hives stand behind the barn.", "time": JANUARY, "speaker": "Ana"}
ROOF = {
    "id": "m2",
    "content": "Since the flood everything buzzes on the roof.",
    "time": MAY,
    "speaker": "Ana",
}


@pytest.fixture
async def ana(memory: AsyncMemory) -> AsyncMemory:
    """A memory whose space ``ana`` has two statements, linked, and others."""
    await memory.observe([BEES], space="ana", session="winter", user="ana")
    await memory.observe([ROOF], space="ana", session="spring", user="ana")
    other = [{"id": f"x{n}", "content": f"Line {n} is about tea.", "time": MAY} for n in range(3)]
    await memory.observe(other, space="ana", session="tea", user="ana")
    await memory.relate("m2", "m1", space="ana", reason="moved")
    return memory


async def found(memory: AsyncMemory, question: str, **filters: str) -> list[str | None]:
    hits = await memory.recall(question, space="ana", **filters)  # pyright: ignore[reportArgumentType]
    return [hit.source.message for hit in hits]


async def test_a_link_orders_hits_as_the_question_asks(ana: AsyncMemory) -> None:
    assert (await found(ana, "Where do the hives stand?"))[:2] == ["m2", "m1"]
    assert (await found(ana, "Where did the hives stand before?"))[:2] == ["m1", "m2"]
    assert (await found(ana, "Where do the hives stand?", until="2026-03-01")) == ["m1"]
    assert (await found(ana, "Where do the hives stand?", session="winter")) == ["m1"]
    await ana.unrelate("m2", "m1", space="ana")
    assert (await found(ana, "Where do the hives stand?"))[0] == "m1"


async def test_hits_and_reasons_tell_of_a_link(ana: AsyncMemory) -> None:
    newer, older = (await ana.recall("Where do the hives stand?", space="ana"))[:2]
    assert [(one.text, one.reason) for one in newer.supersedes] == [(BEES["content"], "moved")]
    assert [(one.id, one.source.message) for one in older.superseded_by] == [(newer.id, "m2")]
    assert newer.score == older.score
    assert "newer than the memory below it" in " ".join(
        reason.sentence for reason in (await ana.why(newer)).reasons
    )


async def test_a_block_tells_what_was_before_in_the_line_of_what_holds(ana: AsyncMemory) -> None:
    block = await ana.recall_block("Where do the hives stand?", space="ana", budget_tokens=500)
    assert "before: The hives stand behind the barn, until 2026-05-04" in block.text
    assert block.text.count("barn") == 1
    assert {"m1", "m2"} <= {hit.source.message for hit in block.hits}
    past = await ana.recall_block("Where did the hives stand before?", space="ana", budget_tokens=500)
    assert "before: " not in past.text


async def test_another_user_sees_no_end_of_a_link_that_is_not_theirs(ana: AsyncMemory) -> None:
    await ana.observe([{**BEES, "id": "m3"}], space="ana", session="ben", user="ben")
    await ana.relate("m2", "m3", space="ana")
    (hit,) = await ana.recall("Where do the hives stand?", space="ana", user="ben")
    assert (hit.source.message, hit.superseded_by) == ("m3", ())


async def test_without_a_link_news_stands_above_what_it_replaces(memory: AsyncMemory) -> None:
    flat = {"content": "I live in a two-room flat in Leeds.", "time": JANUARY}
    moved = {"content": "We moved to Bristol, the new flat has boxes everywhere.", "time": MAY}
    await memory.observe([flat], space="ben", session="winter", user="ben")
    await memory.observe([moved], space="ben", session="spring", user="ben")
    present = await memory.recall("Where is my flat?", space="ben")
    assert [hit.text for hit in present] == [moved["content"], flat["content"]]
    assert "newer" in present[0].parts or present[0].score > present[1].score


@pytest.fixture
async def ben(memory: AsyncMemory) -> AsyncMemory:
    """A memory in which Ben told where he works, and where he works now."""
    works = {"id": "m1", "content": "I work as a baker at Hobbs and Rye.", "time": JANUARY, "speaker": "Ben"}
    left = {
        "id": "m2",
        "content": "I quit Hobbs and Rye, I work as a postman.",
        "time": MAY,
        "speaker": "Ben",
    }
    await memory.observe([works], space="ben", session="winter")
    await memory.import_messages([{**left, "session": "spring"}], space="ben")
    return memory


async def test_a_statement_that_replaces_another_is_linked_as_it_is_written(ben: AsyncMemory) -> None:
    (link,) = await ben.relations("m2", space="ben")
    assert (link.older.source.message, link.made_by, link.reason) == ("m1", "rule", "ended")
    assert 0 < link.strength <= 1


async def test_a_link_that_a_person_took_back_is_not_made_again(ben: AsyncMemory) -> None:
    await ben.unrelate("m2", "m1", space="ben")
    again = {"content": "I quit Hobbs and Rye, I work as a postman.", "time": MAY, "speaker": "Ben"}
    await ben.import_messages([{**again, "id": "m2", "session": "spring"}], space="ben")
    (link,) = await ben.relations("m2", space="ben")
    assert link.removed_by == "person"


async def test_nobody_replaces_what_another_person_said(ben: AsyncMemory) -> None:
    said = {"id": "m3", "content": "I quit Hobbs and Rye, I work as a baker at sea.", "speaker": "Eve"}
    await ben.observe([said], space="ben", session="summer")
    assert await ben.relations("m3", space="ben") == []
