"""What is observed for later is stored at once; the next recall finds it as if it had been indexed then."""

from __future__ import annotations

from typing import Any

import anyio
import psycopg
import pytest

from quipu import AsyncMemory, acting_for
from quipu.errors import AccessRefused, BadInput, Conflict
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.upkeep.consistency import examine

pytestmark = pytest.mark.anyio
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
TALK = [
    {"content": "Where is the boat?", "role": "user", "speaker": "ana", "time": "2026-03-01T10:00Z"},
    {"content": "In Horta.", "role": "assistant", "time": "2026-03-01T10:01Z"},
    {"content": "And the spare anchor?", "role": "user", "speaker": "ana", "time": "2026-03-01T10:02Z"},
    {"content": "Under the bench in the shed.", "role": "assistant", "time": "2026-03-01T10:03Z"},
]
LATER: dict[str, Any] = {"space": "ana", "session": "s", "index": "later"}
_ENTRIES = """
select e.id & 16777215, e.happened_at, e.by_user, e.asks, e.words, e.tokens, e.mixed_tokens, e.from_previous,
    e.from_before, e.from_next, e.terms, e.language, n.name
from core.recall_entries e
join core.spaces s on s.id = e.space_id
left join core.recall_names n on n.space_id = e.space_id and n.id = e.speaker
where s.name = %s and e.kind = 1 order by e.id
"""


def entries(url: str, space: str = "ana") -> list[tuple[Any, ...]]:
    with psycopg.connect(url) as conn:
        return conn.execute(_ENTRIES, [space]).fetchall()


async def sound(database: Database) -> None:
    assert await examine(database) == []


async def test_the_next_recall_of_any_process_finds_it(
    memory: AsyncMemory, settings: Settings, database: Database, url: str
) -> None:
    for message in TALK:  # the first finds no session
        await memory.observe([message], **LATER)
    assert entries(url) == []
    await sound(database)
    assert [one.content for one in await memory.messages("s", space="ana")] == [m["content"] for m in TALK]
    async with AsyncMemory(settings=settings) as other:
        hits = await other.recall("Where is the boat?", space="ana", limit=4)
    assert {hit.text for hit in hits} == {m["content"] for m in TALK}
    await memory.observe(TALK, space="now", session="s")
    assert entries(url) == entries(url, "now")
    await sound(database)


async def test_messages_of_several_sessions_and_of_none_wait_too(
    memory: AsyncMemory, database: Database
) -> None:
    said = [{"content": f"The {name} is red.", "session": name} for name in ("boat", "car", "boat")]
    await memory.observe([*said, {"content": "The kite is red."}], space="ana", index="later")
    await memory.observe([{"content": "The kite is torn."}], space="ana", index="later")
    assert await memory.transcripts.waiting(space="ana") == 5
    hits = await memory.recall("red", space="ana", limit=9)
    assert {hit.text for hit in hits} >= {"The boat is red.", "The car is red.", "The kite is red."}
    await sound(database)


async def test_a_batch_is_in_the_order_of_time(memory: AsyncMemory) -> None:
    await memory.observe([{"content": "Begin.", "time": "2026-03-01T09:00Z"}], **LATER)
    await memory.observe(list(reversed(TALK)), **LATER)
    assert [one.content for one in await memory.messages("s", space="ana")] == [
        "Begin.",
        *(m["content"] for m in TALK),
    ]


async def test_an_id_is_stored_once(memory: AsyncMemory) -> None:
    said = [{"content": "The boat is in Horta.", "id": "m1"}]
    for imported, duplicates in ((1, 0), (0, 1)):
        report = await memory.observe(said, **LATER)
        assert (report.imported, report.duplicates) == (imported, duplicates)
    with pytest.raises(Conflict):
        await memory.observe([{"content": "The boat is in Faial.", "id": "m1"}], **LATER)


async def test_secrets_are_cut_before_the_first_write(memory: AsyncMemory, url: str) -> None:
    item = {"role": "user", "content": f"My token is {SECRET}."}
    for session, verbatim in (("s", None), ("raw", True)):
        for keeps in (verbatim, None):  # the second is of a session that is known
            report = await memory.observe(
                [{"item": item}], space="ana", session=session, verbatim=keeps, index="later"
            )
            assert report.redacted
        kept = await memory.messages(session, space="ana")
        assert [one.item == item for one in kept] == [bool(verbatim)] * 2
    with psycopg.connect(url) as conn:
        rows = conn.execute("select content, redacted from core.messages").fetchall()
        assert not any(SECRET in content for content, _ in rows)
        assert {redacted for _, redacted in rows} == {1}


async def test_recalled_memory_is_not_taken_in_again(memory: AsyncMemory) -> None:
    await memory.observe(TALK, **LATER)
    block = await memory.recall_block("boat", budget_tokens=200, space="ana")
    report = await memory.observe([{"content": block.text}, {"content": "Thank you."}], **LATER)
    assert (report.imported, report.echoes) == (1, 1)


