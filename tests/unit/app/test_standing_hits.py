"""The place among the first hits that is kept for a standing rule."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.app.entries import RULE, with_rule
from quipu.recall.model import Hit, Repeat, Source

NOW = datetime(2026, 3, 14, tzinfo=UTC)


def hits(count: int) -> list[Hit]:
    return [one(number, 0.9 - number / 100) for number in range(count)]


def one(number: int, score: float) -> Hit:
    return Hit("message", str(number), "x", score, {"meaning": score}, NOW, NOW, Source(None, None))


def test_a_rule_that_is_far_takes_the_last_of_the_first_ten_places() -> None:
    found = with_rule(hits(50), one(30, 0.0), limit=50)
    assert [hit.id for hit in found] == [
        *map(str, range(9)),
        "30",
        *map(str, [*range(9, 30), *range(31, 50)]),
    ]
    assert found[9].parts["meaning"] == pytest.approx(0.6)
    assert found[9].score == pytest.approx(sum(found[9].parts.values()))


def test_a_rule_that_was_not_found_pushes_the_last_hit_out() -> None:
    found = with_rule(hits(10), one(77, 0.0), limit=10)
    assert [hit.id for hit in found] == [*map(str, range(9)), "77"]
    assert found[9].parts[RULE] == pytest.approx(found[9].score)
    assert [hit.id for hit in with_rule(hits(3), one(77, 0.0), limit=10)] == ["0", "1", "2", "77"]


def test_a_rule_among_the_first_ten_stays_where_it_is_also_as_a_repeat() -> None:
    assert with_rule(hits(20), one(4, 0.0), limit=20) == hits(20)
    again = [replace(hits(1)[0], repeats=(Repeat("77", NOW, Source(None, None)),)), *hits(20)[1:]]
    assert with_rule(again, one(77, 0.0), limit=20) == again


def test_few_hits_and_none_give_up_no_place() -> None:
    assert with_rule(hits(4), one(77, 0.0), limit=4) == hits(4)
    assert with_rule([], one(77, 0.0), limit=10) == []
    assert with_rule(hits(20), None, limit=20) == hits(20)


@given(st.integers(0, 30), st.integers(1, 30), st.integers(0, 40))
def test_nothing_comes_twice_or_beyond_the_limit(count: int, limit: int, rule: int) -> None:
    found = with_rule(hits(min(count, limit)), one(rule, 0.0), limit=limit)
    assert len({hit.id for hit in found}) == len(found) <= limit
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)
