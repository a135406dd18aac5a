"""A lesson that loses one of its sources keeps no word that only this source said."""

from __future__ import annotations

import pytest
from scripted_extractor import Record

from quipu import AsyncMemory
from quipu.kernel.db.database import Database
from quipu.kinds.transcripts.lessons.lessons import AsyncLessons

pytestmark = pytest.mark.anyio
SPACE = "acme"


async def told_by_two(memories: AsyncLessons, record: Record, database: Database) -> str:
    """Two sessions that tell one lesson, worded as the first said it; its id."""
    await record("s1", ["I prefer tabs in zanderfeld."])
    await record("s2", ["I prefer tabs."])
    await memories.extract(space=SPACE)
    first, second = sorted(await memories.list(space=SPACE), key=lambda one: str(one.session))
    # As a merge of near wordings leaves it: the first tells both.
    await memories.archive(second.id, space=SPACE)
    async with database.write(SPACE) as tx:
        move = "update transcripts.memory_sources set memory_id = %s where memory_id = %s"
        await tx.conn.execute(move, (first.id, second.id))
        await tx.conn.execute("delete from transcripts.memories where id = %s", (second.id,))
    return str(first.id)


async def facts(memories: AsyncLessons) -> list[str]:
    return [one.fact for one in await memories.list(space=SPACE)]


async def test_a_lesson_in_words_of_the_source_that_goes_is_made_again_of_the_rest(
    memories: AsyncLessons, record: Record, database: Database, opened: AsyncMemory
) -> None:
    await told_by_two(memories, record, database)
    assert len(await facts(memories)) == 1
    assert "zanderfeld" in str(await facts(memories))
    done = await opened.forget(space=SPACE, session="s1", confirm=True)
    assert done.counts["transcript_memories"] == 1
    assert await facts(memories) == []
    await opened.work()
    (fact,) = await facts(memories)
    assert "tabs" in fact
    assert "zanderfeld" not in fact


async def test_a_lesson_in_words_of_the_source_that_stays_stays(
    memories: AsyncLessons, record: Record, database: Database, opened: AsyncMemory
) -> None:
    id_ = await told_by_two(memories, record, database)
    await opened.forget(space=SPACE, session="s2", confirm=True)
    (left,) = await memories.list(space=SPACE)
    assert str(left.id) == id_
    assert "zanderfeld" in left.fact


async def test_an_earlier_wording_goes_with_the_source_that_said_it(
    memories: AsyncLessons, record: Record, database: Database, opened: AsyncMemory
) -> None:
    id_ = await told_by_two(memories, record, database)
    await memories.edit(id_, fact="The user prefers tabs.", space=SPACE)
    await opened.forget(space=SPACE, session="s1", confirm=True)
    assert await facts(memories) == ["The user prefers tabs."]
    async with database.snapshot_read(SPACE) as tx:
        assert tx is not None
        kept = await (await tx.conn.execute("select fact from transcripts.memory_edits")).fetchall()
    assert kept == []
