"""Conversations are read by a worker: exchanges, modes, threads, topics; and forgotten."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from quipu import AsyncMemory
from quipu.errors import BadInput, NotFound
from quipu.kernel.base.clock import FrozenClock
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kernel.queue.outbox import put
from quipu.kinds.episodes.conversations.model import Exchange
from quipu.kinds.episodes.queues import CHUNKER

pytestmark = pytest.mark.anyio
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
CONVERSATION = [
    ("user", "I moved to Porto and I want to grow tomatoes on the balcony.", 0),
    ("assistant", "Which way does the balcony face?", 1),
    ("user", "South. I'll buy tomato pots on Saturday.", 2),
    ("assistant", "Got it!", 2),
    ("user", "By the way, the laptop crashes whenever the spreadsheet opens.", 3),
    ("tool", "laptop: out of memory", 3),
    ("assistant", "The laptop runs out of memory when the spreadsheet opens.", 4),
]


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(NOON + timedelta(hours=1))


@pytest.fixture
async def talk(settings: Settings, clock: FrozenClock) -> AsyncIterator[AsyncMemory]:
    async with AsyncMemory(settings=settings, clock=clock) as opened:
        yield opened


def said(*turns: tuple[str, str, int], start: datetime = NOON, prefix: str = "m") -> list[dict[str, object]]:
    return [
        {"id": f"{prefix}{n}", "role": role, "content": text, "time": start + timedelta(minutes=minute)}
        for n, (role, text, minute) in enumerate(turns)
    ]


async def tell(memory: AsyncMemory, *turns: tuple[str, str, int], session: str = "s", **more: object) -> None:
    start = more.pop("start", NOON)
    assert isinstance(start, datetime)
    messages = said(*turns, start=start, prefix=str(more.pop("prefix", "m")))
    await memory.observe(messages, space="a", session=session, user=str(more.pop("user", "ana")))


async def work(memory: AsyncMemory) -> None:
    done = await memory.work(topics=[CHUNKER])
    assert done.failed == 0


async def exchanges(memory: AsyncMemory, session: str = "s") -> list[Exchange]:
    return list((await memory.conversations.get(session, space="a")).exchanges)


async def test_exchanges_are_formed_read_and_placed(talk: AsyncMemory) -> None:
    await tell(talk, *CONVERSATION)
    await work(talk)
    shown = await talk.conversations.get("s", space="a")
    assert [list(one.messages) for one in shown.exchanges] == [["m0", "m1"], ["m2", "m3"], ["m4", "m5", "m6"]]
    assert [one.mode for one in shown.messages] == [None, "CLARIFY", None, "ACKNOWLEDGE", None, None, "ACT"]
    first = shown.exchanges[0].chunk
    assert first is not None
    assert {"key": "home", "value": "Porto", "confidence": 0.9} in first["facts"]
    second = shown.exchanges[1].chunk
    assert second is not None
    assert [gist["type"] for gist in second["gists"]] == ["commitment"]
    assert {one.thread for one in shown.exchanges} == {"session:s:1"}
    garden, again, laptop = (one.topic for one in shown.exchanges)
    assert garden == again != laptop
    assert shown.conversation.user == "ana"
    assert shown.conversation.topic == laptop
    assert shown.conversation.title == CONVERSATION[0][1]


async def test_reading_leaves_jobs_for_episodes_and_loops(talk: AsyncMemory, url: str) -> None:
    await tell(talk, *CONVERSATION)
    await work(talk)
    with psycopg.connect(url) as conn:
        waiting = conn.execute(
            "select topic, key, payload from core.outbox where topic like 'epis%' order by topic"
        ).fetchall()
    assert [(topic, key, payload["session"]) for topic, key, payload in waiting] == [
        ("episodes-extraction", "s", "s"),
        ("episodic_memory", "s", "s"),
    ]


async def test_what_comes_later_is_read_later_and_nothing_twice(talk: AsyncMemory) -> None:
    for n, turn in enumerate(CONVERSATION):
        await tell(talk, turn, prefix=f"n{n}-")
        await work(talk)
    piecewise = await exchanges(talk)
    await tell(talk, *CONVERSATION, session="whole")
    await work(talk)
    assert [len(one.messages) for one in piecewise] == [2, 2, 3]
    whole = await exchanges(talk, "whole")
    assert [one.chunk for one in piecewise] == [one.chunk for one in whole]
    (thread,) = await talk.conversations.threads(space="a", session="s")
    assert thread.exchanges == 3


async def test_what_is_not_answered_waits_until_it_is_quiet(talk: AsyncMemory, clock: FrozenClock) -> None:
    await tell(talk, ("user", "Is anybody there on the boat?", 59))
    await work(talk)
    assert await exchanges(talk) == []
    clock.advance(timedelta(minutes=10))
    await work(talk)
    (unanswered,) = await exchanges(talk)
    await tell(talk, ("assistant", "Here I am.", 80), prefix="late")
    await work(talk)
    (answered,) = await exchanges(talk)
    assert answered.id == unanswered.id
    assert list(answered.messages) == ["m0", "late0"]


async def test_a_late_answer_does_not_change_an_exchange_that_an_episode_has(talk: AsyncMemory) -> None:
    await tell(talk, *CONVERSATION[:2])
    await work(talk)
    assert len((await talk.episodes.condense(space="a")).episodes) == 1
    await tell(talk, ("assistant", "By the way, the shop closes at six.", 9), prefix="late")
    await work(talk)
    assert [list(one.messages) for one in await exchanges(talk)] == [["m0", "m1"], ["late0"]]


async def test_threads_go_on_are_resumed_and_end(talk: AsyncMemory, clock: FrozenClock) -> None:
    for hours, session in ((0, "web:7:mon"), (1, "web:7:mon"), (9, "web:7:tue")):
        turns = [(role, text, minute + 60 * hours) for role, text, minute in CONVERSATION[:2]]
        await tell(talk, *turns, session=session, prefix=f"h{hours}-")
        await work(talk)  # at once: two sessions that wait are read in any order
    later, earlier = await talk.conversations.threads(space="a", session="web:7:mon")
    assert (earlier.name, earlier.exchanges, earlier.resumed, earlier.state) == ("web:7:1", 2, 1, "ended")
    assert (later.name, later.exchanges, later.continued_from) == ("web:7:2", 1, "web:7:1")
    clock.advance(timedelta(hours=8, minutes=5))
    assert (await talk.conversations.threads(space="a"))[0].state == "active"
    assert await talk.conversations.threads(space="a", user="bob") == []


async def test_sessions_of_one_channel_that_are_read_at_once_share_their_threads(talk: AsyncMemory) -> None:
    for n in range(6):
        await tell(talk, *CONVERSATION[:4], session=f"web:7:{n}")
    done = await talk.work(topics=[CHUNKER], concurrency=6)
    assert done.dead == 0
    (thread,) = await talk.conversations.threads(space="a")
    assert thread.exchanges == 12
    assert sum(topic.messages for topic in await talk.conversations.topics(space="a")) == 12


async def test_a_thread_of_several_people_belongs_to_none(talk: AsyncMemory) -> None:
    await tell(talk, *CONVERSATION[:2], session="web:7:a", user="ana")
    await work(talk)
    assert (await talk.conversations.threads(space="a"))[0].user == "ana"
    await tell(talk, *CONVERSATION[2:4], session="web:7:b", user="bob")
    await work(talk)
    (thread,) = await talk.conversations.threads(space="a")
    assert (thread.user, thread.exchanges) == (None, 2)


async def test_one_persons_words_do_not_name_what_another_talks_of(talk: AsyncMemory) -> None:
    await tell(talk, *CONVERSATION[:4], session="one", user="ana")
    await tell(talk, *CONVERSATION[:4], session="two", user="bob")
    await work(talk)
    topics = await talk.conversations.topics(space="a")
    assert {topic.user for topic in topics} == {"ana", "bob"}
    assert [topic.user for topic in await talk.conversations.topics(space="a", user="bob")] == ["bob"]


async def test_bad_messages_do_not_stop_a_conversation(talk: AsyncMemory) -> None:
    turns = [("user", "🙂🙂", 0), ("assistant", "!", 0), ("user", "I bought a boat. " * 60_000, 1)]
    turns += [("assistant", "ok", 1), ("user", "password=hunter2secret!", 2), ("assistant", "…", 2)]
    turns += [("user", "I decided to sell the boat.", 3), ("assistant", "ok", 3)]
    await tell(talk, *turns)
    await work(talk)
    found = await exchanges(talk)
    assert len(found) == 4
    last = found[-1].chunk
    assert last is not None
    assert [gist["type"] for gist in last["gists"]] == ["decision"]


async def test_a_job_without_a_session_is_given_up_and_says_why(
    talk: AsyncMemory, database: Database, url: str
) -> None:
    async with database.write("a") as tx:
        await put(tx, CHUNKER, {"sesion": "s"}, key="bad")
        await put(tx, CHUNKER, {"session": "nowhere"}, key="gone")
    done = await talk.work(topics=[CHUNKER])
    assert (done.done, done.failed) == (1, 1)
    with psycopg.connect(url) as conn:
        (error,) = conn.execute("select error from core.outbox where key = 'bad'").fetchone() or ("",)
    assert "the job names no session" in error


async def test_a_long_session_is_read_page_by_page(talk: AsyncMemory) -> None:
    turns = [(role, f"{text} {n}", n) for n in range(180) for role, text, _ in CONVERSATION[:2]]
    await tell(talk, *turns)
    await work(talk)
    assert len(await exchanges(talk)) == 180


async def test_title_topic_and_status_are_set_and_deletion_is_undone(talk: AsyncMemory) -> None:
    await tell(talk, *CONVERSATION[:2])
    await work(talk)
    changed = await talk.conversations.edit("s", space="a", title="The balcony", topic="garden")
    assert (changed.title, changed.topic, changed.status) == ("The balcony", "garden", "active")
    assert (await talk.conversations.edit("s", space="a", status="deleted")).status == "deleted"
    assert await talk.conversations.list(space="a") == []
    await tell(talk, *CONVERSATION[2:4], prefix="more")
    await work(talk)
    assert len(await exchanges(talk)) == 1
    assert (await talk.conversations.unarchive("s", space="a")).title == "The balcony"
    await work(talk)
    assert len(await exchanges(talk)) == 2
    assert [one.session for one in await talk.conversations.list(space="a", topic="garden")] == ["s"]


@pytest.mark.parametrize(
    "given",
    [{}, {"title": " "}, {"topic": "x" * 201}, {"status": "gone"}],
    ids=["none", "blank", "long", "status"],
)
async def test_a_change_that_cannot_be_is_refused(talk: AsyncMemory, given: dict[str, str]) -> None:
    with pytest.raises(BadInput):
        await talk.conversations.edit("s", space="a", **given)  # type: ignore[arg-type]


async def test_a_conversation_that_is_not_there_is_named(talk: AsyncMemory) -> None:
    for call in (talk.conversations.get, talk.conversations.archive):
        with pytest.raises(NotFound, match="nowhere"):
            await call("nowhere", space="a")
    assert await talk.conversations.list(space="nothing") == []


async def test_exchanges_are_read_anew_with_the_same_ids(talk: AsyncMemory, url: str) -> None:
    await tell(talk, *CONVERSATION)
    await work(talk)
    before = await exchanges(talk)
    with psycopg.connect(url) as conn:
        conn.execute("update episodes.exchanges set chunk = '{}', chunker = 'older', chunk_trouble = 'x'")
    assert await talk.conversations.reread(space="a") == 1
    await work(talk)
    after = await exchanges(talk)
    assert after == before


async def test_a_person_is_forgotten_with_everything(talk: AsyncMemory, url: str) -> None:
    await tell(talk, *CONVERSATION, session="web:7")
    await talk.conversations.prompt("And the balcony?", space="a", session="web:7", user="ana")
    await work(talk)
    await talk.conversations.edit("web:7", space="a", title="Tomatoes")
    await talk.forget(space="a", user="ana", confirm=True)
    with psycopg.connect(url) as conn:
        for table in ("exchanges", "threads", "topics", "conversation_details", "progress", "prompts"):
            query = psycopg.sql.SQL("select count(*) from {}").format(
                psycopg.sql.Identifier("episodes", table)
            )
            assert conn.execute(query).fetchone() == (0,), table
        assert conn.execute("select count(*) from core.outbox").fetchone() == (0,)


async def test_an_exchange_that_loses_a_message_is_read_anew_from_what_is_left(talk: AsyncMemory) -> None:
    await tell(talk, *CONVERSATION[:4])
    await work(talk)
    await talk.forget(space="a", message="m2", confirm=True)
    kept, emptied = await exchanges(talk)
    assert kept.chunk is not None
    assert emptied.chunk is None
    await work(talk)
    _, left = await exchanges(talk)
    assert left.chunk is not None
    assert left.chunk["gists"] == []
    assert list(left.messages) == ["m3"]


async def test_the_name_of_a_topic_does_not_outlive_the_words_it_was_made_of(talk: AsyncMemory) -> None:
    await tell(talk, ("user", "The divorce lawyer called about the divorce.", 0), ("assistant", "Oh.", 0))
    await tell(
        talk, ("user", "What does the lawyer of the firm cost?", 1), ("assistant", "Much.", 1), prefix="n"
    )
    await work(talk)
    (topic,) = await talk.conversations.topics(space="a")
    assert "divorce" in topic.name
    await talk.forget(space="a", message="m0", confirm=True)
    (left,) = await talk.conversations.topics(space="a")
    assert left.id == topic.id
    assert "divorce" not in left.name
    assert "divorce" not in left.words


async def test_spaces_do_not_share_threads_or_topics(talk: AsyncMemory) -> None:
    await tell(talk, *CONVERSATION[:4], session="web:7")
    await talk.observe(said(*CONVERSATION[:4]), space="b", session="web:7", user="ana")
    await work(talk)
    for space in ("a", "b"):
        (thread,) = await talk.conversations.threads(space=space)
        assert (thread.name, thread.exchanges) == ("web:7:1", 2)


async def test_a_space_changes_its_model_and_topics_go_on(settings: Settings) -> None:
    """A centre of another model is not held against vectors of this one; words carry the topic over."""
    async with AsyncMemory(settings=replace(settings, embedding_model="hashing")) as memory:
        await tell(memory, *CONVERSATION[:4])
        await work(memory)
        with psycopg.connect(settings.database_url or "") as conn:
            conn.execute("update episodes.topics set generation = 99, centroid = '[1,0,0]'")
        await tell(memory, ("user", "Do tomato pots on a balcony need much sun?", 3), prefix="n")
        await tell(memory, ("assistant", "Six hours.", 4), prefix="o")
        await work(memory)
        (topic,) = await memory.conversations.topics(space="a")
        assert topic.messages == 3
