"""``quipu conversations``, over a real database."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_process import CommandLine

LINES = [
    {"session": "s", "role": "user", "content": "I moved to Porto.", "time": "2026-03-01T12:00:00Z"},
    {"session": "s", "role": "assistant", "content": "Got it!", "time": "2026-03-01T12:00:10Z"},
]


@pytest.fixture
def quipu(url: str, tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path, {"QUIPU_DATABASE_URL": url, "QUIPU_EMBEDDING_MODEL": "hashing"})


def test_a_conversation_is_listed_shown_changed_and_brought_back(quipu: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "chat.jsonl").write_text("".join(json.dumps(line) + "\n" for line in LINES))
    quipu.text("import", "jsonl", str(tmp_path / "chat.jsonl"))
    quipu.text("worker", "--burst", "--topics", "memory_chunker")
    assert "moved to Porto" in quipu.text("conversations", "list")
    shown = quipu.text("conversations", "get", "s")
    assert "[ACKNOWLEDGE]" in shown
    assert "fact: The user moved to Porto." in shown
    assert "home = Porto" in shown
    assert "session:s:1" in quipu.text("conversations", "threads")
    assert quipu.json("conversations", "topics")["items"][0]["messages"] == 1
    assert quipu.json("conversations", "edit", "s", "--title", "Moving")["title"] == "Moving"
    assert "archived" in quipu.text("conversations", "archive", "s")
    assert "No conversations" in quipu.text("conversations", "list")
    assert quipu.json("conversations", "list", "--status", "all")["items"][0]["status"] == "archived"
    assert quipu.json("conversations", "unarchive", "s")["status"] == "active"
    assert "1 session will be read again" in quipu.text("conversations", "reread")
    assert "list of conversations" in quipu.run("conversations", "get", "nowhere").stderr


def test_a_prompt_waits_is_answered_and_listed(quipu: CommandLine) -> None:
    assert "--session" in quipu.run("conversations", "prompt", "Well?").stderr
    assert "A worker answers it" in quipu.text("conversations", "prompt", "--session", "s", "Well?")
    quipu.text("worker", "--burst", "--topics", "prompt-queue")
    assert " no_agent " in quipu.text("conversations", "prompts")
