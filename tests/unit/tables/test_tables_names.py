"""Names of schemas and tables."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quipu.errors import BadInput
from quipu.kinds.tables.names import check_schema, check_table, nearest, physical

SHORT = st.from_regex(r"[a-z][a-z0-9_]{0,29}", fullmatch=True)


@pytest.mark.parametrize("name", ["memory", "work", "a1_b", "s", "space", "memory_work", "x" * 30])
def test_short_names_are_good(name: str) -> None:
    assert check_schema(name) == (name.removeprefix("memory_") or name)


@pytest.mark.parametrize(
    "name",
    ["", "Work", "1a", "a-b", "a.b", 'a"b', "s2", "s12_x", "memory_s2", "x" * 31, None, 5, "a b", "é", "a\n"],
)
def test_other_names_of_schemas_are_refused(name: object) -> None:
    with pytest.raises(BadInput, match="schema"):
        check_schema(name)


@settings(max_examples=50)
@given(SHORT, SHORT, st.integers(1, 2**31 - 1), st.integers(1, 2**31 - 1), st.booleans(), st.booleans())
def test_two_schemas_never_have_one_name(a: str, b: str, m: int, n: int, plain: bool, other: bool) -> None:
    try:
        a, b = check_schema(a), check_schema(b)
    except BadInput:
        return
    first = (1 if plain else m + 1, "default" if plain else "ana", a)
    second = (1 if other else n + 1, "default" if other else "ana", b)
    assert (physical(*first) == physical(*second)) == (first == second)
    assert len(physical(*first)) < 64


def test_the_default_space_has_the_names_of_the_seed() -> None:
    assert physical(4, "default", "memory") == "memory"
    assert physical(4, "default", "work") == "memory_work"
    assert physical(4, "ana", "memory") == "memory_s4"
    assert physical(4, "ana", "work") == "memory_s4_work"


@pytest.mark.parametrize(
    "name", ["", "A", "1", "a b", 'a"', "a;b", "core.messages", "memory.x.y", "x" * 64, None]
)
def test_names_of_tables_cannot_lead_out_of_the_schema(name: object) -> None:
    with pytest.raises(BadInput):
        check_table(name, schema="memory")


def test_the_schema_may_stand_in_front_of_a_table() -> None:
    assert check_table("memory.notes", schema="memory") == "notes"
    assert check_table("notes") == "notes"


def test_the_nearest_name_is_suggested() -> None:
    assert nearest("nmae", ["name", "level"]) == "Did you mean 'name'?"
    assert nearest("zzz", ["name", "level"]) == "There are: name, level."
    assert nearest("zzz", []) == "There are none yet."
