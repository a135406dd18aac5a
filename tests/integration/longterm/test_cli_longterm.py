"""``quipu longterm`` as people and programs call it."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_process import CommandLine


@pytest.fixture
def quipu(address: str, tmp_path: Path, space: str) -> CommandLine:
    return CommandLine(
        tmp_path,
        {
            "QUIPU_DATABASE_URL": address,
            "QUIPU_EMBEDDING_MODEL": "hashing",
            "QUIPU_SPACE": space,
            "QUIPU_LONGTERM_TIMEOUT_MS": "20000",
        },
    )


def test_a_memory_is_added_found_changed_and_brought_back(quipu: CommandLine) -> None:
    made = quipu.json("longterm", "add", "Is vegetarian.", "--user", "ana", "--category", "constraint")
    assert quipu.json("longterm", "add", "is vegetarian.", "--user", "ana")["stated_count"] == 2
    assert "Is vegetarian." in quipu.text("longterm", "list", "--user", "ana")
    (hit,) = quipu.json("longterm", "search", "vegetarian")["memories"]
    assert hit["memory"]["id"] == made["id"]
    edited = quipu.json(
        "longterm", "edit", made["id"][:8], "Is vegan.", "--expected-version", "1", "--reason", "new"
    )
    assert (edited["summary"], edited["version"], edited["category"]) == ("Is vegan.", 2, "constraint")
    history = quipu.text("longterm", "history", made["id"])
    assert "Is vegetarian." in history
    assert "new" in history
    shown = quipu.text("longterm", "show", made["id"])
    assert "Is vegan." in shown
    assert "written by hand" in shown
    assert quipu.json("longterm", "revert", made["id"], "--to", "1")["version"] == 3
    assert quipu.json("longterm", "archive", made["id"])["archived"]
    assert "No memories here" in quipu.text("longterm", "list")
    assert not quipu.json("longterm", "revive", made["id"])["archived"]


def test_recovering_shows_the_block_and_leaves_a_line(quipu: CommandLine) -> None:
    quipu.json("longterm", "add", "Has a green boat", "--user", "ana")
    found = quipu.json("longterm", "recover", "green boat", "--user", "ana", "--recent", "Hello!")
    assert found["relevant_memories"] == [
        {"summary": "Has a green boat", "category": "context", "importance": "medium"}
    ]
    assert "- [context] Has a green boat" in quipu.text("longterm", "recover", "green boat", "--user", "ana")
    assert "Nothing relevant" in quipu.text("longterm", "recover", "", "--user", "ana")
    assert [line["outcome"] for line in quipu.json("longterm", "audit")["lines"]] == [
        "nothing",
        "found",
        "found",
    ]
    assert "recalled" in quipu.text("longterm", "audit")


def test_many_are_shown_before_they_are_archived(quipu: CommandLine) -> None:
    for n in range(2):
        quipu.json("longterm", "add", f"Errand {n}", "--category", "context")
    where = ("longterm", "archive", "--category", "context", "--before", "2999-01-01")
    assert "2 memories would be archived" in quipu.text(*where)
    assert len(quipu.json("longterm", "list")["memories"]) == 2
    assert quipu.json(*where, "--yes")["archived"] is True
    assert quipu.json("longterm", "list")["memories"] == []
    assert len(quipu.json("longterm", "list", "--state", "archived")["memories"]) == 2


def test_files_are_written_and_taken_in(quipu: CommandLine, tmp_path: Path) -> None:
    quipu.json("longterm", "add", "Has a green boat")
    assert "1 memory" in quipu.text("longterm", "export-sqlite", str(tmp_path / "santi-memory.db"))
    taken = quipu.text("longterm", "import-sqlite", str(tmp_path / "santi-memory.db"))
    assert "known before: 1" in taken


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("show", "00000000"), 3, "quipu longterm list"),
        (("edit", "00000000", "x"), 3, "no memory"),
        (("add", "x", "--category", "food"), 2, "preference"),
        (("archive",), 2, "say which"),
        (("archive", "00000000", "--user", "ana"), 2, "not both"),
        (("import-sqlite", "nowhere.db"), 3, "no file"),
    ],
)
def test_what_cannot_be_done_says_why(
    quipu: CommandLine, arguments: tuple[str, ...], code: int, says: str
) -> None:
    done = quipu.run("longterm", *arguments)
    assert (done.returncode, says in done.stderr) == (code, True), done.stderr
