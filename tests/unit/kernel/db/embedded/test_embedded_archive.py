"""The commands that fill the archive of the log and read it back, run by a shell as PostgreSQL would."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from quipu.kernel.db.embedded.archive import archive_command, restore_command

NAME = "000000010000000000000003"


def call(command: str, path: Path, name: str = NAME) -> int:
    """What PostgreSQL does with a command: fills in path and name, and looks at the exit code."""
    text = command.replace("%%", "\0").replace("%p", str(path)).replace("%f", name).replace("\0", "%")
    return subprocess.run(["/bin/sh", "-c", text], check=False, capture_output=True).returncode


@pytest.fixture(params=["wal", 'it\'s a 100% $HOME `x` "place"'])
def directory(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / str(request.param)
    path.mkdir()
    return path


def test_a_segment_comes_back_as_it_was(directory: Path, tmp_path: Path) -> None:
    segment, back = tmp_path / "segment", tmp_path / "back"
    segment.write_bytes(bytes(range(256)) * 100)
    assert call(archive_command(directory), segment) == 0
    assert [one.name for one in directory.iterdir()] == [f"{NAME}.gz"]
    assert call(restore_command(directory), back) == 0
    assert back.read_bytes() == segment.read_bytes()


def test_a_damaged_segment_is_not_taken_for_the_end_of_the_log(directory: Path, tmp_path: Path) -> None:
    segment, back = tmp_path / "segment", tmp_path / "back"
    segment.write_bytes(bytes(range(256)) * 100)
    assert call(archive_command(directory), segment) == 0
    kept = directory / f"{NAME}.gz"
    kept.write_bytes(kept.read_bytes()[:-20])
    assert call(restore_command(directory), back) > 128  # PostgreSQL gives up, as after a signal
    assert call(restore_command(directory), back, "000000010000000000000004") == 1  # and here it goes on


def test_a_segment_is_never_written_over(directory: Path, tmp_path: Path) -> None:
    segment, other, back = tmp_path / "segment", tmp_path / "other", tmp_path / "back"
    segment.write_bytes(b"one")
    other.write_bytes(b"two")
    assert call(archive_command(directory), segment) == 0
    assert call(archive_command(directory), segment) == 0  # PostgreSQL may ask twice after a crash
    assert call(archive_command(directory), other) != 0
    assert call(restore_command(directory), back) == 0
    assert back.read_bytes() == b"one"


def test_what_cannot_be_read_is_not_archived(directory: Path, tmp_path: Path) -> None:
    assert call(archive_command(directory), tmp_path / "absent") != 0
    assert not (directory / f"{NAME}.gz").exists()


def test_a_segment_that_never_came_to_the_archive_is_looked_for_beside(
    directory: Path, tmp_path: Path
) -> None:
    left, back = tmp_path / "pg_wal", tmp_path / "back"
    left.mkdir()
    (left / NAME).write_bytes(b"left")
    assert call(restore_command(directory), back) != 0
    assert call(restore_command(directory, left=left), back) == 0
    assert back.read_bytes() == b"left"
    assert call(restore_command(directory, left=left), back, "00000002.history") != 0
