"""Positions in the log of a primary: what a read needs, and what a standby must be to have it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.kernel.db.positions import Position
from quipu.kernel.db.standbys import StandbyState


@given(st.integers(1, 2**31), st.integers(0, 2**62))
def test_a_position_is_read_as_it_is_written(timeline: int, byte: int) -> None:
    position = Position(timeline, byte)
    assert Position.read(str(position)) == position


@pytest.mark.parametrize("text", [None, "", "1", "1-", "-1", "1-G", "1-0 ", "1-" + 17 * "F", "1-1;2-2"])
def test_other_texts_tell_no_position(text: str | None) -> None:
    assert Position.read(text) is None


def test_a_later_timeline_is_later_whatever_its_byte() -> None:
    assert Position(2, 0) > Position(1, 2**60)


def test_a_server_is_a_standby_of_a_primary_or_says_why_not() -> None:
    standing = StandbyState(replays=True, system=7, position=Position(2, 100))
    assert standing.fault(7, 2) is None
    assert "another server" in str(standing.fault(8, 2))
    assert "new primary" in str(standing.fault(7, 3))
    assert "another server" in str(standing.fault(7, 1))
    promoted = StandbyState(replays=False, system=7, position=Position(2, 100))
    assert "takes writes" in str(promoted.fault(7, 2))
