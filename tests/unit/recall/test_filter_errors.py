"""A filter that cannot be read is refused with the part of it that is wrong."""

from __future__ import annotations

import pytest

from quipu.errors import BadInput
from quipu.recall.filters import field, parse


@pytest.mark.parametrize(
    ("filter", "named"),
    [
        ("topic", "no object of conditions"),
        ([{"a": 1}], "no object of conditions"),
        ({"a": {}}, "'a' has no operator"),
        ({"a": {"like": "x"}}, "no operator 'like'"),
        ({"value.a": {"$gt": 1}}, "'value.a' has no operator '$gt'"),
        ({"a": {"gt": True}}, "'gt' of 'a' cannot be True"),
        ({"a": {"lt": None}}, "'lt' of 'a' cannot be None"),
        ({"a": {"in": "abc"}}, "'in' of 'a' cannot be 'abc'"),
        ({"a": {"starts": 3}}, "'starts' of 'a' cannot be 3"),
        ({"a": {"exists": 1}}, "'exists' of 'a' cannot be 1"),
        ({"a": float("nan")}, "'eq' of 'a' cannot be nan"),
        ({"a": "x\0"}, "cannot be 'x\\x00'"),
        ({"a": "\ud800"}, "cannot be '\\ud800'"),
        ({"a": object}, "'eq' of 'a' cannot be"),
        ({"a..b": 1}, "no path of a field"),
        ({"": 1}, "no path of a field"),
        ({3: 1}, "no name of a field"),
        ({"and": {"a": 1}}, "'and' takes a list"),
        ({"or": []}, "'or' takes a list"),
        ({"not": [1]}, "no object of conditions"),
        ({"a": {"in": list(range(2000))}}, "more than 1000 conditions"),
    ],
)
def test_what_is_wrong_is_named(filter: object, named: str) -> None:
    with pytest.raises(BadInput) as refused:
        parse(filter)
    assert named in str(refused.value)
    assert refused.value.field == "filter"


def test_a_filter_that_is_nested_too_deep_is_refused() -> None:
    filter: dict[str, object] = {"a": 1}
    for _ in range(500):
        filter = {"not": filter}
    with pytest.raises(BadInput, match="deeper"):
        parse(filter)


@pytest.mark.parametrize("filter", [None, {}, {"and": [{}, {}]}])
def test_nothing_asked_sets_no_condition(filter: object) -> None:
    assert parse(filter) is None


def test_a_name_may_have_dots() -> None:
    read = parse({field("value", "a.b", "c\\d"): 1})
    assert read is not None
    assert '."a.b"."c\\\\d"' in str(read.parameters["value"])
