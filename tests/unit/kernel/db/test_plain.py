"""Values of PostgreSQL as JSON knows them."""

from __future__ import annotations

import json
from functools import reduce
from typing import Any

import psycopg
import pytest

from quipu.errors import LimitReached
from quipu.kernel.base.depth import DEEPEST
from quipu.kernel.db.plain import loads, plain


def nested(depth: int) -> Any:
    return reduce(lambda inner, _: [inner], range(depth), 1)


def test_what_json_has_no_number_for_is_text() -> None:
    given = [float("nan"), float("inf"), {"low": -float("inf")}]
    assert plain(given) == ["NaN", "Infinity", {"low": "-Infinity"}]
    json.dumps(plain(given), allow_nan=False)


def test_a_value_is_nested_so_deeply_and_no_deeper() -> None:
    assert plain(nested(DEEPEST)) == nested(DEEPEST)
    with pytest.raises(LimitReached, match="::text"):
        plain(nested(DEEPEST + 1))


@pytest.mark.parametrize("text", ["[" * 100_000 + "]" * 100_000, '{"a":' * 100_000 + "1" + "}" * 100_000])
def test_json_that_is_too_deep_to_be_read_is_an_error_of_its_data(text: str) -> None:
    with pytest.raises(psycopg.DataError, match="::text"):
        loads(text)


def test_a_number_of_too_many_digits_is_an_error_of_its_data() -> None:
    assert loads("1" + "0" * 4000) == 10**4000
    with pytest.raises(psycopg.DataError, match="digits"):
        loads("1" + "0" * 5000)
