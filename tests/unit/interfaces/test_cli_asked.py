"""The last question is kept without anything that the memories say."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest

from quipu.errors import NotFound
from quipu.interfaces.cli.last_recall import Filters, LastRecall, drop, last, remember

FILTERS = Filters(
    space="demo",
    user=None,
    session="s1",
    kinds=["message"],
    since=None,
    until="2025-01-01",
    limit=3,
    filter={"rank": 3},
)
ASKED = LastRecall("Who is the dog?", FILTERS, (("message", "12"), ("message", "7")))


def test_what_was_asked_is_read_back(tmp_path: Path) -> None:
    remember(ASKED, home=tmp_path / "new")
    assert last(home=tmp_path / "new") == ASKED


def test_only_the_last_question_is_kept(tmp_path: Path) -> None:
    remember(ASKED, home=tmp_path)
    remember(LastRecall("And the cat?", FILTERS, ()), home=tmp_path)
    assert last(home=tmp_path).question == "And the cat?"
    assert [path.name for path in tmp_path.iterdir()] == ["last-recall.json"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_nobody_else_can_read_it(tmp_path: Path) -> None:
    remember(ASKED, home=tmp_path / "new")
    assert stat.S_IMODE((tmp_path / "new" / "last-recall.json").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700


def test_a_dropped_question_is_gone_and_may_be_dropped_again(tmp_path: Path) -> None:
    remember(ASKED, home=tmp_path)
    drop(home=tmp_path)
    drop(home=tmp_path)
    with pytest.raises(NotFound, match="No question"):
        last(home=tmp_path)


@pytest.mark.parametrize("kept", ["", "{}", "[1]", '{"question": "x", "filters": {}, "hits": [1]}', "\udcff"])
def test_a_file_that_cannot_be_read_counts_as_none(tmp_path: Path, kept: str) -> None:
    (tmp_path / "last-recall.json").write_bytes(kept.encode("utf-8", "surrogateescape"))
    with pytest.raises(NotFound):
        last(home=tmp_path)
