"""How many memories there were at the end of each day, thinned to what a plot can show."""

from __future__ import annotations

from datetime import date, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from quipu.interfaces.web.overview import totals
from quipu.upkeep.overview import DayCount

START = date(2024, 1, 1)
DAYS = st.dictionaries(st.integers(0, 3000), st.integers(1, 1000), max_size=500).map(
    lambda counts: [DayCount(START + timedelta(days=one), counts[one]) for one in sorted(counts)]
)


@given(DAYS)
@settings(max_examples=50)
def test_it_only_grows_and_ends_with_all_there_is(days: list[DayCount]) -> None:
    found = totals(days)
    assert found == sorted(found)
    assert [amount for _, amount in found] == sorted(amount for _, amount in found)
    assert len(found) <= 201
    assert bool(found) == bool(days)
    if days:
        assert found[-1][0].date() == days[-1].day
        assert found[-1][1] == sum(one.entries for one in days)
