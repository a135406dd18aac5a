"""Documents on the command line: values are JSON, paths have slashes, and what is erased is shown first."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_process import CommandLine


@pytest.fixture
def quipu(url: str, tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path, {"QUIPU_DATABASE_URL": url, "QUIPU_EMBEDDING_MODEL": "hashing"})


def test_a_document_is_put_listed_found_brought_back_and_erased(quipu: CommandLine) -> None:
    put = ("documents", "put", "notes/work", "todo")
    first = quipu.json(*put, '{"title": "Pay the boat", "done": false}', "--metadata", "topic=money")
    assert (first["value"], first["metadata"]) == (
        {"title": "Pay the boat", "done": False},
        {"topic": "money"},
    )
    assert quipu.json(*put, "title=Paid", "done=true")["value"] == {"title": "Paid", "done": True}
    listed = quipu.json("documents", "list", "notes", "--filter", '{"value.done": true}')["items"]
    assert [one["key"] for one in listed] == ["todo"]
    (found,) = quipu.json("documents", "search", "paid", "--path", "notes")["items"]
    assert found["document"]["version"] == 2
    quipu.json("documents", "delete", "notes/work", "todo")
    assert "No documents here" in quipu.text("documents", "list")
    assert quipu.json("documents", "revert", "notes/work", "todo", "--to", "1")["value"] == first["value"]
    assert "notes/work" in quipu.text("documents", "list-paths")
    assert quipu.json("documents", "rename", "notes/work", "todo", "--to", "old") == {"count": 1}
    assert "Would be erased" in quipu.text("documents", "erase", "old")
    assert quipu.json("documents", "erase", "old", "--yes")["done"]
    assert quipu.json("documents", "list")["items"] == []


def test_what_is_too_long_for_an_argument_comes_from_standard_input(quipu: CommandLine) -> None:
    text = "A long note. " * 20_000
    assert quipu.json("documents", "put", "notes", "long", "--body", "-", given=text)["body"] == text
    value = json.dumps({"title": "Long", "text": text})
    assert quipu.json("documents", "put", "notes", "long", "-", given=value)["value"]["text"] == text
