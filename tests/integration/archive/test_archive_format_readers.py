"""What an archive in another format says comes back through the reader of that format."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from quipu import AsyncMemory

pytestmark = pytest.mark.anyio

SPACE, COPY = "work", "copy"
MARCH, APRIL = datetime(2026, 3, 1, 9, tzinfo=UTC), datetime(2026, 4, 1, tzinfo=UTC)
TALK = (
    {"content": "I live in Berlin.", "user": "una", "speaker": "Una", "id": "1", "time": MARCH},
    {"content": "Noted.", "role": "assistant", "id": "2", "time": MARCH},
    {"content": "I will send you the report.", "user": "una", "id": "3", "time": MARCH},
)


def texts_below(folder: Path) -> tuple[list[str], list[str]]:
    """The texts of files below a folder, and the values."""
    found = [path for path in folder.rglob("*") if path.is_file()]
    values = [path.read_text() for path in found if path.suffix == ".json"]
    return [path.read_text() for path in found if path.suffix != ".json"], values


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.fixture
def fill() -> Callable[[AsyncMemory, str], Awaitable[None]]:
    return talk


async def talk(memory: AsyncMemory, _: str) -> None:
    """A memory of a talk, of what holds and what held once, and of a text and a value."""
    await memory.observe(TALK, space=SPACE, session="talk")
    await memory.longterm.add("The boat is blue.", category="context", space=SPACE, user="una")
    old = await memory.longterm.add("The boat is red.", category="context", space=SPACE, user="una")
    await memory.longterm.archive(old.id, space=SPACE)
    await memory.lessons.add("The tests need Docker.", category="knowledge", space=SPACE)
    await memory.documents.put(["notes"], "plan.md", body="# Plan\n\nRow *home*.\n", space=SPACE)
    await memory.documents.put(["notes", "a/b"], "../value", {"depth": [1, 2.5]}, space=SPACE)
    await memory.work(concurrency=2)


async def texts(memory: AsyncMemory, *, user: str | None = "una") -> dict[str, bool]:
    """The long-term memories of the copy, and whether each holds."""
    found = await memory.longterm.list(space=COPY, user=user, state="all", ended=True)
    return {one.summary: one.valid_until is None for one in found}


async def test_words_and_statements_come_back_from_mem(full: AsyncMemory, tmp_path: Path) -> None:
    done = await full.archives.export(tmp_path / "una.zip", space=SPACE, format="mem")
    report = await full.imports.load(tmp_path / "una.zip", space=COPY)
    assert (report.source, report.version, report.refused) == ("mem", ".mem 1.1.0", [])
    said = await full.messages("talk", space=COPY)
    assert [(one.content, one.role, one.speaker, one.user) for one in said] == [
        ("I live in Berlin.", "user", "Una", "una"),
        ("Noted.", "assistant", None, None),
        ("I will send you the report.", "user", None, "una"),
    ]
    found = await texts(full)
    assert found["The boat is blue."]
    assert not found["The boat is red."]
    assert done.left_out["loops"] == 1


async def test_words_and_statements_come_back_from_cogx(full: AsyncMemory, tmp_path: Path) -> None:
    await full.archives.export(tmp_path / "una.zip", space=SPACE, format="cogx")
    report = await full.imports.load(tmp_path / "una.zip", space=COPY)
    assert (report.source, report.version, report.refused) == ("cognee", "COGX 0.1", [])
    said = await full.messages("talk", space=COPY)
    assert [(one.content, one.role) for one in said] == [
        ("I live in Berlin.", "user"),
        ("Noted.", "assistant"),
        ("I will send you the report.", "user"),
    ]
    found = await texts(full)
    assert found["The boat is blue."]
    assert not found["The boat is red."]
    stored = await full.documents.list(["cognee", "documents"], space=COPY, limit=10)
    bodies = {one.metadata["title"]: one.body for one in stored}
    assert bodies == {"plan.md": "# Plan\n\nRow *home*.\n", "../value": '{"depth":[1,2.5]}'}


async def test_markdown_has_documents_as_they_are_and_what_is_known_of_people(
    full: AsyncMemory, tmp_path: Path
) -> None:
    await full.archives.export(tmp_path / "vault", space=SPACE, format="markdown")
    documents = tmp_path / "vault" / "documents" / "notes"
    assert (documents / "plan.md").read_text() == "# Plan\n\nRow *home*.\n"
    assert (documents / "a-b" / "-value.json").read_text() == '{"depth":[1,2.5]}\n'
    una = (tmp_path / "vault" / "people" / "una.md").read_text()
    assert una.startswith('---\ntitle: "una"\n')
    assert "- [context] The boat is blue. (since " in una
    assert "## Memories that ended\n\n- context: The boat is red. (since " in una
    assert "- [ ] I will send you the report. (since 2026-03-01, promise, by user, " in una
    talk = (tmp_path / "vault" / "sessions" / "2026-03-01 talk.md").read_text()
    assert "### Una, 2026-03-01 09:00:00 UTC\nuser, id 1\n\nI live in Berlin.\n" in talk
    assert "### assistant, 2026-03-01 09:00:00 UTC\n" in talk
    assert "The tests need Docker." in (tmp_path / "vault" / "space.md").read_text()


async def test_markdown_is_read_as_notes_with_statements_and_tasks(full: AsyncMemory, tmp_path: Path) -> None:
    await full.archives.export(tmp_path / "vault.zip", space=SPACE, format="markdown")
    await full.imports.load(tmp_path / "vault.zip", space=COPY, source="markdown", user="una")
    found = await texts(full)
    assert found["una: The boat is blue."]
    assert "The boat is red." not in " ".join(found)
    assert [one.text[:27] for one in await full.loops.list(space=COPY)] == ["I will send you the report."]


async def test_names_that_no_file_may_have_or_that_meet_are_files_of_their_own(
    memory: AsyncMemory, tmp_path: Path
) -> None:
    keys = {("a",): "in a folder", (): "beside it", ("a", ".."): "above"}
    for path, text in keys.items():
        for key in ("a", "a:b", "a/b", "a.md", "n" * 200, "\u202etxt"):
            await memory.documents.put(["d", *path], key, body=f"{text}: {key}", space=SPACE)
    await memory.documents.put(["d", "a.md"], "below a file", {"x": 1}, space=SPACE)
    await memory.observe([{"content": "one", "user": "a/b"}], space=SPACE, session="x/y")
    await memory.observe([{"content": "two", "user": "a:b"}], space=SPACE, session="x:y")
    for user in ("a/b", "a:b", ".."):
        await memory.longterm.add(f"of {user}", category="context", space=SPACE, user=user)
    await memory.archives.export(tmp_path / "vault", space=SPACE, format="markdown")
    bodies, values = texts_below(tmp_path / "vault" / "documents")
    assert len(bodies) == 18
    assert {body.partition(":")[0] for body in bodies} == set(keys.values())
    assert values == ['{"x":1}\n']
    assert len(names(tmp_path / "vault" / "people")) == 3
    assert len(names(tmp_path / "vault" / "sessions")) == 2
