"""Which places of the log are in the past of a timeline."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from quipu.errors import ServerError
from quipu.kernel.db.embedded.archive import Timeline, forks, place_of, timeline_of
from quipu.kernel.db.embedded.binaries import Binaries
from quipu.kernel.db.embedded.process import Account

HISTORY = "1\t0/50001A8\tbefore 2026-05-04 10:00:00+00\n\n2\t1/A0000000\tno recovery target specified\n"
BINARIES = Binaries(bin_dir=Path("/nowhere"), major=18, minor=1, source="package")
OURSELVES = Account(name="ana", uid=0, gid=0)


def test_a_history_says_where_each_older_timeline_was_left() -> None:
    assert forks(HISTORY) == {1: 0x50001A8, 2: 0x1_A000_0000}
    assert forks("") == {}
    assert place_of("16/B374D848") == 0x16_B374_D848


def test_the_past_of_a_timeline_ends_where_an_older_one_was_left() -> None:
    line = Timeline(3, forks(HISTORY))
    assert line.passes(1, 0x50001A8)
    assert not line.passes(1, 0x50001A9)
    assert line.passes(2, 0x1_0000_0000)
    assert line.passes(3, 2**60)
    assert not line.passes(4, 1)


def test_without_data_the_newest_timeline_of_the_archive_is_followed(tmp_path: Path) -> None:
    found = timeline_of(None, wal=tmp_path, binaries=BINARIES, account=OURSELVES)
    assert (found.number, found.forks) == (1, {})
    for number in (2, 3):
        (tmp_path / f"{number:08X}.history.gz").write_bytes(gzip.compress(HISTORY.encode()))
    found = timeline_of(None, wal=tmp_path, binaries=BINARIES, account=OURSELVES)
    assert (found.number, found.forks) == (3, forks(HISTORY))


def test_data_that_do_not_say_where_they_are_are_not_guessed_at(tmp_path: Path) -> None:
    with pytest.raises(ServerError, match="cannot be run"):
        timeline_of(tmp_path, wal=tmp_path, binaries=BINARIES, account=OURSELVES)
