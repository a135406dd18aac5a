"""Filters select on the server what a plain evaluation in Python selects."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

from quipu.recall.filters import ROOTS, Filter, parse

JSON = Any
MATCH = """
select coalesce(m @@ %(metadata)s::jsonpath, true)
    and (%(value)s::jsonpath is null or coalesce(v @@ %(value)s::jsonpath, %(no_value)s))
    and coalesce(
        jsonb_build_object('metadata', m)
            || case when v is null then '{}' else jsonb_build_object('value', v) end
        @@ %(both)s::jsonpath, true),
    m @@ %(alone)s::jsonpath
from (select %(m)s::jsonb as m, %(v)s::jsonb as v) one
"""
MISSING = object()
NAMES = st.sampled_from(["a", "b", "value", "metadata", "x.y", "ä", '"', "$", "\\"])
TEXTS = st.sampled_from(
    ["", "a", "b", "ab", "Ab", "ÄB", "äb", ".*", '"', "\\", "\n", "\U0001f600", "\uffff", "1"]
)
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 2), st.sampled_from([0.1, 1.0, -1.5, 1e300, 2**70]), TEXTS
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=2),
    max_leaves=4,
)
OPERATORS = st.one_of(
    st.builds(lambda op, v: {op: v}, st.sampled_from(["eq", "ne", "contains"]), VALUES),
    st.builds(
        lambda op, v: {op: v},
        st.sampled_from(["gt", "gte", "lt", "lte"]),
        TEXTS | st.integers(-2, 2) | st.sampled_from([0.1, 1.0]),
    ),
    st.builds(lambda op, v: {op: v}, st.sampled_from(["in", "nin"]), st.lists(VALUES, max_size=3)),
    st.builds(lambda op, v: {op: v}, st.sampled_from(["icontains", "starts"]), TEXTS),
    st.builds(lambda v: {"exists": v}, st.booleans()),
)
FIELDS = st.builds(
    lambda root, names: ".".join(n.replace("\\", "\\\\").replace(".", "\\.") for n in [root, *names]),
    st.sampled_from(ROOTS),
    st.lists(NAMES, max_size=2),
)
FILTERS = st.recursive(
    st.dictionaries(FIELDS, OPERATORS, min_size=1, max_size=2),
    lambda inner: st.one_of(
        st.builds(
            lambda word, parts: {word: parts},
            st.sampled_from(["and", "or"]),
            st.lists(inner, min_size=1, max_size=2),
        ),
        st.builds(lambda part: {"not": part}, inner),
    ),
    max_leaves=3,
)


@pytest.fixture(scope="module")
def connection(module_url: str) -> Any:
    with psycopg.connect(module_url, autocommit=True) as conn:
        yield conn


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(FILTERS, st.dictionaries(NAMES, VALUES, max_size=3), VALUES | st.just(MISSING))
@example({"value": {"eq": {}}}, {}, {})
@example({"not": {"value.a": {"gt": 1}}}, {}, "b")
@example({"or": [{"value.a": {"eq": None}}, {"metadata.a": {"exists": False}}]}, {"a": 1}, {"a": None})
def test_a_filter_selects_what_it_says(
    connection: psycopg.Connection[tuple[bool, bool]], filter: Mapping[str, JSON], metadata: JSON, value: JSON
) -> None:
    read = parse(filter)
    assert read is not None
    row = connection.execute(
        MATCH,
        {
            **read.parameters,
            "alone": read.over_metadata,
            "m": Jsonb(metadata),
            "v": None if value is MISSING else Jsonb(value),
        },
    ).fetchone()
    assert row is not None
    with_value, alone = row
    of = {"metadata": metadata} if value is MISSING else {"metadata": metadata, "value": value}
    assert with_value == holds(filter, of)
    assert alone == holds(filter, {"metadata": metadata})


def test_a_path_of_the_whole_filter_is_one_parameter() -> None:
    read = parse({"agent_id": "x') or true --", "value.n": 1, "not": {"value.n": 2, "topic": "y"}})
    assert isinstance(read, Filter)
    paths = {name: str(path) for name, path in read.parameters.items()}
    assert "agent_id" in paths["metadata"]
    assert "agent_id" not in paths["value"]
    assert '."value"' in paths["both"]
    assert '."metadata"' in paths["both"]
    assert read.equal("agent_id") == "x') or true --"
    assert read.equal("topic") is None


def holds(filter: Mapping[str, JSON], of: Mapping[str, JSON]) -> bool:
    """Evaluate a filter plainly."""
    return all(_term(name, operand, of) for name, operand in filter.items())


def _term(name: str, operand: JSON, of: Mapping[str, JSON]) -> bool:
    if name in ("and", "or"):
        return (all if name == "and" else any)(holds(part, of) for part in operand)
    if name == "not":
        return not holds(operand, of)
    there, found = _looked_up(name, of)
    return all(_operator(operator, value, there, found) for operator, value in operand.items())


def _looked_up(name: str, of: JSON) -> tuple[bool, JSON]:
    names, escaped = [""], False
    for character in name:
        if not escaped and character in ".\\":
            escaped = character == "\\"
            if character == ".":
                names.append("")
            continue
        names[-1], escaped = names[-1] + character, False
    for one in names:
        if not isinstance(of, Mapping) or one not in of:
            return False, None
        of = of[one]
    return True, of


def _operator(operator: str, value: JSON, there: bool, found: JSON) -> bool:
    if operator in ("ne", "nin"):
        return not _operator({"ne": "eq", "nin": "in"}[operator], value, there, found)
    if operator == "exists":
        return there == value
    if not there:
        return False
    if operator == "eq":
        return _key(found) == _key(value)
    if operator == "in":
        return any(_key(found) == _key(one) for one in value)
    if operator == "contains":
        if isinstance(found, list):
            return any(_key(one) == _key(value) for one in found)
        return isinstance(found, str) and isinstance(value, str) and value in found
    if operator in ("icontains", "starts"):
        if not isinstance(found, str):
            return False
        return value.lower() in found.lower() if operator == "icontains" else found.startswith(value)
    left, right = _key(found), _key(value)
    if left[0] != right[0] or left[0] not in ("number", "text"):
        return False
    return {"gt": left > right, "gte": left >= right, "lt": left < right, "lte": left <= right}[operator]


def _key(value: JSON) -> Any:
    """Return what two equal JSON values share."""
    if isinstance(value, bool) or value is None:
        return ("constant", value)
    if isinstance(value, int | float):
        return ("number", Decimal(repr(value)))
    if isinstance(value, str):
        return ("text", value)
    if isinstance(value, list):
        return ("list", tuple(map(_key, value)))
    return ("object", frozenset((name, _key(one)) for name, one in value.items()))
