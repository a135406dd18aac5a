"""The embedded database from the command line: comes when it is needed, stays when it is told to, goes."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
from cli_process import CommandLine


@pytest.fixture
def quipu(home: Path) -> CommandLine:
    return CommandLine(home, {"QUIPU_EMBEDDING_MODEL": "hashing", "QUIPU_SHARED_BUFFERS_MB": "32"})


def test_the_embedded_database_can_be_kept_looked_at_and_stopped(quipu: CommandLine) -> None:
    assert quipu.json("db", "status")["state"] == "absent"
    assert quipu.run("db", "url").returncode == 3
    memory = next(one for one in quipu.json("doctor")["findings"] if one["name"] == "memory")
    assert "not looked into" in memory["detail"]
    assert quipu.json("db", "status")["state"] == "absent"  # the doctor made nothing

    assert quipu.json("db", "start")["stays"] is True
    try:
        kept_by_the_server(quipu)
    finally:
        assert quipu.json("db", "stop") == {"stopped": True}
    assert quipu.json("db", "status")["state"] == "stopped"
    assert quipu.json("db", "stop") == {"stopped": False}
    assert (
        quipu.json("recall", "parser")["hits"][0]["text"] == "The parser is slow."
    )  # it comes when it is needed
    assert quipu.json("db", "status")["state"] == "stopped"  # and goes with its last user


def kept_by_the_server(quipu: CommandLine) -> None:
    process = quipu.json("db", "status")["pid"]
    quipu.text("observe", "The parser is slow.")
    assert quipu.json("db", "status")["pid"] == process
    assert "until `quipu db stop`" in quipu.text("db", "status")
    with psycopg.connect(quipu.text("db", "url").strip()) as conn:
        assert conn.execute("select count(*) from core.messages").fetchone() == (1,)
    counted = quipu.process("db", "psql", "-At", "-c", "select count(*) from core.messages")
    assert (counted.stdout.strip(), counted.returncode) == ("1", 0), counted.stderr
    assert quipu.process("db", "psql", "-c", "select nonsense").returncode == 1
    assert "All is well" in (shown := quipu.text("doctor")) or "warning" in shown
    assert quipu.run("db", "start").returncode == 0
