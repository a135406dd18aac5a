"""Whatever rests on a message that another replaces holds until then: in all kinds, and it can be undone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from quipu import AsyncMemory
from quipu.kernel.db.database import Database
from quipu.record import relations
from quipu.record.relations import Link

pytestmark = pytest.mark.anyio

OLD = datetime.now(UTC) - timedelta(days=20)  # lessons fade
NEW = OLD + timedelta(days=15)
KINDS = ("longterm", "lesson", "episodes")


async def say(memory: AsyncMemory, id_: str, text: str, at: datetime) -> None:
    message = {"id": id_, "content": text, "time": at}
    await memory.observe([message], space="ana", session=f"session-{id_}", user="ana")


@pytest.fixture
async def ana(memory: AsyncMemory) -> AsyncMemory:
    """A memory in which all was derived from the message m1, and nothing yet from m2."""
    await say(memory, "m1", "I live in Hamburg. I prefer tabs in this repo.", OLD)
    await memory.work()
    await memory.lessons.extract(space="ana", session="session-m1")
    await say(memory, "m2", "I live in Lisbon. I prefer spaces in this repo.", NEW)
    return memory


async def held(memory: AsyncMemory, *, ended: bool = False) -> dict[str, list[datetime | None]]:
    """Until when what is listed of each kind holds."""
    memories = await memory.longterm.list(space="ana", ended=ended)
    lessons = await memory.lessons.list(space="ana", ended=ended)
    beliefs = await memory.beliefs.list(space="ana", ended=ended)
    return {
        "longterm": [one.valid_until for one in memories],
        "lessons": [one.valid_until for one in lessons],
        "beliefs": [one.valid_until for one in beliefs],
    }


async def texts(memory: AsyncMemory, question: str) -> str:
    """What derived memories answer, as one text; episodes keep what was said."""
    hits = await memory.recall(question, space="ana", kinds=KINDS)
    return " ".join(hit.text for hit in hits if hit.source.role != "episode")


async def test_what_a_person_says_ends_all_kinds_at_once_and_taking_it_back_opens_them(
    ana: AsyncMemory,
) -> None:
    before = await held(ana)
    assert all(kind and not any(kind) for kind in before.values())
    assert "Hamburg" in await texts(ana, "Where do I live?")

    await ana.relate("m2", "m1", space="ana")
    assert await held(ana) == {kind: [] for kind in before}
    assert await held(ana, ended=True) == {kind: [NEW] * len(of) for kind, of in before.items()}
    assert await texts(ana, "Where do I live, and do I prefer tabs?") == ""
    assert await ana.longterm.search("Where do I live?", space="ana") == []
    assert await ana.lessons.search("tabs", space="ana") == []
    assert "Hamburg" in await texts(ana, "Where did I use to live?")
    assert "Hamburg" in await texts(ana, f"Where did I live on {OLD:%Y-%m-%d}?")

    await ana.unrelate("m2", "m1", space="ana")
    assert await held(ana) == before
    assert "Hamburg" in await texts(ana, "Where do I live?")


async def test_what_is_said_again_later_holds(ana: AsyncMemory) -> None:
    before = await held(ana)
    await ana.relate("m2", "m1", space="ana")
    await say(ana, "m3", "I live in Hamburg. I prefer tabs in this repo.", NEW + timedelta(days=1))
    await ana.work()
    await ana.lessons.extract(space="ana", session="session-m3")
    now = await held(ana)
    assert (now["longterm"], now["lessons"]) == (before["longterm"], before["lessons"])


async def test_forgetting_the_newer_message_opens_what_it_ended(ana: AsyncMemory) -> None:
    before = await held(ana)
    await ana.relate("m2", "m1", space="ana")
    await ana.forget(space="ana", message="m2", confirm=True)
    assert await held(ana) == before


async def test_forgetting_the_older_message_takes_what_it_ended(ana: AsyncMemory) -> None:
    await ana.relate("m2", "m1", space="ana")
    await ana.forget(space="ana", message="m1", confirm=True)
    assert await held(ana, ended=True) == {"longterm": [], "lessons": [], "beliefs": []}


async def test_a_link_that_a_rule_found_ends_only_another_value_of_the_same_key(
    ana: AsyncMemory, database: Database
) -> None:
    before = await held(ana)
    async with database.write("ana") as tx:
        ((older,),) = await tx.rows("select id from core.messages where external_id = 'm1'")
        ((newer,),) = await tx.rows("select id from core.messages where external_id = 'm2'")
        await relations.add(tx, [Link(newer, older)], now=datetime.now(UTC))
    assert await held(ana) == before

    await ana.work()  # now m2 says another value of the same keys
    likes = {
        one.value: one.valid_until for one in await ana.beliefs.list(space="ana", key="likes", ended=True)
    }
    assert likes == {"tabs in this repo": NEW, "spaces in this repo": None}
    assert [one.valid_until for one in await ana.lessons.list(space="ana", ended=True)] == before["lessons"]
