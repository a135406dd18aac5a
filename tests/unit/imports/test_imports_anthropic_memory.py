"""Folders of Anthropic's memory tool: any text, any name, nothing that is none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from importing import EXPORTS, imported, recognised_as, written

from quipu.app.imports.found import Filed
from quipu.app.imports.sources.anthropic_memory import SOURCE
from quipu.errors import BadInput

EXPORT = EXPORTS / "anthropic_memory"


def test_each_file_is_a_document_where_the_tool_has_it() -> None:
    found, account = imported(SOURCE, EXPORT)
    assert {one.id: one.body for one in found if isinstance(one, Filed)} == {
        "memories/ana.md": "# Ana\n- lives in Lisbon\n- vegetarian\n",
        "memories/projects/boat.txt": "Alba is green.\nLaunch in May.\n",
        "memories/todo.xml": "<note>call Ben</note>\n",
    }
    assert [(one.path, one.key) for one in found if isinstance(one, Filed)][1] == (
        ("memories", "projects"), "boat.txt",
    )  # fmt: skip
    assert (account.dropped, account.left_out, account.refused) == ({}, {}, [])
    assert recognised_as(EXPORT) == recognised_as(EXPORT / "memories") == "anthropic-memory"
    assert imported(SOURCE, EXPORT / "memories")[0] == found


def test_what_is_no_text_is_refused_by_name_and_links_are_not_followed(tmp_path: Path) -> None:
    secret = written(tmp_path / "secret.txt", "of somebody else")
    memories = tmp_path / "memories"
    written(memories / "a.md", "Text.")
    written(memories / "b.bin", b"\xff\xfe\x00")
    written(memories / "c.bin", b"a\x00b")
    (memories / "d.md").symlink_to(secret)
    os.mkfifo(memories / "e.md")
    found, account = imported(SOURCE, memories)
    assert [one.id for one in found] == ["memories/a.md"]
    assert [one.partition(":")[0] for one in account.refused] == ["b.bin", "c.bin"]


def test_memories_of_codex_are_not_taken_for_it(tmp_path: Path) -> None:
    written(tmp_path / "memories" / "MEMORY.md", "# Task Group: boats\n")
    written(tmp_path / "memories" / "memory_summary.md", "v1\n")
    assert recognised_as(tmp_path / "memories") == recognised_as(tmp_path) == "coding-agents"


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="has no files"):
        imported(SOURCE, tmp_path)
