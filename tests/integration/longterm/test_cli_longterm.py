"""``quipu longterm`` as people and programs call it."""

from __future__ import annotations

import json
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
    (hit,) = quipu.json("longterm", "search", "vegetarian")["items"]
    assert hit["memory"]["id"] == made["id"]
    edited = quipu.json(
        "longterm", "edit", made["id"][:8], "Is vegan.", "--expected-version", "1", "--reason", "new"
    )
    assert (edited["summary"], edited["version"], edited["category"]) == ("Is vegan.", 2, "constraint")
    history = quipu.text("longterm", "history", made["id"])
    assert "Is vegetarian." in history
    assert "new" in history
    assert "Is vegan." in quipu.text("longterm", "get", made["id"])
    assert "written by hand" in quipu.text("longterm", "sources", made["id"])
    assert quipu.json("longterm", "revert", made["id"], "--to", "1")["version"] == 3
    assert quipu.json("longterm", "archive", made["id"])["archived"]
    assert "No memories here" in quipu.text("longterm", "list")
    assert not quipu.json("longterm", "unarchive", made["id"])["archived"]


def test_recovering_shows_the_block_and_leaves_a_line(quipu: CommandLine) -> None:
    quipu.json("longterm", "add", "Has a green boat", "--user", "ana")
    found = quipu.json("longterm", "recover", "green boat", "--user", "ana", "--recent", "Hello!")
    assert found["relevant_memories"] == [
        {"summary": "Has a green boat", "category": "context", "importance": "medium"}
    ]
    assert "- [context] Has a green boat" in quipu.text("longterm", "recover", "green boat", "--user", "ana")
    assert "Nothing relevant" in quipu.text("longterm", "recover", "", "--user", "ana")
    assert [line["outcome"] for line in quipu.json("longterm", "audit")["items"]] == [
        "nothing",
        "found",
        "found",
    ]
    assert "recalled" in quipu.text("longterm", "audit")


def test_the_document_of_the_seed_is_recovered_from_a_file_or_a_pipe(
    quipu: CommandLine, tmp_path: Path
) -> None:
    for colour in ("green", "blue"):
        quipu.json("longterm", "add", f"Has a {colour} boat", "--user", "ana")
    asked = {"current_message": "a boat", "recent_messages": ["Hello!"], "memory_limit": 1}
    file = tmp_path / "asked.json"
    file.write_text(json.dumps(asked))
    recover = ("longterm", "recover", "--user", "ana", "--document")
    assert len(quipu.json(*recover, str(file))["relevant_memories"]) == 1
    assert len(quipu.json(*recover, "-", given=json.dumps(asked))["ids"]) == 1


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ('{"current_message": "x", "memory_limit": "3"}', "memory_limit: "),
        ('{"current_message": "x", "memory_limit": true}', "memory_limit: "),
        ("[]", "document: a JSON object is needed."),
        ("{", "document: this is no JSON"),
        ("[" * 200 + "]" * 200, "document: it is nested"),
    ],
)
def test_what_is_no_document_of_the_seed_is_refused(quipu: CommandLine, document: str, said: str) -> None:
    done = quipu.run("longterm", "recover", "--document", "-", given=document)
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr


def test_a_message_or_its_document_is_given_and_not_both(quipu: CommandLine) -> None:
    for both in ([], ["hello", "--document", "-"]):
        done = quipu.run("longterm", "recover", *both, given="{}")
        assert (done.returncode, "MESSAGE or --document" in done.stderr) == (2, True)


def test_many_are_shown_before_they_are_archived(quipu: CommandLine) -> None:
    for n in range(2):
        quipu.json("longterm", "add", f"Errand {n}", "--category", "context")
    where = ("longterm", "archive-many", "--category", "context", "--before", "2999-01-01")
    assert "2 memories would be archived" in quipu.text(*where)
    assert len(quipu.json("longterm", "list")["items"]) == 2
    assert quipu.json(*where, "--yes")["done"] is True
    assert quipu.json("longterm", "list")["items"] == []
    assert len(quipu.json("longterm", "list", "--state", "archived")["items"]) == 2


def test_files_are_written_and_taken_in(quipu: CommandLine, tmp_path: Path) -> None:
    quipu.json("longterm", "add", "Has a green boat")
    assert "1 memory" in quipu.text("longterm", "export-sqlite", str(tmp_path / "santi-memory.db"))
    taken = quipu.text("longterm", "import-sqlite", str(tmp_path / "santi-memory.db"))
    assert "known before: 1" in taken


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("get", "00000000"), 3, "list of memories"),
        (("edit", "00000000", "x"), 3, "no memory"),
        (("add", "x", "--category", "food"), 2, "preference"),
        (("archive-many",), 2, "say which"),
        (("revert", "00000000"), 2, "--to"),
        (("import-sqlite", "nowhere.db"), 3, "no file"),
    ],
)
def test_what_cannot_be_done_says_why(
    quipu: CommandLine, arguments: tuple[str, ...], code: int, says: str
) -> None:
    done = quipu.run("longterm", *arguments)
    assert (done.returncode, says in done.stderr) == (code, True), done.stderr


_TOLD = "I moved to Cork last May. If I were rich I'd fly. my sister said 'I hate tea'. my PIN is 4821"


def test_a_text_is_tried_clause_by_clause_and_nothing_is_written(quipu: CommandLine, tmp_path: Path) -> None:
    shown = quipu.text("longterm", "evaluate", _TOLD, "--show")
    assert "kept         I moved to Cork last May" in shown
    assert "The user lives in Cork." in shown
    assert "it is a condition, a wish or a guess" in shown
    assert "somebody else's words" in shown
    assert "4821" not in shown
    told = tmp_path / "told.txt"
    told.write_text(_TOLD, encoding="utf-8")
    assert quipu.text("longterm", "evaluate", "--file", str(told)).splitlines() == [
        "include  high   identity             The user lives in Cork."
    ]
    claims = quipu.json("longterm", "evaluate", _TOLD)["claims"]
    assert (claims[0]["verdict"], claims[0]["slot"], claims[0]["value"]) == ("kept", "home", "Cork")
    assert "Nothing in it would be kept." in quipu.text("longterm", "evaluate", "how are you?")
    assert quipu.json("longterm", "list")["items"] == []
