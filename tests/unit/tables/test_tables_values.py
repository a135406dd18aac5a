"""Rows as they go to PostgreSQL and come back."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quipu.errors import BadInput
from quipu.kernel.db.plain import plain
from quipu.kinds.tables.values import MOST_CHARACTERS, as_json, jsonable, parsed, row

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text("ab é'"),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", min_size=1), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(max_examples=50)
@given(JSON)
def test_what_json_can_say_goes_as_it_is(value: Any) -> None:
    assert json.loads(as_json(jsonable(value, field="data.x", clean=False))) == value


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (datetime(2026, 5, 4, 3, tzinfo=UTC), "2026-05-04T03:00:00+00:00"),
        (date(2026, 5, 4), "2026-05-04"),
        (timedelta(hours=1), "3600.0 seconds"),
        (UUID(int=5), "00000000-0000-0000-0000-000000000005"),
        (Decimal("1.50"), "1.50"),
        (b"\x01\xff", "\\x01ff"),
        (float("nan"), "nan"),
        ((1, 2), [1, 2]),
    ],
)
def test_what_json_cannot_say_goes_as_postgresql_writes_it(value: Any, written: Any) -> None:
    assert jsonable(value, field="data.x", clean=False) == written


@pytest.mark.parametrize(
    ("data", "field"),
    [
        ([1], "data"),
        ("text", "data"),
        ({"": 1}, "data"),
        ({1: 1}, "data"),
        ({"a\0": 1}, "data"),
        ({"a": object()}, "data.a"),
        ({"a": "x\0"}, "data.a"),
        ({"a": ["\ud800"]}, "data.a[0]"),
        ({"a": {"b": "x" * (MOST_CHARACTERS + 1)}}, "data.a.b"),
        ({"a": {1, 2}}, "data.a"),
    ],
)
def test_what_cannot_be_stored_is_refused_by_its_field(data: Any, field: str) -> None:
    with pytest.raises(BadInput) as caught:
        row(data, field="data", clean=False)
    assert caught.value.field == field


def test_what_is_nested_without_end_is_refused() -> None:
    nested: list[Any] = []
    nested.append(nested)
    with pytest.raises(BadInput, match="nested"):
        jsonable(nested, field="data.a", clean=False)


def test_secrets_leave_texts_at_every_depth() -> None:
    secret = "ghp_" + "a1B2" * 9
    cleaned = row({"a": [{"b": f"token {secret}"}]}, field="data", clean=True)
    assert secret not in as_json(cleaned)


def test_wrong_json_says_where() -> None:
    with pytest.raises(BadInput, match="line 1 column 2"):
        parsed("{x", field="data")
    assert parsed('{"a": 1}', field="data") == {"a": 1}


def test_values_of_postgresql_become_json() -> None:
    value = {"a": [Decimal("1.5"), UUID(int=1), date(2026, 1, 2), b"\x01", timedelta(seconds=2)]}
    assert plain(value) == {"a": ["1.5", str(UUID(int=1)), "2026-01-02", "01", 2.0]}
