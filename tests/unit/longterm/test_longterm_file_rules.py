"""What a row of a file of the seed means."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quipu.kinds.longterm.rules import summary_hash
from quipu.kinds.longterm.sqlite.rules import Reader, Refused, Taken, moment, written

NOW = datetime(2026, 3, 14, 12, tzinfo=UTC)
ID = "6fa459ea-ee8a-4ca4-894e-db77e160355e"
ROW = {
    "id": ID,
    "category": "pets",
    "importance": "low",
    "summary": "Has a dog",
    "details": None,
    "hash": summary_hash("Has a dog"),
    "source": "conversation",
    "created_at": "2025-11-03 10:22:33",
    "updated_at": "2025-11-04T10:22:33.500Z",
    "last_accessed_at": None,
    "access_count": 4,
    "version": 2,
    "archived": 0,
}


def read(**changes: Any) -> tuple[Taken, dict[str, int]]:
    reader = Reader(now=NOW, secrets=True)
    taken = reader.read({**ROW, **changes})
    return taken, dict(reader.repaired)


def test_a_good_row_is_taken_as_it_is() -> None:
    taken, repaired = read()
    assert repaired == {}
    assert (taken.id, taken.category, taken.importance, taken.summary) == (
        UUID(ID),
        "pets",
        "low",
        "Has a dog",
    )
    assert (taken.access_count, taken.version, taken.archived, taken.source) == (4, 2, False, "conversation")
    assert taken.created_at == datetime(2025, 11, 3, 10, 22, 33, tzinfo=UTC)
    assert taken.updated_at == datetime(2025, 11, 4, 10, 22, 33, 500_000, tzinfo=UTC)


@pytest.mark.parametrize(
    ("field", "told", "meant", "what"),
    [
        ("category", "Favourite Things", "favorite_things", "categories"),
        ("category", "professional-profile", "professional_profile", "categories"),
        ("category", "PREFERENCES", "preference", "categories"),
        ("importance", "HIGH", "high", "importances"),
        ("importance", "critical", "high", "importances"),
        ("hash", "deadbeef", summary_hash("Has a dog"), "hashes"),
        ("access_count", -3, 0, "access counts"),
        ("access_count", "many", 0, "access counts"),
        ("version", 0, 1, "versions"),
        ("created_at", "long ago", NOW, "times"),
        ("created_at", "2999-01-01", NOW, "times"),
    ],
)
def test_what_means_something_is_put_right(field: str, told: object, meant: object, what: str) -> None:
    taken, repaired = read(**{field: told})
    assert getattr(taken, field) == meant
    assert repaired == {what: 1}


@pytest.mark.parametrize("told", [1, "1", "true", True])
def test_archived_has_many_words(told: object) -> None:
    assert read(archived=told)[0].archived


@pytest.mark.parametrize("told", [0, None, "0", "false", ""])
def test_not_archived_too(told: object) -> None:
    assert not read(archived=told)[0].archived


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"category": "weather"}, "category 'weather' is none of preference"),
        ({"category": None}, "category"),
        ({"importance": 3}, "importance"),
        ({"summary": None}, "no summary"),
        ({"summary": " \n"}, "no summary"),
        ({"summary": "x" * 2_001}, "2,001 characters"),
        ({"details": "x" * 10_001}, "details"),
    ],
)
def test_what_means_nothing_is_refused(changes: dict[str, object], why: str) -> None:
    with pytest.raises(Refused, match=why):
        read(**changes)


def test_secrets_are_cut_out_and_counted() -> None:
    reader = Reader(now=NOW, secrets=True)
    taken = reader.read({**ROW, "details": "password: hunter2-Xy9$kl"})
    assert "hunter2" not in str(taken.details)
    assert sum(reader.redacted.values()) == 1


def test_an_id_that_is_none_is_made_from_what_the_row_says_the_same_each_time() -> None:
    one, repaired = read(id="memory-7")
    assert one.id == read(id="memory-7")[0].id != read(id="memory-8")[0].id
    assert repaired == {"ids": 1}


def test_a_row_of_an_older_program_lacks_columns() -> None:
    reader = Reader(now=NOW, secrets=True)
    taken = reader.read({"id": ID, "category": "pets", "importance": "low", "summary": "Has a dog"})
    assert (taken.created_at, taken.updated_at, taken.version, taken.archived) == (NOW, NOW, 1, False)


@settings(max_examples=50)
@given(st.datetimes(min_value=datetime(1970, 1, 2), max_value=datetime(2030, 1, 1)))
def test_times_come_back_to_the_millisecond(at: datetime) -> None:
    at = at.replace(tzinfo=UTC, microsecond=at.microsecond // 1000 * 1000)
    assert moment(written(at)) == at


@settings(max_examples=50)
@given(st.one_of(st.text(max_size=30), st.floats(), st.integers(), st.none(), st.binary(max_size=8)))
def test_any_value_is_a_time_or_none(told: object) -> None:
    read_ = moment(told)
    assert read_ is None or read_.tzinfo is UTC
