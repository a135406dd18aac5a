"""``quipu export`` and ``quipu import quipu``, over a real database."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from quipu import Memory
from quipu.errors import BadInput
from quipu.interfaces.cli.call import Call
from quipu.interfaces.cli.commands.export import command as export
from quipu.interfaces.cli.commands.imports import command as imports
from quipu.kernel.config import Settings


def test_a_space_is_exported_looked_at_and_taken_in(
    module_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("QUIPU_EMBEDDING_MODEL", "hashing")
    path = str(tmp_path / "work.tar.zst")

    def text(command: click.Command, *words: str, as_json: bool = False) -> str:
        call = Call(url=module_url, json=as_json)
        done = CliRunner().invoke(command, list(words), obj=call, catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.stdout

    def answer(command: click.Command, *words: str) -> Any:
        return json.loads(text(command, *words, as_json=True))

    with Memory(settings=Settings(database_url=module_url)) as memory:
        memory.observe([{"content": "The boat is blue."}], space="work", session="s", user="una")
        memory.observe([{"content": "The sail is red."}], space="work", session="t", user="bo")
        written = answer(export, path, "--space", "work")
        assert (written["path"], written["records"]["messages"]) == (path, 2)
        seen = answer(imports, "quipu", path, "--space", "again", "--preview")
        assert (seen["done"], seen["records"]) == (False, written["records"])
        assert "would be taken in" in text(imports, "quipu", path, "--space", "again", "--preview")
        assert "taken in" in text(imports, "quipu", path, "--space", "again")
        assert memory.recall("boat", space="again")[0].text == "The boat is blue."
        assert "messages" in text(export, str(tmp_path / "una"), "--space", "work", "--user", "una")
        assert "sail" not in (tmp_path / "una" / "messages.ndjson").read_text()
        memory.ledger.set("boat", "blue", space="work", user="una")
        shown = text(export, str(tmp_path / "notes"), "--space", "work", "--format", "markdown")
        assert "Left out, as markdown has no place for it: ledger." in shown
        assert "The sail is red." in "".join(path.read_text() for path in (tmp_path / "notes").rglob("*.md"))
        assert answer(export, str(tmp_path / "v"), "--space", "work", "--vectors")["records"]["vectors"] > 1
        seen = answer(imports, "quipu", str(tmp_path / "v"), "--space", "third")
        assert seen["vectors"] == "taken"
        assert memory.recall("sail", space="third")[0].text == "The sail is red."
        with pytest.raises(BadInput, match="there already"):
            text(export, path, "--space", "work")
