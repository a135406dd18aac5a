"""Embedding models on the command line."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from cli_process import LINES, CommandLine

from quipu.kernel.embedding.stored import BUNDLED, CARD, GRAPH


@pytest.fixture
def quipu(url: str, tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path, {"QUIPU_DATABASE_URL": url, "QUIPU_EMBEDDING_MODEL": "hashing"})


@pytest.fixture
def chat(quipu: CommandLine) -> CommandLine:
    """With four messages in the space ``chat``."""
    assert quipu.json("import", "jsonl", "-", "--space", "chat", given=LINES)["imported"] == 4
    return quipu


def test_using_a_model_shows_what_it_costs_and_does_it_when_told_to(chat: CommandLine) -> None:
    plan = chat.json("model", "use", "all-MiniLM-L6-v2")
    assert (plan["model"], plan["previous"], plan["entries"], plan["spaces"]) == (
        "all-MiniLM-L6-v2",
        "hashing",
        4,
        1,
    )
    assert plan["seconds_about"] > 0
    assert plan["bytes_meanwhile"] == 4 * 384 * 4
    assert "--yes" in chat.text("model", "use", "all-MiniLM-L6-v2")
    left = chat.json("model", "use", "all-MiniLM-L6-v2", "--yes", "--background")
    assert (left["model"], left["entries"]) == ("all-MiniLM-L6-v2", 0)
    done = chat.json("model", "use", "all-MiniLM-L6-v2", "--yes")
    assert (done["model"], done["previous"], done["entries"]) == ("all-MiniLM-L6-v2", "hashing", 4)
    assert "already" in chat.text("model", "use", "all-MiniLM-L6-v2")
    assert "QUIPU_EMBEDDING_MODEL names hashing" in chat.run("model", "use", "all-MiniLM-L6-v2").stderr


def test_doctor_looks_at_the_model_that_a_database_was_changed_to(chat: CommandLine) -> None:
    shelf = chat.home / "models" / "mine"
    shutil.copytree(BUNDLED / "all-MiniLM-L6-v2", shelf)
    card = json.loads((shelf / CARD).read_text("utf-8"))
    (shelf / CARD).write_text(json.dumps(card | {"name": "mine"}), "utf-8")
    chat.json("model", "use", "mine", "--yes")
    del chat.settings["QUIPU_EMBEDDING_MODEL"]
    found = {one["name"]: one for one in chat.json("doctor")["findings"]}
    assert (found["vectors"]["state"], found["model in use"]["state"]) == ("ok", "ok")
    data = bytearray((shelf / GRAPH).read_bytes())
    data[1_000_000] ^= 1
    (shelf / GRAPH).write_bytes(data)
    done = chat.run("doctor", "--json")
    damaged = {one["name"]: one for one in json.loads(done.stdout)["findings"]}["model in use"]
    assert (damaged["state"], "damaged" in damaged["detail"]) == ("fail", True)
    assert done.returncode != 0


def test_a_model_is_shown_with_what_is_put_before_texts(quipu: CommandLine) -> None:
    shown = quipu.json("model", "show", "all-MiniLM-L6-v2")
    assert (shown["dimensions"], shown["prefixes"], shown["centred"]) == (
        384,
        {"query": "", "passage": ""},
        False,
    )
    assert "not measured" in quipu.text("model", "show", "all-MiniLM-L6-v2")
    assert quipu.run("model", "show", "nowhere").returncode != 0
