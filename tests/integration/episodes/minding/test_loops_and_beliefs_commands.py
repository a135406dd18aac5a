"""``quipu loops`` and ``quipu beliefs`` as commands, over a real database."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_process import CommandLine

from quipu import Memory
from quipu.kernel.config import Settings


@pytest.fixture
def quipu(settings: Settings, url: str, tmp_path: Path) -> CommandLine:
    said = [
        {"role": "user", "content": "I live in Berlin. I'll send the contract to Dana next week."},
        {"role": "assistant", "content": "Good."},
        {"role": "user", "content": "I live in Lisbon."},
        {"role": "assistant", "content": "Good."},
    ]
    with Memory(settings=settings) as memory:
        memory.forget(space="default", confirm=True)
        memory.observe(said, space="default", session="s", user="ana")
        memory.work()
    return CommandLine(tmp_path, {"QUIPU_DATABASE_URL": url, "QUIPU_EMBEDDING_MODEL": "hashing"})


def test_a_loop_is_listed_shown_closed_and_reopened(quipu: CommandLine) -> None:
    (loop,) = quipu.json("loops", "list", "--user", "ana")["items"]
    assert (loop["kind"], loop["by"]) == ("promise", "user")
    assert "send the contract" in quipu.text("loops", "list")
    assert "send the contract" in quipu.text("loops", "remind", "--session", "s")
    closed = quipu.json(
        "loops", "close", loop["id"][:8], "--evidence", "Dana has it.", "--outcome", "dropped"
    )
    assert (closed["state"], closed["outcome"], closed["evidence"]) == ("closed", "dropped", "Dana has it.")
    assert "Nothing is open here" in quipu.text("loops", "list")
    assert "Dana has it." in quipu.text("loops", "get", loop["id"])
    assert quipu.json("loops", "reopen", loop["id"])["state"] == "open"
    refused = quipu.run("loops", "get", "00000000")
    assert refused.returncode != 0
    assert "list of loops" in refused.stderr


def test_a_conflict_is_shown_and_settled(quipu: CommandLine) -> None:
    (conflict,) = quipu.json("beliefs", "conflicts")["items"]
    assert conflict["question"] in quipu.text("beliefs", "ask", "--user", "ana")
    assert "Nothing to ask" in quipu.text("beliefs", "ask", "--user", "bob")
    assert "Lisbon" in quipu.text("beliefs", "conflicts", "--user", "ana")
    assert quipu.json("beliefs", "resolve", conflict["id"][:8], "rival")["value"] == "Lisbon"
    assert "Nothing contradicts" in quipu.text("beliefs", "conflicts")
    (belief,) = quipu.json("beliefs", "list", "--key", "home")["items"]
    assert "home: Lisbon" in quipu.text("beliefs", "get", belief["id"])
    assert "I live in Lisbon." in quipu.text("beliefs", "sources", belief["id"])
    made = quipu.json("beliefs", "correct", belief["id"], "Faro")
    shown = quipu.text("beliefs", "history", made["id"])
    assert all(city in shown for city in ("Faro", "Lisbon", "Berlin"))


def test_a_belief_is_deleted_only_when_it_is_confirmed(quipu: CommandLine) -> None:
    (belief,) = quipu.json("beliefs", "list", "--key", "home")["items"]
    assert quipu.json("beliefs", "erase", belief["id"]) == {"done": False, "shown": belief}
    assert "add --yes" in quipu.run("beliefs", "erase", belief["id"]).stderr
    assert quipu.json("beliefs", "get", belief["id"]) == belief
    assert quipu.json("beliefs", "erase", belief["id"], "--yes") == {"done": True, "shown": belief}
    assert quipu.run("beliefs", "get", belief["id"]).returncode != 0
