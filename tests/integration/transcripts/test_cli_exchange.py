"""``quipu transcripts bootstrap`` and the commands about files of ccrecall."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from ccrecall import ccrecall

from quipu.interfaces.cli.main import run


@pytest.fixture
def in_database(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    """Commands work in this test's database."""
    monkeypatch.setenv("QUIPU_DATABASE_URL", url)
    monkeypatch.setenv("QUIPU_EMBEDDING_MODEL", "hashing")


@pytest.mark.usefixtures("in_database")
def test_a_file_goes_in_is_told_of_and_comes_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(ccrecall(tmp_path / "ccrecall.db", memories=True))
    reminder = "<system-reminder>Paint dries.</system-reminder>"
    with closing(sqlite3.connect(file)) as db, db:
        said = f"{reminder}Paint the mast green, please."
        query = "update messages set content_text = ?, content_json = ? where uuid = 'u-1'"
        db.execute(query, (said, json.dumps(said)))
    assert run(["transcripts", "import-sqlite", file]) == 0
    told = capsys.readouterr().out
    assert f"written by the agent's program, left out: {len(reminder)} characters" in told
    assert "Sessions by space: my-boat (1), api (1)" in told
    assert "Put right: " in told

    assert run(["transcripts", "bootstrap", "--space", "my-boat"]) == 0
    told = capsys.readouterr().out
    assert "| The user wants the mast green. | preferences |" in told
    assert "- [ ] Paint it" in told

    assert (
        run(["transcripts", "bootstrap", "--space", "my-boat", "--format", "json", "--budget-tokens", "60"])
        == 0
    )
    document = json.loads(capsys.readouterr().out)
    assert set(document) >= {"sessions", "memories", "frequent_files", "todos"}
    assert document["tokens"] <= 60

    out = tmp_path / "ours.db"
    assert run(["transcripts", "export-sqlite", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["written"]["messages"] == 9
    assert run(["transcripts", "export-sqlite", str(out)]) == 4
    assert "there already" in capsys.readouterr().err


@pytest.mark.usefixtures("in_database")
def test_an_existing_file_is_migrated_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = ccrecall(tmp_path / "ccrecall.db")
    assert run(["transcripts", "migrate-sqlite", str(file)]) == 0
    told = capsys.readouterr().out
    assert "Made in" in told
    assert "As it was: " in told
    assert run(["transcripts", "migrate-sqlite", str(file), "--write-memories"]) == 0
    assert "has all it needs" not in capsys.readouterr().out  # the sources of memories came too
    assert run(["transcripts", "migrate-sqlite", str(file), "--write-memories"]) == 0
    assert "has all it needs" in capsys.readouterr().out
    with closing(sqlite3.connect(file)) as db:
        assert db.execute("select count(*) from memories").fetchone() == (0,)


@pytest.mark.usefixtures("in_database")
def test_where_nothing_is_known_it_says_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["transcripts", "bootstrap", "--space", "nobody"]) == 0
    told = capsys.readouterr()
    assert told.out.strip() == ""
    assert "quipu transcripts sync" in told.err
