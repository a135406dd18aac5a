"""What another system remembers comes in, each kind where it belongs, once, with its origin."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from notebook import EVERYTHING, IN_BERLIN, IN_LISBON, LESSON, LIVED, MOVED, NOTE, TASK, written

from quipu import AsyncMemory
from quipu.errors import BadInput, NotFound

pytestmark = pytest.mark.anyio

COUNTS = {"message": 4, "memory": 2, "lesson": 1, "document": 1, "loop": 1}


async def test_a_preview_tells_and_writes_nothing(memory: AsyncMemory, tmp_path: Path) -> None:
    told = await memory.imports.load(written(tmp_path / "n", *EVERYTHING), space="ana", preview=True)
    assert (told.done, told.id) == (False, None)
    assert told.records == {"message": 3, "memory": 2, "lesson": 1, "document": 1, "loop": 1}
    assert told.dropped == {"record.mood": 1}
    assert told.ended == 1
    assert told.first == datetime(2024, 1, 1, tzinfo=UTC)
    assert [(one.name, one.user) for one in told.people] == [("ana", "ana")]
    assert await memory.space_names() == []


async def test_every_kind_comes_where_it_belongs(memory: AsyncMemory, tmp_path: Path) -> None:
    done = await memory.imports.load(written(tmp_path / "n", *EVERYTHING), space="ana")
    assert (done.records, done.refused) == (COUNTS, [])
    heard = await memory.messages("s1", space="ana")
    assert [(one.id, one.content) for one in heard] == [
        ("m0", ""), ("m1", LIVED["content"]), ("m2", MOVED["content"]),
    ]  # fmt: skip
    memories = {one.summary: one for one in await memory.longterm.list(space="ana", ended=True)}
    assert memories["Ana lives in Berlin."].valid_until == datetime(2025, 5, 1, tzinfo=UTC)
    assert memories["Ana lives in Lisbon."].valid_until is None
    assert memories["Ana lives in Lisbon."].sources == 1
    (lesson,) = await memory.lessons.list(space="ana")
    assert (lesson.fact, lesson.category) == (LESSON["text"], "preference")
    note = await memory.documents.get(["notes"], "boat.md", space="ana")
    assert (note.body, note.version) == (NOTE["body"], 2)
    assert note.created_at == datetime(2025, 1, 1, tzinfo=UTC)
    assert note.updated_at == datetime(2025, 2, 1, tzinfo=UTC)
    before = (await memory.documents.history(["notes"], "boat.md", space="ana"))[-1]
    assert before.body == "# Alba\n\nShe is blue."
    (loop,) = await memory.loops.list(space="ana")
    assert (loop.text, loop.user) == (TASK["text"], "ana")


async def test_what_the_source_ended_is_never_current(memory: AsyncMemory, tmp_path: Path) -> None:
    await memory.imports.load(written(tmp_path / "n", *EVERYTHING), space="ana")
    hits = await memory.recall("Where does Ana live?", space="ana")
    assert any("Lisbon" in hit.text for hit in hits)
    assert not any("Berlin" in hit.text for hit in hits)
    block = await memory.recall_block("Where does Ana live?", space="ana", budget_tokens=500)
    assert "Lisbon" in block.text
    assert "Berlin" not in block.text
    then = await memory.recall("Where did Ana live in 2024?", space="ana")
    assert any("Berlin" in hit.text for hit in then)
    assert not any("pirate" in hit.text for hit in await memory.recall("Who is a pirate?", space="ana"))


async def test_importing_again_changes_nothing(memory: AsyncMemory, tmp_path: Path) -> None:
    notebook = written(tmp_path / "n", *EVERYTHING)
    await memory.imports.load(notebook, space="ana")
    again = await memory.imports.load(notebook, space="ana")
    assert (again.records, again.known, again.id) == ({}, len(EVERYTHING), None)
    assert len(await memory.imports.list(space="ana")) == 1


async def test_what_changed_at_the_source_changes_here(memory: AsyncMemory, tmp_path: Path) -> None:
    await memory.imports.load(
        written(tmp_path / "n", LIVED, {**IN_BERLIN, "valid_until": None}, NOTE), space="ana"
    )
    later = {**NOTE, "body": "# Alba\n\nShe is red."}
    done = await memory.imports.load(
        written(tmp_path / "n", LIVED, MOVED, IN_BERLIN, IN_LISBON, later), space="ana"
    )
    assert (done.changed, done.records) == (2, {"message": 1, "memory": 1})
    assert (await memory.documents.get(["notes"], "boat.md", space="ana")).version == 3
    hits = await memory.recall("Where does Ana live?", space="ana")
    assert not any("Berlin" in hit.text for hit in hits)


async def test_people_are_joined_and_the_rest_belongs_to_whom_one_says(
    memory: AsyncMemory, tmp_path: Path
) -> None:
    said = {"kind": "said", "id": "a", "session": "m", "content": "Alba is green.", "speaker": "Ana <a@b.c>"}
    notebook = written(tmp_path / "n", said, LESSON, {**NOTE, "user": None})
    await memory.imports.load(notebook, space="ana", user="bo", names={"Ana <a@b.c>": "ana"})
    (message,) = await memory.messages("m", space="ana")
    assert (message.user, message.speaker) == ("ana", None)
    assert (await memory.documents.get(["notes"], "boat.md", space="ana")).user == "bo"


async def test_the_origin_of_each_is_told(memory: AsyncMemory, tmp_path: Path) -> None:
    secret = {
        **MOVED,
        "content": "My password is hunter2-Quite-Long-9",
        "api_key": "sk-ant-api03-abcdefghijklmnopqrstuvwx",
    }
    done = await memory.imports.load(written(tmp_path / "n", secret, IN_LISBON), space="ana")
    assert done.id is not None
    (made,) = await memory.imports.list(space="ana")
    assert (made.id, made.source, made.version, made.label) == (done.id, "notebook", "1", "n")
    assert made.ended_at is not None
    records = await memory.imports.records(done.id, space="ana")
    assert [(one.kind, one.source_id) for one in records] == [("message", "s1/m2"), ("memory", "e2")]
    assert "sk-ant" not in str(records[0].raw)
    found = await memory.imports.origin(records[1].target, space="ana")
    assert found is not None
    assert (found.source_id, found.raw["text"]) == ("e2", IN_LISBON["text"])
    assert await memory.imports.origin(done.id, space="ana") is None
    hit = (await memory.recall("Where does Ana live?", space="ana"))[0]
    why = await memory.why(hit)
    assert why.origin is not None
    assert (why.origin.source, why.origin.source_id) == ("notebook", "e2")


async def test_what_was_erased_here_does_not_come_again(memory: AsyncMemory, tmp_path: Path) -> None:
    notebook = written(tmp_path / "n", *EVERYTHING)
    await memory.imports.load(notebook, space="ana")
    memories = await memory.longterm.list(space="ana")
    await memory.longterm.erase(memories[0].id, space="ana", confirm=True)
    await memory.forget(space="ana", session="s1", confirm=True)
    await memory.documents.erase(["notes"], space="ana", confirm=True)
    again = await memory.imports.load(notebook, space="ana")
    assert again.records == {}
    assert again.withheld == 6
    told = await memory.imports.load(notebook, space="ana", erased_too=True)
    assert sum(told.records.values()) == 6


async def test_what_is_no_source_is_told(memory: AsyncMemory, tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "strange.bin").write_bytes(b"\x00\x01")
    with pytest.raises(BadInput, match="no system that is known"):
        await memory.imports.load(tmp_path / "x", space="ana")
    with pytest.raises(BadInput, match="no source 'nobody'"):
        await memory.imports.load(tmp_path / "x", source="nobody", space="ana")
    with pytest.raises(NotFound):
        await memory.imports.load(tmp_path / "missing", space="ana")
    with pytest.raises(BadInput, match="no source has such a URL"):
        await memory.imports.load("gopher://host/x", space="ana")
    with pytest.raises(NotFound):
        await memory.imports.get("nothing", space="ana")


async def test_what_no_database_can_store_is_replaced(memory: AsyncMemory, tmp_path: Path) -> None:
    half = chr(0xD800)
    said = {
        **MOVED,
        "id": f"m{half}",
        "session": f"s{half}",
        "content": f"Lisbon{half} it is\0.",
        "user": "ana",
    }
    note = {**NOTE, "key": f"a{half}", "body": f"Boats\0 and {half} sails.", "metadata": {"a": f"b{half}"}}
    stated = {
        **IN_LISBON,
        "id": f"e{half}",
        "text": f"Ana lives in\0 Lisbon{half}.",
        "sources": [f"s{half}/m{half}"],
    }
    done = await memory.imports.load(written(tmp_path / "n", said, note, stated), space="ana")
    assert (done.records, done.refused) == ({"message": 1, "memory": 1, "document": 1}, [])


async def test_a_lesson_of_a_session_that_is_not_there_comes_without_it(
    memory: AsyncMemory, tmp_path: Path
) -> None:
    done = await memory.imports.load(written(tmp_path / "n", {**LESSON, "session": "gone"}), space="ana")
    assert (done.records, done.refused) == ({"lesson": 1}, [])


async def test_what_changed_is_said_as_it_would_come_anew(memory: AsyncMemory, tmp_path: Path) -> None:
    lesson = {**LESSON, "details": "The lock file is pnpm's."}
    stated = {**IN_LISBON, "details": "In Alfama."}
    await memory.imports.load(written(tmp_path / "n", lesson, stated), space="ana")
    later = (
        {**lesson, "text": "Use pnpm, not yarn."},
        {**stated, "text": "Ana lives in Faro.", "details": None},
    )
    done = await memory.imports.load(written(tmp_path / "n", *later), space="ana")
    assert (done.changed, done.refused) == (2, [])
    (kept,) = await memory.lessons.list(space="ana")
    assert kept.fact == "Use pnpm, not yarn. The lock file is pnpm's."
    (told,) = await memory.longterm.list(space="ana")
    assert (told.summary, told.details) == ("Ana lives in Faro.", None)


async def test_an_import_that_brings_nothing_makes_no_space(memory: AsyncMemory, tmp_path: Path) -> None:
    done = await memory.imports.load(written(tmp_path / "n"), space="ana")
    assert (done.records, done.id) == ({}, None)
    assert await memory.space_names() == []
