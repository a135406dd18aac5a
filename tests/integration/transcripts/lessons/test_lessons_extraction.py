"""Sessions are read once by each version of an extractor, and what they say is kept with its sources."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pytest
from scripted_extractor import Record, Scripted, finding, rows

from quipu import AsyncMemory
from quipu.errors import BadInput, ConfigError, NotFound, QuipuError
from quipu.kernel.base.clock import FrozenClock
from quipu.kernel.db.database import Database
from quipu.kinds.transcripts.extract.model import Extraction, SessionTurn
from quipu.kinds.transcripts.extract.remote import RemoteExtractor
from quipu.kinds.transcripts.lessons.lessons import AsyncLessons
from quipu.testing import ScriptedLLM

pytestmark = pytest.mark.anyio
SPACE = "acme"


async def facts(memories: AsyncLessons, **filters: object) -> list[str]:
    found = await memories.list(space=SPACE, **filters)  # pyright: ignore[reportArgumentType]
    return sorted(one.fact for one in found)


async def test_what_was_said_becomes_memories_with_their_sources(
    memories: AsyncLessons, record: Record
) -> None:
    await record("s1", ["Now run the tests.", "I prefer tabs in this repo. The API runs on port 8080."])
    report = await memories.extract(space=SPACE)
    assert (report.added, report.merged, report.failed) == (2, 0, 0)
    assert await facts(memories) == ["The API runs on port 8080.", "The user prefers tabs in the shop repo."]
    (tabs,) = await memories.list(space=SPACE, category="preferences")
    assert (tabs.session, tabs.project, tabs.origin, tabs.sources) == ("s1", "/home/ana/shop", "extracted", 1)
    (source,) = await memories.sources(tabs.id, space=SPACE)
    assert (source.session, source.turn_index, source.excerpt) == ("s1", 1, "I prefer tabs in this repo.")


async def test_what_others_in_a_meeting_say_is_no_wish_of_the_user(
    memories: AsyncLessons, opened: AsyncMemory
) -> None:
    said = [("Ana", "I prefer tabs in this repo."), ("Kofi", "I prefer spaces in this repo.")]
    messages = [{"content": text, "speaker": speaker} for speaker, text in said]
    await opened.observe(messages, space=SPACE, session="meeting", user="ana")
    await memories.extract(space=SPACE, session="meeting")
    assert await facts(memories) == ["The user prefers tabs in this repo."]


async def test_health_is_a_lesson_only_where_it_was_asked_for(memories: AsyncLessons, record: Record) -> None:
    said = ["I prefer tabs and I have epilepsy.", "I'm allergic to nuts.", "Remember that I have asthma."]
    await record("s1", said)
    found = [
        finding("The user prefers tabs and has epilepsy.", 0, excerpt=said[0]),
        finding("The user has epilepsy.", 0, excerpt=said[0]),
        finding("The user is allergic to nuts.", 1, excerpt=said[1]),
        finding("The user has asthma.", 2, excerpt=said[2]),
    ]
    (done,) = (await memories.extract(space=SPACE, extractor=Scripted(1, found))).sessions
    assert done.added == 3
    assert await facts(memories) == [
        "The user has asthma.",
        "The user is allergic to nuts.",
        "The user prefers tabs",
    ]
    (tabs,) = [one for one in await memories.list(space=SPACE) if "tabs" in one.fact]
    assert [one.excerpt for one in await memories.sources(tabs.id, space=SPACE)] == ["I prefer tabs"]


async def test_reading_the_same_again_changes_nothing(
    memories: AsyncLessons, record: Record, database: Database
) -> None:
    await record("s1", ["I prefer tabs.", "Never force push to main."])
    await memories.extract(space=SPACE)
    before = await rows(database, SPACE)
    assert (await memories.extract(space=SPACE)).sessions == ()
    report = await memories.extract(space=SPACE, again=True)
    assert [(one.added, one.merged, one.removed) for one in report.sessions] == [(0, 0, 0)]
    assert await rows(database, SPACE) == before


async def test_a_session_that_went_on_is_read_again(
    memories: AsyncLessons, record: Record, opened: AsyncMemory, clock: FrozenClock
) -> None:
    await record("s1", ["I prefer tabs."])
    await memories.extract(space=SPACE)
    clock.advance(timedelta(hours=1))
    more = [{"id": "s1-9", "role": "user", "content": "Never force push to main.", "time": clock.now()}]
    await opened.observe(more, space=SPACE, session="s1")
    assert (await memories.extract(space=SPACE)).added == 1


async def test_a_better_version_reads_again_and_takes_back_what_it_does_not_find(
    memories: AsyncLessons, record: Record
) -> None:
    await record("s1", ["x", "y"])
    old = Scripted(1, [finding("The user likes x.", 0), finding("The user likes y.", 1)])
    new = Scripted(2, [finding("The user likes y.", 1), finding("The API runs on port 80.", 0, "knowledge")])
    await memories.extract(space=SPACE, extractor=old)
    report = await memories.extract(space=SPACE, extractor=new)
    assert [(one.added, one.removed) for one in report.sessions] == [(1, 1)]
    assert await facts(memories) == ["The API runs on port 80.", "The user likes y."]
    assert (await memories.extract(space=SPACE, extractor=new)).sessions == ()


async def test_what_a_person_edited_confirmed_or_archived_survives_a_new_extraction(
    memories: AsyncLessons, record: Record
) -> None:
    await record("s1", ["x", "y", "z"])
    said = [finding(f"The user likes {name}.", turn) for turn, name in enumerate("xyz")]
    await memories.extract(space=SPACE, extractor=Scripted(1, said))
    x, y, z = sorted(await memories.list(space=SPACE), key=lambda one: one.fact)
    await memories.edit(x.id, space=SPACE, fact="The user loves x.", category="context")
    await memories.confirm(y.id, space=SPACE)
    await memories.archive(z.id, space=SPACE)
    await memories.extract(space=SPACE, extractor=Scripted(2, said))
    assert await facts(memories) == ["The user likes y.", "The user loves x."]
    await memories.extract(space=SPACE, extractor=Scripted(3, []))
    assert await facts(memories) == ["The user likes y.", "The user loves x."]
    assert await facts(memories, state="archived") == ["The user likes z."]
    assert [one.sources for one in await memories.list(space=SPACE, state="all")] == [1, 1, 1]


async def test_several_sessions_that_say_the_same_are_sources_of_one_surer_memory(
    memories: AsyncLessons, record: Record
) -> None:
    await record("s1", ["I prefer tabs."], days_ago=3)
    await memories.extract(space=SPACE)
    (once,) = await memories.list(space=SPACE)
    await record("s2", ["ok, i prefer tabs!"], days_ago=2)
    report = await memories.extract(space=SPACE)
    (twice,) = await memories.list(space=SPACE)
    assert (report.added, report.merged, twice.sources) == (0, 1, 2)
    assert twice.id == once.id
    assert twice.confidence > once.confidence
    assert twice.happened_at > once.happened_at


async def test_two_projects_have_memories_of_their_own(memories: AsyncLessons, record: Record) -> None:
    await record("s1", ["The API runs on port 8080."], project="/a")
    await record("s2", ["The API runs on port 8080."], project="/b")
    await memories.extract(space=SPACE)
    assert sorted(one.project for one in await memories.list(space=SPACE)) == ["/a", "/b"]


async def test_a_later_fact_that_says_otherwise_lowers_the_earlier_one(
    memories: AsyncLessons, record: Record
) -> None:
    await record("s1", ["The API runs on port 8080."], days_ago=2)
    await record("s2", ["The API runs on port 9090."], days_ago=1)
    await memories.extract(space=SPACE)
    new, old = await memories.list(space=SPACE)
    assert (new.fact, old.fact) == ("The API runs on port 9090.", "The API runs on port 8080.")
    assert list(old.contradicted_by) == [new.id]
    assert old.confidence < new.confidence / 2
    await memories.archive(new.id, space=SPACE)
    (alone,) = await memories.list(space=SPACE)
    assert not alone.contradicted_by
    assert alone.confidence > old.confidence


async def test_what_is_said_again_after_it_was_archived_comes_back(
    memories: AsyncLessons, record: Record, clock: FrozenClock, opened: AsyncMemory
) -> None:
    await record("s1", ["I prefer tabs."])
    await memories.extract(space=SPACE)
    (tabs,) = await memories.list(space=SPACE)
    await memories.archive(tabs.id, space=SPACE)
    clock.advance(timedelta(days=2))
    await record("s2", ["I prefer tabs."], days_ago=-1)
    await memories.extract(space=SPACE)
    (back,) = await memories.list(space=SPACE)
    assert back.id == tabs.id
    assert [hit.text for hit in await opened.recall("tabs", space=SPACE, kinds=["lesson"])] == [back.fact]


async def test_a_subagent_is_not_a_person(memories: AsyncLessons, record: Record) -> None:
    await record("agent", ["I prefer tabs."], parent="s1")
    assert (await memories.extract(space=SPACE)).sessions == ()


async def test_what_a_resumed_session_copied_is_no_second_source(
    memories: AsyncLessons, record: Record, opened: AsyncMemory
) -> None:
    await record("s1", ["I prefer tabs."])
    await record("s2", ["hello"])
    copy = [{"id": "s1-0", "role": "user", "content": "I prefer tabs."}]
    await opened.observe(copy, space=SPACE, session="s2")
    await memories.extract(space=SPACE)
    (tabs,) = await memories.list(space=SPACE)
    assert (tabs.session, tabs.sources) == ("s1", 1)


async def test_a_session_that_cannot_be_read_is_noted_and_tried_again(
    memories: AsyncLessons, record: Record, database: Database
) -> None:
    await record("bad", ["boom"], days_ago=2)
    await record("good", ["x"], days_ago=1)

    class Failing(Scripted):
        async def extract(self, turns: Sequence[SessionTurn], *, project: str | None = None) -> Extraction:
            if turns[0].text == "boom":
                raise QuipuError("no answer, password=hunter2hunter2")
            return await super().extract(turns, project=project)

    report = await memories.extract(space=SPACE, extractor=Failing(1, [finding("The user likes x.", 0)]))
    assert [(one.session, one.status) for one in report.sessions] == [("bad", "failed"), ("good", "done")]
    async with database.transaction(SPACE) as tx:
        assert tx is not None
        done = await tx.conn.execute(
            "select id, memories_extracted, extraction_status, extraction_error"
            " from transcripts.sessions order by id"
        )
        bad, good = await done.fetchall()
    assert bad[1:3] == (0, "failed")
    assert good[1:3] == (1, "done")
    assert "hunter2" not in bad[3]
    assert bad[3].startswith("no answer")
    again = await memories.extract(space=SPACE, extractor=Scripted(1, []))
    assert [one.session for one in again.sessions] == ["bad"]


async def test_an_answer_that_was_partly_unfounded_is_partial(memories: AsyncLessons, record: Record) -> None:
    await record("s1", ["x"])
    scripted = Scripted(1, [finding("The user likes x.", 0)], dropped=2)
    (one,) = (await memories.extract(space=SPACE, extractor=scripted)).sessions
    assert (one.status, one.dropped, one.added) == ("partial", 2, 1)


async def test_what_was_read_to_the_end_outlives_a_reading_that_was_cut_off(
    memories: AsyncLessons, record: Record
) -> None:
    await record("s1", ["x", "y"])
    both = [finding("The user likes x.", 0), finding("The user likes y.", 1)]
    await memories.extract(space=SPACE, extractor=Scripted(1, both))
    cut = Scripted(2, both[:1], error="The tokens of today are used up.")
    (one,) = (await memories.extract(space=SPACE, extractor=cut)).sessions
    assert (one.status, one.removed, one.error) == ("partial", 0, "The tokens of today are used up.")
    assert len(await memories.list(space=SPACE)) == 2
    assert len((await memories.extract(space=SPACE, extractor=Scripted(2, both))).sessions) == 1
    assert (await memories.extract(space=SPACE, extractor=Scripted(2, both))).sessions == ()


async def test_a_language_model_is_asked_by_its_name(memories: AsyncLessons, record: Record) -> None:
    await record("s1", ["x"])
    with pytest.raises(ConfigError, match="No language model"):
        await memories.extract(space=SPACE, extractor="llm")
    with pytest.raises(BadInput, match="rules, llm"):
        await memories.extract(space=SPACE, extractor="magic")


async def test_what_a_language_model_quotes_is_kept(memories: AsyncLessons, record: Record) -> None:
    await record("s1", ["Tabs, please."])
    fact = {"fact": "The user prefers tabs.", "category": "preferences", "confidence": 0.9, "turn": 0}
    model = ScriptedLLM([{"facts": [{**fact, "excerpt": "Tabs, please"}, {**fact, "excerpt": "Spaces"}]}])
    (one,) = (await memories.extract(space=SPACE, extractor=RemoteExtractor(model))).sessions
    assert (one.status, one.added, one.dropped) == ("partial", 1, 1)


async def test_secrets_are_cut_out_before_they_are_written(memories: AsyncLessons, record: Record) -> None:
    await record("s1", ["x"])
    key = "ghp_" + "a1B2" * 9
    said = Scripted(1, [finding(f"The token is {key}.", 0, "knowledge", excerpt=f"token {key}")])
    report = await memories.extract(space=SPACE, extractor=said)
    (one,) = await memories.list(space=SPACE)
    (source,) = await memories.sources(one.id, space=SPACE)
    assert key not in one.fact + source.excerpt
    assert sum(report.redacted.values()) == 1


async def test_only_the_sessions_that_were_asked_for_are_read(memories: AsyncLessons, record: Record) -> None:
    await record("old", ["I prefer tabs."], days_ago=30)
    await record("new", ["Never force push to main."], days_ago=1)
    since = await memories.extract(space=SPACE, since="2026-05-01T00:00:00Z")
    assert [one.session for one in since.sessions] == ["new"]
    one = await memories.extract(space=SPACE, session="old")
    assert [one.session for one in one.sessions] == ["old"]
    with pytest.raises(NotFound, match="no session 'none'"):
        await memories.extract(space=SPACE, session="none")


async def test_what_is_left_is_counted_and_read_the_next_time(memories: AsyncLessons, record: Record) -> None:
    for number in range(3):
        await record(f"s{number}", ["I prefer tabs."], days_ago=3 - number)
    steps: list[tuple[int, int]] = []
    first = await memories.extract(
        space=SPACE, limit=2, progress=lambda done, all_: steps.append((done, all_))
    )
    assert (len(first.sessions), first.left, steps) == (2, 1, [(1, 2), (2, 2)])
    assert len((await memories.extract(space=SPACE)).sessions) == 1


async def test_forgetting_a_session_takes_its_memories_and_their_entries(
    memories: AsyncLessons, record: Record, opened: AsyncMemory
) -> None:
    await record("s1", ["I prefer tabs.", "Never force push to main."])
    await record("s2", ["I prefer tabs."])
    await memories.extract(space=SPACE)
    await opened.forget(space=SPACE, session="s1", confirm=True)
    assert await facts(memories) == ["The user prefers tabs."]
    found = await opened.recall("push to main", space=SPACE, kinds=["lesson"])
    assert not [hit for hit in found if "push" in hit.text]
