"""What ``quipu doctor`` finds, and that it leaves everything as it is."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import psycopg
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


def test_doctor_looks_into_a_server_by_url(chat: CommandLine) -> None:
    found = {one["name"]: one for one in chat.json("doctor")["findings"]}
    assert "4 memories in 1 space" in found["memory"]["detail"]
    assert found["schema"]["state"] == found["vectors"]["state"] == found["model"]["state"] == "ok"


def test_doctor_reads_everything_only_when_it_is_asked_to(chat: CommandLine) -> None:
    contents = [one for one in chat.json("doctor")["findings"] if one["name"] == "contents"]
    assert [(one["state"], "--deep" in one["hint"]) for one in contents] == [("ok", True)]
    contents = [one for one in chat.json("doctor", "--deep")["findings"] if one["name"] == "contents"]
    assert [(one["state"], one["detail"]) for one in contents] == [("ok", "all that is stored fits together")]


def test_doctor_names_what_does_not_fit_together_and_leaves_it(chat: CommandLine, url: str) -> None:
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute("delete from core.recall_vectors")
        conn.execute("update core.spaces set tokens = tokens + 1")
    for _ in range(2):  # the first one repaired nothing
        done = chat.run("doctor", "--deep", "--json")
        assert done.returncode == 5
        found = [one for one in json.loads(done.stdout)["findings"] if one["name"] == "contents"]
        hints = {one["detail"].split(" (")[0]: one["hint"] for one in found if one["state"] == "fail"}
        assert "quipu reembed" in hints["space 'chat': entries without vector"]
        assert "take it in again" in hints["space 'chat': space that miscounts"]


def test_vectors_that_are_missing_are_made_by_the_way_out_that_doctor_names(
    chat: CommandLine, url: str
) -> None:
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute("delete from core.recall_vectors")
    assert chat.run("doctor", "--deep").returncode == 5
    assert chat.json("reembed", "--model", "all-MiniLM-L6-v2")["entries"] == 4
    assert chat.json("reembed")["entries"] == 4
    assert chat.run("doctor", "--deep").returncode == 0


def test_doctor_notices_a_damaged_model(quipu: CommandLine) -> None:
    shelf = quipu.home / "models" / "mine"
    shutil.copytree(BUNDLED / "all-MiniLM-L6-v2", shelf)
    card = json.loads((shelf / CARD).read_text("utf-8"))
    (shelf / CARD).write_text(json.dumps(card | {"name": "mine"}), "utf-8")
    quipu.settings["QUIPU_EMBEDDING_MODEL"] = "mine"
    assert [one["state"] for one in quipu.json("doctor")["findings"] if one["name"] == "model"] == ["ok"]
    with (shelf / GRAPH).open("r+b") as file:
        file.seek(1_000_000)
        file.write(b"\xff" * 8)
    done = quipu.run("doctor", "--json")
    assert done.returncode == 6
    (found,) = [one for one in json.loads(done.stdout)["findings"] if one["name"] == "model"]
    assert "damaged" in found["detail"]
    assert "quipu model add" in found["hint"]


def test_doctor_says_which_part_is_ill(quipu: CommandLine) -> None:
    quipu.settings["QUIPU_DATABASE_URL"] = "postgresql://nobody@127.0.0.1:1/none"
    done = quipu.run("doctor", "--json")
    assert done.returncode == 5
    memory = next(one for one in json.loads(done.stdout)["findings"] if one["name"] == "memory")
    assert memory["state"] == "fail"
    assert memory["hint"]
    quipu.settings["QUIPU_EMBEDDING_MODEL"] = "nosuch"
    assert quipu.run("doctor").returncode in (5, 6)
