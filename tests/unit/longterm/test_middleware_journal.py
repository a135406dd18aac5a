"""What went wrong outlives the program, holds no word of a conversation, and stays small."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

from quipu.errors import BadInput, DatabaseUnavailable
from quipu.interfaces.middleware.journal import Journal, Trouble, told, troubles

NOW = datetime(2026, 3, 14, 12, tzinfo=UTC)
DAY = timedelta(days=1)


def test_the_same_trouble_is_written_at_once_and_then_counted(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    for second in range(50):
        journal.note("before", "no answer", now=NOW + timedelta(seconds=second))
    assert troubles(tmp_path, since=NOW) == [Trouble(at=NOW, part="before", trouble="no answer")]
    journal.note("before", "no answer", now=NOW + timedelta(seconds=90))
    journal.note("after", "other", now=NOW + timedelta(seconds=91))
    journal.close()
    found = troubles(tmp_path, since=NOW)
    assert sum(one.times for one in found if one.part == "before") == 51
    assert [one.trouble for one in found if one.part == "after"] == ["other"]
    assert troubles(tmp_path, since=NOW + DAY) == []


def test_the_file_is_nobody_else_s_and_stays_small(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    for number in range(300):
        journal.note("after", f"{number} " + 2_500 * "x", now=NOW)
    files = sorted(tmp_path.iterdir())
    assert [one.name for one in files] == ["middleware.jsonl", "middleware.old.jsonl"]
    assert all(one.stat().st_mode & 0o077 == 0 for one in files)
    assert sum(one.stat().st_size for one in files) < 600_000
    assert troubles(tmp_path, since=NOW)[-1].trouble.startswith("299 ")


def test_lines_that_mean_nothing_are_passed_over(tmp_path: Path) -> None:
    Journal(tmp_path).note("open", "down", now=NOW)
    with (tmp_path / "middleware.jsonl").open("ab") as file:
        file.write(
            b'{"at": 1}\nnonsense\n{"at": "2026-03-14T13:00:00", "part": "open", "times": 1}\n\xff\n[1]\n'
        )
        file.write(json.dumps({"at": NOW.isoformat(), "part": "open", "trouble": "cut"}).encode()[:30])
    assert [one.trouble for one in troubles(tmp_path, since=NOW)] == ["down"]


def test_a_home_that_cannot_be_written_is_no_failure(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    Journal(tmp_path / "file" / "home").note("before", "x", now=NOW)
    assert troubles(tmp_path / "none", since=NOW) == []


def test_errors_are_told_without_what_was_said() -> None:
    assert told(BadInput("it is 'my secret boat'", field="content")) == "BadInput: content cannot be taken"
    assert told(KeyError("my secret boat")) == "KeyError"
    assert told(DatabaseUnavailable("nobody answers")) == "DatabaseUnavailable: nobody answers"
    key = "sk-" + "proj-" + "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zAb3dEf6hIj9kLm2n"
    assert key not in told(DatabaseUnavailable(f"refused {key}"))
