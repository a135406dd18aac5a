"""What entries inherit, mixed again from the shares that are stored."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.recall.index import Shares
from quipu.upkeep.reembed.batches import Entry, contexts, donors

SHARE = st.sampled_from([0.0, 0.1, 0.5, 0.9])
ENTRIES = st.lists(
    st.builds(Entry, st.integers(1, 12), st.builds(Shares, SHARE, SHARE, SHARE)),
    min_size=1,
    max_size=12,
    unique_by=lambda entry: entry.id,
)


def directions(ids: range) -> dict[int, np.ndarray]:
    """A direction for each id, none near another's opposite."""
    rows = np.random.default_rng(7).random((len(ids), 5), np.float32)
    return dict(zip(ids, rows / np.linalg.norm(rows, axis=1, keepdims=True), strict=True))


@given(ENTRIES)
def test_every_context_has_unit_length_and_stays_near_the_entry_itself(entries: list[Entry]) -> None:
    own = directions(range(-1, 15))
    mixed = contexts(entries, own)
    assert np.linalg.norm(mixed, axis=1) == pytest.approx(1, abs=1e-5)
    for entry, row in zip(entries, mixed, strict=True):
        assert (entry.shares == Shares()) == bool(np.allclose(row, own[entry.id], atol=1e-6))


@given(ENTRIES)
def test_donors_are_those_beside_the_entries_that_give_something_and_no_others(entries: list[Entry]) -> None:
    ids = {entry.id for entry in entries}
    needed = donors(entries)
    assert not needed & ids
    own = directions(range(-1, 15))
    exactly = {number: row for number, row in own.items() if number in needed | ids}
    assert (contexts(entries, exactly) == contexts(entries, own)).all()
    for donor in needed:
        without = {number: row for number, row in exactly.items() if number != donor}
        assert not np.allclose(contexts(entries, without), contexts(entries, exactly), atol=1e-6)


def test_one_without_a_direction_takes_over_those_beside_it_or_stays_without() -> None:
    own = {1: np.array([0, 1], np.float32), 2: np.zeros(2, np.float32), 3: np.zeros(2, np.float32)}
    entries = [Entry(2, Shares(previous=0.5)), Entry(3, Shares(previous=0.5))]
    assert contexts(entries, own).tolist() == [[0, 1], [0, 0]]
