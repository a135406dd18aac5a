"""``quipu transcripts sync`` and ``index``, as people and programs call them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from coding_sessions import World

sys.path.append(str(Path(__file__).resolve().parent.parent))

from cli_process import CommandLine


@pytest.fixture
def quipu(url: str, tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path, {"QUIPU_DATABASE_URL": url, "QUIPU_EMBEDDING_MODEL": "hashing"})


def test_a_sync_shows_each_project_and_what_is_odd(quipu: CommandLine, root: Path, made: World) -> None:
    would = quipu.text("transcripts", "sync", str(root), "--pending")
    assert "my-boats" in would
    assert "kB" in would
    shown = quipu.text("transcripts", "sync", str(root), str(root / "nothing"))
    assert "my-boats" in shown
    assert "of unknown type: 2 hologram" in shown
    assert "nothing: it is not there." in shown
    assert "Nothing is new" in quipu.text("transcripts", "sync", str(root))
    assert "Nothing is new." in quipu.text("transcripts", "sync", str(root), "--pending")


def test_programs_get_the_whole_report(quipu: CommandLine, root: Path, made: World) -> None:
    told = quipu.json("transcripts", "sync", str(root), "--space", "all")
    assert told["spaces"]["all"]["sessions"] == len(made.sessions)
    assert told["spaces"]["all"]["unknown"] == {"hologram": 2}
    assert quipu.json("transcripts", "index")["spaces"] == {"all": told["spaces"]["all"]["messages"]}
    assert quipu.text("transcripts", "index").strip() == "Everything is indexed."


def test_a_root_that_is_not_there_fails_the_call(quipu: CommandLine, tmp_path: Path) -> None:
    done = quipu.run("transcripts", "sync", str(tmp_path / "nothing"))
    assert done.returncode == 2
