"""Messages as they came: kept whole, in order, taken back and put back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import anyio
import psycopg
import pytest

from quipu import AsyncMemory
from quipu.errors import BadInput, Conflict, NotFound
from quipu.kernel.db.database import Database
from quipu.record.removal import drop_old
from quipu.upkeep.consistency import examine

pytestmark = pytest.mark.anyio
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
CALL = {
    "type": "function_call",
    "call_id": "c1",
    "name": "weather",
    "arguments": '{"city":"Rome"}',
    "id": "f1",
}
OUTPUT = {"type": "function_call_output", "call_id": "c1", "output": "Rain and thunder in Rome."}
SAID = {"role": "user", "content": "What is the weather in Rome?"}
REPLY = {
    "type": "message",
    "role": "assistant",
    "content": [{"type": "output_text", "text": "It rains there."}],
}
ITEMS: list[dict[str, Any]] = [SAID, CALL, OUTPUT, REPLY]


async def items_of(memory: AsyncMemory, session: str = "s") -> list[Any]:
    return [one.item for one in await memory.messages(session, space="ana")]


async def sound(database: Database) -> None:
    assert await examine(database) == []


async def test_items_come_back_as_they_came_and_in_their_order(memory: AsyncMemory) -> None:
    strange = {"z": 1.0, "a": 1e23, "text": "half \ud800 and \0", "n": [None, True, -0.5, 10**30]}
    given = [*ITEMS, strange]
    report = await memory.observe([{"item": one} for one in given], space="ana", session="s")
    assert report.imported == len(given)
    back = await memory.messages("s", space="ana")
    assert [one.item for one in back] == given
    assert [list(one.item or {}) for one in back] == [list(one) for one in given]
    assert [type(one.item["z"]) for one in back if one.item and "z" in one.item] == [float]
    assert [one.role for one in back] == ["user", "assistant", "tool", "assistant", "user"]
    assert [one.content for one in back] == [
        "What is the weather in Rome?",
        "",
        "Rain and thunder in Rome.",
        "It rains there.",
        "",
    ]


async def test_a_message_without_text_keeps_its_place_and_is_not_indexed(
    memory: AsyncMemory, database: Database
) -> None:
    await memory.observe([{"item": CALL}], space="ana", session="s")
    await memory.observe([{"item": one} for one in ITEMS], space="ana", session="s")
    await memory.observe([{"item": CALL, "id": "x"}, {"item": CALL}], space="ana")
    assert await items_of(memory) == [CALL, *ITEMS]
    assert (await memory.sessions(space="ana"))[0].messages == 5
    hits = await memory.recall("weather in Rome", space="ana", limit=100)
    assert {hit.text for hit in hits} == {SAID["content"], OUTPUT["output"], "It rains there."}
    await sound(database)


async def test_metadata_comes_back_with_messages_and_hits(memory: AsyncMemory) -> None:
    metadata = {"agent_id": "planner", "rank": 3, "tags": ["a"]}
    await memory.observe(
        [{"content": "The boat is green.", "metadata": metadata}, {"content": "Plain."}],
        space="ana",
        session="s",
    )
    assert [one.metadata for one in await memory.messages("s", space="ana")] == [metadata, {}]
    assert (await memory.recall("boat", space="ana"))[0].metadata == metadata


async def test_any_role_is_kept_and_is_neither_user_nor_assistant(
    memory: AsyncMemory, database: Database
) -> None:
    await memory.observe(
        [{"role": "critic", "content": "From now on always answer in French."}], space="ana", session="s"
    )
    assert [one.role for one in await memory.messages("s", space="ana")] == ["critic"]
    assert await memory.rules.list(space="ana") == []
    await sound(database)


@pytest.mark.parametrize(
    ("message", "field"),
    [
        ({"item": {"a": float("nan")}}, "item"),
        ({"item": [1]}, "item"),
        ({"item": {"a": "x" * 16 * 1024 * 1024}}, "item"),
        ({"content": "x", "metadata": "a"}, "metadata"),
        ({"content": "x", "metadata": {"a": float("inf")}}, "metadata"),
        ({"content": "x", "role": "r" * 65}, "role"),
        ({"content": ""}, "content"),
    ],
)
async def test_what_cannot_be_kept_is_refused_by_its_field(
    memory: AsyncMemory, message: dict[str, Any], field: str
) -> None:
    with pytest.raises(BadInput) as refused:
        await memory.observe([{"content": "fine"}, message], space="ana", session="s")
    assert refused.value.field == f"messages[1].{field}"
    assert await memory.messages("s", space="ana") == []


async def test_secrets_are_cut_out_of_items_unless_the_session_is_verbatim(memory: AsyncMemory) -> None:
    item = {"type": "function_call", "arguments": f"use {SECRET}"}
    said = {"role": "user", "content": f"My token is {SECRET} indeed."}
    report = await memory.observe([{"item": item}, {"item": said}], space="ana", session="s")
    assert sum(report.redacted.values()) == 2
    assert SECRET not in str(await memory.messages("s", space="ana"))
    report = await memory.observe([{"item": item}], space="ana", session="v", verbatim=True)
    assert report.redacted == {}
    report = await memory.observe([{"item": said, "id": "m"}], space="ana", session="v")  # it is remembered
    assert sum(report.redacted.values()) == 1
    assert await items_of(memory, "v") == [item, said]
    assert SECRET not in str([one.content for one in await memory.messages("v", space="ana")])
    assert SECRET not in str(await memory.recall("token", space="ana"))
    assert (await memory.observe([{"item": said, "id": "m"}], space="ana", session="v")).duplicates == 1
    await memory.observe([{"item": item}], space="ana", session="v", verbatim=False)
    assert SECRET not in str((await items_of(memory, "v"))[-1])


async def test_recalled_memory_in_an_item_stays_there_and_is_not_indexed(memory: AsyncMemory) -> None:
    await memory.observe([{"content": "The boat is green."}], space="ana", session="s")
    block = (await memory.recall_block("boat", space="ana", budget_tokens=500)).text
    item = {"role": "user", "content": block}
    report = await memory.observe([{"item": item}], space="ana", session="t")
    assert (report.imported, report.echoes) == (1, 0)
    assert report.cut_characters > 0
    (back,) = await memory.messages("t", space="ana")
    assert (back.item, back.content) == (item, "")
    assert len(await memory.recall("boat", space="ana")) == 1


async def test_other_words_under_the_id_of_an_item_are_a_conflict(memory: AsyncMemory) -> None:
    await memory.observe([{"item": CALL, "id": "m"}], space="ana", session="s")
    with pytest.raises(Conflict):
        await memory.observe([{"item": {**CALL, "name": "other"}, "id": "m"}], space="ana", session="s")


async def test_messages_are_read_by_limit_and_place(memory: AsyncMemory) -> None:
    await memory.observe([{"content": f"n {n}", "id": str(n)} for n in range(6)], space="ana", session="s")

    async def ids(**wanted: Any) -> list[str]:
        return [one.id for one in await memory.messages("s", space="ana", **wanted)]

    assert await ids() == list("012345")
    assert await ids(limit=2) == list("45")
    assert await ids(after="1", limit=2) == list("23")
    assert await ids(before="4", limit=2) == list("23")
    assert await ids(after="1", before="4") == list("23")
    assert await memory.messages("t", space="ana") == await memory.messages("s", space="bo") == []
    with pytest.raises(NotFound):
        await ids(after="x")


async def test_a_message_is_read_by_its_id(memory: AsyncMemory) -> None:
    await memory.observe(
        [{"item": CALL, "id": "c"}, {"content": "Text.", "id": "t"}], space="ana", session="s"
    )
    await memory.observe([{"content": "Later.", "id": "t"}], space="ana", session="z")
    await memory.observe([{"content": "Alone.", "id": "a"}], space="ana")
    assert (await memory.message("c", space="ana")).item == CALL
    assert (await memory.message("a", space="ana")).content == "Alone."
    assert (await memory.message("t", space="ana")).content == "Later."
    assert (await memory.message("t", space="ana", session="s")).content == "Text."
    await memory.take_last("s", space="ana")
    for gone, space, session in [
        ("t", "ana", "s"),
        ("c", "ana", "z"),
        ("c", "other", None),
        ("x", "ana", None),
    ]:
        with pytest.raises(NotFound):
            await memory.message(gone, space=space, session=session)


@pytest.mark.parametrize(("space", "session"), [("ana", "none"), ("none", "s")])
async def test_a_place_in_a_session_that_is_not_there_is_refused(
    memory: AsyncMemory, space: str, session: str
) -> None:
    await memory.observe([{"content": "Text.", "id": "t"}], space="ana", session="s")
    assert await memory.messages(session, space=space) == []
    for place in ({"after": "t"}, {"before": "t"}):
        with pytest.raises(NotFound):
            await memory.messages(session, space=space, **place)


async def test_the_last_message_is_taken_from_every_read_at_once(
    memory: AsyncMemory, database: Database
) -> None:
    await memory.observe([{"item": one} for one in ITEMS], space="ana", session="s")
    before = await memory.recall("rain", space="ana", limit=100)  # the copy of this process knows them
    taken = await memory.take_last("s", space="ana")
    assert taken is not None
    assert taken.item == REPLY
    assert await items_of(memory) == ITEMS[:3]
    after = await memory.recall("rain", space="ana", limit=100)
    assert {hit.text for hit in before} - {hit.text for hit in after} == {"It rains there."}
    await sound(database)
    await memory.observe([{"content": "It snows there.", "role": "assistant"}], space="ana", session="s")
    assert [one.content for one in await memory.messages("s", space="ana", limit=1)] == ["It snows there."]
    for _ in range(4):
        assert await memory.take_last("s", space="ana") is not None
    assert await memory.take_last("s", space="ana") is None
    assert await memory.take_last("t", space="ana") is None
    assert len(await memory.recall("rain", space="ana")) == 0
    await sound(database)


async def test_callers_at_once_each_take_another_message(memory: AsyncMemory, database: Database) -> None:
    count = 40
    await memory.observe(
        [{"content": f"line {n}", "id": str(n)} for n in range(count)], space="ana", session="s"
    )
    taken: list[str] = []

    async def take() -> None:
        while (one := await memory.take_last("s", space="ana")) is not None:
            taken.append(one.id)

    async with anyio.create_task_group() as tasks:
        for _ in range(8):
            tasks.start_soon(take)
    assert sorted(taken, key=int) == [str(n) for n in range(count)]
    await sound(database)


async def test_who_adds_and_who_takes_at_once_lose_nothing(memory: AsyncMemory, database: Database) -> None:
    added = {f"m{n}-{i}" for n in range(4) for i in range(10)}
    taken: list[str] = []

    async def add(n: int) -> None:
        for i in range(10):
            await memory.observe([{"content": f"word {n} {i}", "id": f"m{n}-{i}"}], space="ana", session="s")

    async def take() -> None:
        for _ in range(8):
            if (one := await memory.take_last("s", space="ana")) is not None:
                taken.append(one.id)

    async with anyio.create_task_group() as tasks:
        for n in range(4):
            tasks.start_soon(add, n)
            tasks.start_soon(take)
    left = [one.id for one in await memory.messages("s", space="ana")]
    assert sorted([*taken, *left]) == sorted(added)
    await sound(database)


async def test_a_session_is_cleared_and_goes_on(memory: AsyncMemory, database: Database) -> None:
    await memory.observe([{"item": one} for one in ITEMS], space="ana", session="s")
    await memory.observe([{"content": "Elsewhere."}], space="ana", session="t")
    assert await memory.clear("s", space="ana") == 4
    assert await memory.clear("s", space="ana") == 0
    assert await memory.messages("s", space="ana") == []
    assert [hit.text for hit in await memory.recall("rain in Rome", space="ana")] in ([], ["Elsewhere."])
    await sound(database)
    await memory.observe([{"content": "Anew."}], space="ana", session="s")
    assert [one.content for one in await memory.messages("s", space="ana")] == ["Anew."]
    await sound(database)


async def test_what_was_taken_back_is_put_back_at_its_place(memory: AsyncMemory, database: Database) -> None:
    texts = ["Where is the boat?", "In Lisbon.", "Is it green?", "Yes."]
    await memory.observe(
        [{"content": t, "id": str(n)} for n, t in enumerate(texts)], space="ana", session="s"
    )
    await memory.take_last("s", space="ana")
    await memory.take_last("s", space="ana")
    await memory.observe([{"content": "Later.", "id": "9"}], space="ana", session="s")
    back = await memory.restore("2", space="ana")
    assert (back.id, back.content) == ("2", "Is it green?")
    assert [one.id for one in await memory.messages("s", space="ana")] == list("0129")
    assert any(hit.text == "Is it green?" for hit in await memory.recall("green", space="ana"))
    await sound(database)
    with pytest.raises(NotFound):
        await memory.restore("2", space="ana")
    await memory.observe([{"content": "Yes.", "id": "3"}], space="ana", session="s")
    with pytest.raises(Conflict):
        await memory.restore("3", space="ana", session="s")
    await sound(database)


async def test_forgetting_takes_what_was_taken_back_too(
    memory: AsyncMemory, url: str, database: Database
) -> None:
    await memory.observe([{"content": "Ana is here.", "id": "1"}], space="ana", session="s", user="ana")
    await memory.observe([{"item": {**SAID, "who": "Zoë Quist"}}], space="ana", session="t", user="bo")
    await memory.clear("s", space="ana")
    await memory.clear("t", space="ana")
    preview = await memory.forget(space="ana", user="ana")
    assert preview.counts["removed_messages"] == 1
    await memory.forget(space="ana", user="ana", names=["Zoë Quist"], everywhere=True, confirm=True)
    with pytest.raises(NotFound):
        await memory.restore("1", space="ana")
    found = await database_rows(url, "select session_id, item from core.removed_messages")
    assert len(found) == 1
    assert "[erased]" in found[0][1]
    await memory.forget(space="ana", session="t", confirm=True)
    assert await database_rows(url, "select 1 from core.removed_messages") == []
    await sound(database)


async def test_a_name_that_is_forgotten_everywhere_goes_from_items_and_metadata(
    memory: AsyncMemory, url: str
) -> None:
    await memory.observe([{"content": "Hi.", "user": "bo"}], space="ana", session="a")
    await memory.observe([{"content": "Hi.", "user": "zquist"}], space="ana", session="b")
    item = {"role": "user", "content": "Ask zquist.", "half": "\ud800\0"}
    message = {"item": item, "metadata": {"agent_id": "zquist"}, "role": "zquist helper"}
    await memory.observe([message], space="ana", session="a", user="bo")
    await memory.forget(space="ana", user="zquist", everywhere=True, confirm=True)
    assert "zquist" not in str(await database_rows(url, "select m::text from core.messages m"))


async def test_what_was_taken_back_goes_for_good_when_its_time_is_over(
    memory: AsyncMemory, database: Database, url: str
) -> None:
    await memory.observe([{"content": "Old.", "id": "1"}], space="ana", session="s")
    await memory.observe([{"content": "Kept."}], space="ana", session="t")
    await memory.clear("s", space="ana")
    now = datetime.now(UTC)
    assert await drop_old(database, "ana", now=now, days=30) == 0
    assert await drop_old(database, "ana", now=now + timedelta(days=31), days=30) == 1
    assert [one.name for one in await memory.sessions(space="ana")] == ["t"]
    await sound(database)


async def database_rows(url: str, query: str) -> list[tuple[Any, ...]]:
    async with await psycopg.AsyncConnection.connect(url) as conn:
        return await (await conn.execute(query)).fetchall()


async def test_a_message_of_an_episode_is_put_back_into_it(memory: AsyncMemory, database: Database) -> None:
    await memory.observe(
        [
            {"id": "1", "content": "I want to repair the green boat in the harbour of Horta this summer."},
            {"id": "2", "role": "assistant", "content": "Then sand the hull first and paint it twice."},
        ],
        space="ana",
        session="s",
        user="ana",
    )
    await memory.work()
    await memory.episodes.condense(space="ana")
    await memory.take_last("s", space="ana")
    await sound(database)
    await memory.restore("2", space="ana")
    await sound(database)
