"""``quipu lessons`` and the extraction as commands, over a real database."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_process import CommandLine
from click.testing import CliRunner

from quipu.interfaces.cli.call import Call
from quipu.interfaces.cli.commands.rooms import room


@pytest.fixture
def quipu(url: str, tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path, {"QUIPU_DATABASE_URL": url, "QUIPU_EMBEDDING_MODEL": "hashing"})


def test_a_memory_is_added_listed_found_edited_and_archived(quipu: CommandLine) -> None:
    made = quipu.json("lessons", "add", "The queue is RabbitMQ.", "--category", "context")
    assert "The queue is RabbitMQ." in quipu.text("lessons", "list")
    (hit,) = quipu.json("lessons", "search", "rabbitmq")["items"]
    assert hit["lesson"]["id"] == made["id"]
    edited = quipu.json("lessons", "edit", made["id"][:8], "The broker is Kafka.")
    assert (edited["fact"], edited["category"]) == ("The broker is Kafka.", "context")
    assert quipu.json("lessons", "confirm", made["id"])["confirmed_at"] is not None
    shown = quipu.text("lessons", "get", made["id"])
    assert "The broker is Kafka." in shown
    assert "written by hand" in quipu.text("lessons", "sources", made["id"])
    assert quipu.json("lessons", "archive", made["id"])["state"] == "archived"
    assert "No lessons here" in quipu.text("lessons", "list")
    assert quipu.json("lessons", "unarchive", made["id"])["state"] == "live"
    pruned = quipu.json("lessons", "prune")
    assert pruned == {"done": False, "shown": {"lessons": [], "archived": False}}


def test_what_is_not_there_is_an_error_that_says_what_to_do(quipu: CommandLine) -> None:
    done = quipu.run("lessons", "get", "00000000")
    assert done.returncode != 0
    assert "list of lessons" in done.stderr
    assert quipu.run("lessons", "edit", "00000000").returncode == 2


def test_sessions_are_read_by_a_command(
    quipu: CommandLine, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUIPU_EMBEDDING_MODEL", "hashing")
    quipu.text("observe", "--session", "s1", "I prefer tabs over spaces.")
    call = Call(url=url, json=True)
    done = CliRunner().invoke(
        room("lessons"), ["extract", "--session", "s1"], obj=call, catch_exceptions=False
    )
    report = json.loads(done.stdout)
    assert [(one["session"], one["status"], one["added"]) for one in report["sessions"]] == [
        ("s1", "done", 1)
    ]
    call = Call(url=url)
    again = CliRunner().invoke(
        room("lessons"), ["extract", "--session", "s1"], obj=call, catch_exceptions=False
    )
    assert "read already" in again.stdout
    assert "The user prefers tabs over spaces." in quipu.text("lessons", "list")
