"""``quipu snapshots`` as commands, over a real database."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from quipu import Memory
from quipu.errors import NotFound
from quipu.interfaces.cli.call import Call
from quipu.interfaces.cli.commands.snapshots import command
from quipu.kernel.config import Settings


def test_a_snapshot_is_taken_shown_put_back_and_deleted(
    module_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("QUIPU_EMBEDDING_MODEL", "hashing")
    monkeypatch.setenv("QUIPU_SNAPSHOT_DIRECTORY", str(tmp_path / "kept"))

    def text(*words: str, as_json: bool = False) -> str:
        call = Call(url=module_url, json=as_json)
        done = CliRunner().invoke(command, list(words), obj=call, catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.stdout

    def answer(*words: str) -> Any:
        return json.loads(text(*words, as_json=True))

    where = {"space": "default"}
    with Memory(settings=Settings(database_url=module_url)) as memory:
        memory.tables.execute("create table memory.boats (name text)", **where, confirm=True)
        memory.tables.insert("boats", {"name": "Alba"}, **where)
        name = answer("create")["name"]
        assert name in text("list")
        memory.tables.delete("boats", where="true", **where, confirm=True)
        shown = text("restore", name)
        assert "Done" not in shown
        assert ["boats", "0", "1"] in [line.split() for line in shown.splitlines()]
        assert "To undo it: quipu snapshots restore memory_" in text("restore", name, "--yes")
        assert memory.tables.query("select name from boats", **where).results == ({"name": "Alba"},)
        assert "1 table, 1 row" in text("export", str(tmp_path / "x.sql"))
        assert not answer("import-dump", str(tmp_path / "x.sql"))["done"]
        assert answer("import-dump", str(tmp_path / "x.sql"), "--yes")["after"] == {"boats": 1}
        assert "0 snapshots would go, 3 stay" in text("prune")
        assert answer("get", name)["name"] == name
        assert not answer("erase", name)["done"]
        assert answer("erase", name, "--yes")["done"]
        with pytest.raises(NotFound, match="no snapshot"):
            text("erase", name)
        assert len(answer("list")["items"]) == 2
