"""What is to be synced stays on the list until it is done."""

from __future__ import annotations

import json
from pathlib import Path

from quipu.interfaces.hooks import client
from quipu.interfaces.hooks.daemon import pending


def test_what_a_hook_wrote_down_is_found_once(tmp_path: Path) -> None:
    home = str(tmp_path)
    client.write_down(home, "/a/1.jsonl", None)
    client.write_down(home, "/a/1.jsonl", None)
    client.write_down(home, "/a/2.jsonl", "boat")
    folder = Path(client.run_directory(home)) / "pending"
    assert {(str(one.path), one.space) for one in pending.take(folder)} == {
        ("/a/1.jsonl", None),
        ("/a/2.jsonl", "boat"),
    }


def test_what_was_begun_and_not_done_is_found_again(tmp_path: Path) -> None:
    (tmp_path / "aa").write_text(json.dumps({"path": "/a/1.jsonl", "space": None}))
    (first,) = pending.take(tmp_path)
    (again,) = pending.take(tmp_path)
    assert first == again
    again.done()
    assert list(pending.take(tmp_path)) == []


def test_what_is_asked_while_it_is_done_stays(tmp_path: Path) -> None:
    (tmp_path / "aa").write_text(json.dumps({"path": "/a/1.jsonl", "space": None}))
    (first,) = pending.take(tmp_path)
    (tmp_path / "aa").write_text(json.dumps({"path": "/a/1.jsonl", "space": None}))
    first.done()
    assert pending.count(tmp_path) == 1


def test_a_file_that_cannot_be_read_is_dropped(tmp_path: Path) -> None:
    (tmp_path / "bad").write_text("{")
    assert list(pending.take(tmp_path)) == []
    assert pending.count(tmp_path) == 0


def test_a_half_written_one_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / ".half-1").write_text("{")
    assert list(pending.take(tmp_path)) == []
    assert (tmp_path / ".half-1").exists()
