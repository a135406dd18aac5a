"""The directory of backups: what a killed base leaves goes, what is being written stays."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

from quipu.upkeep.backup.shelf import sweep

NOW = datetime(2026, 3, 14, 12, tzinfo=UTC)


def folder(directory: Path, name: str, *, hours_ago: int, note: bool = False) -> Path:
    made = directory / name
    (made / "data" / "base").mkdir(parents=True)
    if note:
        (made / "base.json").touch()
    at = (NOW - timedelta(hours=hours_ago)).timestamp()
    for part in (made / "data" / "base", made / "data", made):
        os.utime(part, (at, at))
    return made


def test_what_a_killed_base_left_goes_after_a_day(tmp_path: Path) -> None:
    left = folder(tmp_path, "base-1", hours_ago=30)
    written = folder(tmp_path, "base-2", hours_ago=30)
    os.utime(written / "data" / "base", (NOW.timestamp(), NOW.timestamp()))
    whole = folder(tmp_path, "base-3", hours_ago=3_000, note=True)
    other = folder(tmp_path, "wal", hours_ago=3_000)
    sweep(tmp_path, before=NOW - timedelta(days=1))
    assert [one.exists() for one in (left, written, whole, other)] == [False, True, True, True]
