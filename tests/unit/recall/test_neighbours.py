"""What an entry inherits from those around it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.recall.index import EntryValues, Shares, context, shares

NOW = datetime(2026, 3, 14, tzinfo=UTC)


def turn(words: int = 5, *, speaker: str = "a", asks: bool = False, minute: float = 0) -> EntryValues:
    return EntryValues(0, speaker, words, asks, NOW + timedelta(minutes=minute))


turns = st.builds(
    turn,
    st.integers(0, 100_000),
    speaker=st.sampled_from("abc"),
    asks=st.booleans(),
    minute=st.floats(-1e5, 1e5),
)


@given(turns, st.none() | turns, st.none() | turns, st.none() | turns)
def test_shares_are_never_less_than_nothing_nor_more_than_an_answer_takes(
    one: EntryValues, previous: EntryValues | None, before: EntryValues | None, following: EntryValues | None
) -> None:
    found = shares(one, previous=previous, before=before, next=following)
    assert 0 <= found.previous <= 0.9
    assert 0 <= found.before <= 0.25
    assert 0 <= found.next <= 0.3


def test_an_answer_to_somebody_elses_question_takes_most() -> None:
    asked, said = turn(asks=True), turn()
    assert shares(turn(0, speaker="b"), previous=asked, before=None, next=None).previous == pytest.approx(0.9)
    assert shares(turn(0, speaker="a"), previous=asked, before=None, next=None).previous == pytest.approx(0.5)
    assert shares(turn(0, speaker="b"), previous=said, before=None, next=None).previous == pytest.approx(0.5)


@given(turns, turns, st.integers(1, 1000))
def test_the_longer_it_is_itself_or_its_donor_the_less_it_takes(
    one: EntryValues, donor: EntryValues, more: int
) -> None:
    def taken(receiver: EntryValues, giver: EntryValues) -> float:
        return shares(receiver, previous=giver, before=None, next=None).previous

    longer = EntryValues(0, one.speaker, one.words + more, one.asks, one.happened_at)
    heavier = EntryValues(0, donor.speaker, donor.words + more, donor.asks, donor.happened_at)
    assert taken(longer, donor) <= taken(one, donor)
    assert taken(one, heavier) <= taken(one, donor)


@pytest.mark.parametrize(
    ("minutes", "inherits"), [(0, True), (60, True), (60.001, False), (-60, True), (-61, False)]
)
def test_nothing_is_inherited_across_a_pause_of_more_than_an_hour(minutes: float, inherits: bool) -> None:
    found = shares(turn(minute=minutes), previous=turn(), before=turn(), next=turn())
    assert all((share > 0) is inherits for share in (found.previous, found.before, found.next))


def test_who_stands_alone_inherits_nothing() -> None:
    assert shares(turn(), previous=None, before=None, next=None) == Shares()


vectors = st.lists(st.floats(-10, 10, width=32), min_size=4, max_size=4).map(
    lambda v: np.array(v, np.float32)
)


@given(vectors, st.lists(st.tuples(st.floats(0, 0.9), vectors), max_size=3))
def test_a_context_has_unit_length_or_none(
    own: np.ndarray[tuple[int], np.dtype[np.float32]], donors: list[tuple[float, np.ndarray]]
) -> None:
    kept = own.copy()
    length = float(np.linalg.norm(context(own, donors)))
    assert length == pytest.approx(1, abs=1e-3) or length == pytest.approx(0, abs=1e-6) or length < 1.01
    assert np.isfinite(length)
    assert (own == kept).all()


def test_a_context_leans_towards_its_donors() -> None:
    own, donor = np.array([1, 0], np.float32), np.array([0, 1], np.float32)
    assert context(own, []).tolist() == [1, 0]
    assert context(own, [(0.5, donor)]).tolist() == pytest.approx([0.894427, 0.447214])
    assert context(np.zeros(2, np.float32), [(0.5, donor)]).tolist() == [0, 1]
