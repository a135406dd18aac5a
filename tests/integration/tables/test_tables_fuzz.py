"""Whatever is sent to the tools, the answer is an envelope, and nothing that is not its own changes."""

from __future__ import annotations

from typing import Any

import pytest
from fingerprint import fingerprint
from hypothesis import given, settings
from hypothesis import strategies as st
from tables_house import House

from quipu.kinds.tables.model import Schema

PIECES = """select insert update delete drop alter create truncate copy table schema from into where set role
cascade begin commit do $$ $a$ ' " -- /* */ ; , ( ) * = core.messages tables.passwords schema_registry notes
body id 1 'x' :search_embedding ::text null $1 execute public union all with as grant to"""
WORDS = PIECES.split()
STATEMENTS = st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join) | st.text(max_size=30)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(WORDS),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["id", "body", "=", "in", "like", "x"]), inner, max_size=3)
    ),
    max_leaves=6,
)
NOTES = st.just("notes")
CALLS = st.one_of(
    st.tuples(st.just("memory:query"), st.fixed_dictionaries({"sql": STATEMENTS | JSON})),
    st.tuples(st.just("memory:schema:execute"), st.fixed_dictionaries({"sql": STATEMENTS})),
    st.tuples(
        st.just("memory:insert"), st.fixed_dictionaries({"table": JSON | st.just("notes"), "data": JSON})
    ),
    st.tuples(
        st.just("memory:update"),
        st.fixed_dictionaries({"table": NOTES, "data": JSON, "where": JSON | STATEMENTS}),
    ),
    st.tuples(
        st.just("memory:delete"),
        st.fixed_dictionaries({"table": st.just("notes"), "where": JSON | STATEMENTS}),
    ),
    st.tuples(
        st.just("memory:schema:create-table"),
        st.fixed_dictionaries(
            {
                "name": st.sampled_from(["a", "b", "notes"]),
                "description": JSON,
                "embed_fields": JSON,
                "column_descriptions": JSON,
                "sql": STATEMENTS | st.just("create table a (id int, body text)"),
            }
        ),
    ),
)


@pytest.fixture(scope="module")
def own(house: House) -> Schema:
    house.memory.tables.execute("create table notes (id int, body text)", space="fuzz", confirm=True)
    return house.schema("fuzz")


def test_every_call_ends_in_an_envelope_and_nothing_else_changes(house: House, own: Schema) -> None:
    before = fingerprint(house.url, own)
    send(house)
    assert fingerprint(house.url, own) == before


@settings(max_examples=50)
@given(calls=st.lists(CALLS, min_size=1, max_size=4))
def send(house: House, calls: list[tuple[str, dict[str, Any]]]) -> None:
    for tool, arguments in calls:
        answer = house.memory.tables.call(tool, arguments, space="fuzz")
        assert answer.keys() == {"output", "is_error"}
        if answer["is_error"]:
            assert answer["output"].startswith(f"{tool}: ")