async def test_rules_and_names_are_kept_at_once(memory: AsyncMemory, database: Database) -> None:
    await memory.observe(TALK, **LATER)
    said = [
        {"content": "From now on always answer in French.", "role": "user"},
        {"content": "My nickname is Nika.", "role": "user", "speaker": "ana"},
    ]
    for message in said:
        await memory.observe([message], **LATER)
    assert [rule.text for rule in await memory.rules.list(space="ana")] == [said[0]["content"]]
    assert [(one.alias, one.name) for one in await memory.aliases.list(space="ana")] == [("Nika", "ana")]
    await sound(database)


async def test_a_statement_is_linked_with_one_that_waits(memory: AsyncMemory, database: Database) -> None:
    said = {"role": "user", "speaker": "ana", "user": "ana"}
    older = {"content": "I live in Porto with my cat.", "time": "2026-03-01", **said}
    newer = {"content": "I moved: I no longer live in Porto, I live in Lisbon now.", "id": "new", **said}
    await memory.observe([older], **LATER)
    await memory.observe([newer], space="ana", session="t", index="later")
    (link,) = await memory.relations("new", space="ana")
    assert link.older.text == older["content"]
    await sound(database)


@pytest.mark.parametrize("is_filed", [False, True])
async def test_what_waits_can_be_taken_back_and_put_back(
    memory: AsyncMemory, database: Database, url: str, *, is_filed: bool
) -> None:
    await memory.observe(TALK, **LATER)
    if is_filed:
        await memory.recall("boat", space="ana")
    taken = await memory.take_last("s", space="ana")
    assert taken is not None
    assert taken.content == TALK[-1]["content"]
    await sound(database)
    assert await memory.transcripts.waiting(space="ana") == (0 if is_filed else 3)
    assert taken.content not in {hit.text for hit in await memory.recall("bench", space="ana", limit=9)}
    assert len(entries(url)) == 3
    await memory.restore(taken.id, space="ana", session="s")
    assert taken.content in {hit.text for hit in await memory.recall("bench", space="ana", limit=9)}
    await memory.observe(TALK, space="now", session="s")
    assert entries(url) == entries(url, "now")
    await memory.observe([{"content": "Good."}], **LATER)
    assert await memory.clear("s", space="ana") == 5
    assert entries(url) == []
    await sound(database)


async def test_what_waits_is_forgotten(memory: AsyncMemory, database: Database) -> None:
    await memory.observe([{**m, "user": "ana"} for m in TALK], **LATER)
    await memory.forget(space="ana", user="ana", confirm=True)
    assert await memory.transcripts.waiting(space="ana") == 0
    assert len(await memory.recall("boat", space="ana")) == 0
    await sound(database)


async def test_a_worker_files_before_it_reads(memory: AsyncMemory, url: str) -> None:
    await memory.observe(TALK, **LATER)
    await memory.work()
    assert len(entries(url)) == len(TALK)
    assert await memory.transcripts.waiting(space="ana") == 0


async def test_who_acts_for_one_person_leaves_messages_in_their_own_session(
    memory: AsyncMemory, database: Database
) -> None:
    await memory.observe([{"content": "The boat is Eve's.", "user": "eve"}], **{**LATER, "session": "eve"})
    with acting_for("ana"):
        for _ in range(2):
            await memory.observe(TALK, **LATER)
        with pytest.raises(AccessRefused):
            await memory.observe(TALK, **{**LATER, "session": "eve"})
        hits = await memory.recall("boat", space="ana", limit=9)
    assert hits
    assert "The boat is Eve's." not in {hit.text for hit in hits}
    await sound(database)


async def test_who_adds_takes_and_recalls_at_once_loses_nothing(
    memory: AsyncMemory, database: Database, url: str
) -> None:
    taken: list[str] = []

    async def add(worker: int) -> None:
        for number in range(12):
            session = "both" if worker % 2 else f"s{worker}"
            await memory.observe(
                [{"content": f"line {worker}-{number}"}], space="ana", session=session, index="later"
            )
            if number % 4 == 3:
                one = await memory.take_last("both", space="ana")
                taken.extend([] if one is None else [one.content])

    async def ask() -> None:
        for _ in range(6):
            await memory.recall("line", space="ana")

    async with anyio.create_task_group() as tasks:
        for worker in range(4):
            tasks.start_soon(add, worker)
        tasks.start_soon(ask)
    await sound(database)
    await memory.recall("line", space="ana")
    assert len(taken) == len(set(taken))
    assert len(entries(url)) == 48 - len(taken)
    await sound(database)


async def test_another_word_is_refused(memory: AsyncMemory) -> None:
    with pytest.raises(BadInput, match="none of now, later"):
        await memory.observe(TALK, space="ana", index="never")  # pyright: ignore[reportArgumentType]
