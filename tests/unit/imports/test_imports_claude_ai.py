"""Claude.ai's export: all shapes, blocks, branches, projects, memories, and what is spoiled."""

from __future__ import annotations

import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from importing import EXPORTS, imported, imported_or_refused, recognised_as, spoiled, written

from quipu.app.imports.found import Filed, Found, Said, Stated
from quipu.app.imports.sources.claude_ai import SOURCE
from quipu.errors import BadInput

EXPORT = EXPORTS / "claude_ai"
ROOT = "00000000-0000-4000-8000-000000000000"


def message(id: str, sender: str = "human", text: str = "Hello.", **more: Any) -> dict[str, Any]:
    content = [{"type": "text", "text": text}]
    created = "2026-05-03T10:00:00Z"
    return {"uuid": id, "sender": sender, "text": text, "content": content, "created_at": created, **more}


def conversation(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    created = "2026-05-03T10:00:00Z"
    return {"uuid": "c", "name": "T", "created_at": created, "chat_messages": list(messages), **more}


def read(tmp_path: Path, *conversations: object) -> list[Said]:
    found, _ = imported(SOURCE, written(tmp_path / "conversations.json", list(conversations)))
    return [one for one in found if isinstance(one, Said)]


def by_id(found: list[Found]) -> dict[str, Found]:
    return {one.id: one for one in found}


def test_words_documents_and_memories_are_found_with_their_person() -> None:
    found, account = imported(SOURCE, EXPORT)
    first, second = (one for one in found if isinstance(one, Said))
    assert (first.id, first.content, first.role, first.user) == ("m-1", "Alba is green.", "user", "Ana")
    assert (second.id, second.content, second.role, second.user) == ("m-2", "A fine boat.", "assistant", None)
    assert first.session == second.session == "c0ffee00-0000-4000-8000-000000000001"
    assert second.time == datetime(2026, 5, 3, 10, 0, 20, tzinfo=UTC)
    assert second.item is not None
    assert [block["type"] for block in second.item["content"]] == [
        "thinking",
        "tool_use",
        "tool_result",
        "text",
    ]
    assert first.item is not None
    assert first.item["files"] == [{"file_name": "a.png"}]
    filed = {one.id: one for one in found if isinstance(one, Filed)}
    assert (filed["d1"].key, filed["d1"].body, filed["d1"].index) == ("alba.md", "# Alba\nGreen, 7 m.", True)
    assert filed["d1"].path == ("claude-ai", "projects", "Boats")
    assert filed["d1"].created_at == datetime(2026, 5, 1, tzinfo=UTC)
    assert (filed["p1/instructions"].body, filed["p1/instructions"].index) == ("Be brief.", False)
    assert (filed["m-1/attachments/1"].key, filed["m-1/attachments/1"].body) == ("log.txt", "wind 4")
    stated = {one.id: one for one in found if isinstance(one, Stated)}
    assert stated["conversations"].text == "**Work context**\n\nAna restores boats."
    assert (stated["p1"].text, stated["p1"].metadata["project"]) == ("Alba is green.", "Boats")
    assert stated["p1"].user == "Ana"
    assert account.dropped["bytes of image"] == 1
    assert not account.unreadable


def test_a_folder_of_zips_says_what_the_one_zip_says(tmp_path: Path) -> None:
    folder = tmp_path / "export"
    folder.mkdir()
    memories = json.loads((EXPORT / "memories.json").read_text())[0]
    memories["memory_files"] = [
        {"path": "/projects/p1/sails.md", "content": "White.", "updated_at": "2026-09-02T03:04:05Z"},
        {"path": "/areas/sales.md", "content": "Slow.", "updated_at": ""},
    ]
    parts = {
        "conversations-000.zip": {"conversations.json": (EXPORT / "conversations.json").read_text()},
        "projects-000.zip": {"projects/p1.json": (EXPORT / "projects" / "p1.json").read_text()},
        "memories-000.zip": {"memories/acc-1.json": json.dumps(memories)},
        "light_metadata-000.zip": {"users.json": (EXPORT / "users.json").read_text()},
    }
    for name, members in parts.items():
        with zipfile.ZipFile(folder / name, "w") as archive:
            for member, text in members.items():
                archive.writestr(member, text)
    written(folder / "manifest-1.json", {})
    with zipfile.ZipFile(tmp_path / "one.zip", "w") as archive:
        for one in EXPORT.rglob("*.json"):
            archive.write(one, one.relative_to(EXPORT))
    expected, _ = imported(SOURCE, EXPORT)
    found, account = imported(SOURCE, folder)
    sails, sales = (one for one in found if one.id.startswith("memory_files/"))
    assert imported(SOURCE, tmp_path / "one.zip")[0] == expected
    assert [one for one in found if not one.id.startswith("memory_files/")] == expected
    assert isinstance(sails, Filed)
    assert (sails.path, sails.key) == (("claude-ai", "memory", "projects", "Boats"), "sails.md")
    assert sails.updated_at == datetime(2026, 9, 2, 3, 4, 5, tzinfo=UTC)
    assert isinstance(sales, Filed)
    assert (sales.body, sales.updated_at) == ("Slow.", None)
    assert recognised_as(folder) == recognised_as(EXPORT) == "claude-ai"
    assert account.left_out == {"file beside the conversations (json)": 1}


def test_memory_files_that_lie_there_as_files_are_read(tmp_path: Path) -> None:
    written(tmp_path / "conversations.json", [conversation(message("1"))])
    written(tmp_path / "memories-000" / "people" / "ben.md", "Ben sails.")
    found = by_id(imported(SOURCE, tmp_path)[0])
    assert any(
        isinstance(one, Filed) and one.key == "ben.md" and one.body == "Ben sails." for one in found.values()
    )


def test_projects_in_one_file_and_documents_of_one_name_keep_apart(tmp_path: Path) -> None:
    docs = [{"uuid": id, "filename": "a.md", "content": id} for id in ("d1", "d2")]
    written(tmp_path / "projects.json", [{"uuid": "p", "name": "P", "prompt_template": "", "docs": docs}])
    found, _ = imported(SOURCE, tmp_path)
    assert [(one.key, one.body) for one in found if isinstance(one, Filed)] == [
        ("a.md", "d1"),
        ("a.md (d2)", "d2"),
    ]


def test_the_text_of_blocks_goes_before_text_with_placeholders(tmp_path: Path) -> None:
    blocks = [
        {"type": "text", "text": "First."},
        {"type": "tool_use", "name": "search", "input": {}},
        {"type": "text", "text": "Then."},
    ]
    placeholder = "First.\n```\nThis block is not supported on your current device yet.\n```\nThen."
    (said,) = read(tmp_path, conversation(message("1", "assistant", text=placeholder, content=blocks)))
    assert said.content == "First.\nThen."


def test_old_messages_without_blocks_have_their_text(tmp_path: Path) -> None:
    (said,) = read(tmp_path, conversation(message("1", text="Hello.", content=[])))
    assert (said.content, said.item) == ("Hello.", None)


def test_only_the_way_to_the_newest_message_is_heard(tmp_path: Path) -> None:
    messages = [
        message("1", parent_message_uuid=ROOT),
        message("2", "assistant", parent_message_uuid="1", created_at="2026-05-03T10:01:00Z"),
        message("3", "assistant", parent_message_uuid="1", created_at="2026-05-03T10:02:00Z"),
        message("0", parent_message_uuid=ROOT, created_at="2026-05-03T09:00:00Z"),
    ]
    said = read(tmp_path, conversation(*messages))
    assert {one.id: one.heard for one in said} == {"1": True, "2": False, "3": True, "0": False}
    assert said[-1].metadata["branch"] is True
    (tmp_path / "conversations.json").unlink()
    chosen = read(tmp_path, conversation(*messages, current_leaf_message_uuid="2"))
    assert {one.id: one.heard for one in chosen} == {"1": True, "2": True, "3": False, "0": False}


def test_a_parent_that_is_not_there_breaks_no_conversation(tmp_path: Path) -> None:
    said = read(tmp_path, conversation(message("1"), message("2", parent_message_uuid="gone"), message("3")))
    assert [(one.id, one.heard) for one in said] == [("1", True), ("2", True), ("3", True)]


def test_empty_messages_are_told_and_left_out(tmp_path: Path) -> None:
    path = written(tmp_path / "conversations.json", [conversation(message("1", text="", content=[]))])
    found, account = imported(SOURCE, path)
    assert not found
    assert account.left_out["message without content"] == 1


@pytest.mark.parametrize("content", ["", "nothing", "[", "[[1]]", '[{"mapping": {}}]', "[" * 100_000])
def test_a_file_that_is_no_export_of_claude_is_named(tmp_path: Path, content: str) -> None:
    with pytest.raises(BadInput, match=r"conversations\.json"):
        imported(SOURCE, written(tmp_path / "conversations.json", content))


@pytest.mark.parametrize("file", ["conversations.json", "memories.json", "users.json", "projects/p1.json"])
def test_nothing_in_any_place_breaks_the_reader(tmp_path_factory: pytest.TempPathFactory, file: str) -> None:
    sample = json.loads((EXPORT / file).read_text())
    if file == "memories.json":
        sample[0]["memory_files"] = [{"path": "/a.md", "content": "x", "updated_at": ""}]

    @given(spoiled(sample))
    def read_it(value: Any) -> None:
        folder = tmp_path_factory.mktemp("spoiled")
        for name in ("conversations.json", "users.json"):
            written(folder / name, (EXPORT / name).read_text())
        written(folder / file, value)
        imported_or_refused(SOURCE, folder, name=file)

    read_it()
