"""Statements about rows: names are quoted, values are parameters."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quipu.errors import BadInput
from quipu.kinds.tables import rows
from quipu.kinds.tables.catalogue import RelationShape
from quipu.kinds.tables.model import StoredSchema

SCHEMA = StoredSchema(
    id=1, name="memory", schema_name="memory", description=None, writer="w", reader="r", version=0
)
SHAPE = RelationShape(
    "notes",
    1,
    {"id": "integer", "body": "text", "updated_at": "timestamp with time zone"},
    ["id"],
    True,
    False,
)

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))


def written(prepared: rows.PreparedStatement) -> str:
    return prepared.statement.as_string(None)


def test_an_insert_names_its_columns_and_returns_the_keys() -> None:
    prepared = rows.insert(SCHEMA, SHAPE, ["body"], [{"body": "a"}, {"body": "b"}])
    said = (
        'insert into "memory"."notes" as t ("body") select "body" from '
        'pg_catalog.jsonb_populate_recordset(null::"memory"."notes", $1::jsonb) returning "id"'
    )
    assert " ".join(written(prepared).split()) == said
    assert [json.loads(value) for value in prepared.values] == [[{"body": "a"}, {"body": "b"}]]


def test_an_empty_row_has_the_defaults() -> None:
    assert (
        written(rows.insert(SCHEMA, SHAPE, [], [{}]))
        == 'insert into "memory"."notes" as t default values returning "id"'
    )


def test_updated_at_follows_unless_it_is_said() -> None:
    assert (
        '"updated_at"' not in written(rows.update(SCHEMA, SHAPE, {"body": "a"}, {"id": 1})).split("where")[1]
    )
    assert "updated_at = pg_catalog.now()" in written(rows.update(SCHEMA, SHAPE, {"body": "a"}, {"id": 1}))
    assert "pg_catalog.now()" not in written(rows.update(SCHEMA, SHAPE, {"updated_at": None}, {"id": 1}))


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ({"id": None}, 't."id" is null'),
        ({"id": {"!=": None}}, 't."id" is not null'),
        ({"id": {"null": False}}, 't."id" is not null'),
        ({"body": {"ilike": "a%"}}, 't."body"::text ilike $1::text'),
        ({"id": {">": 1, "<=": 5}}, 't."id" <= (pg_catalog.jsonb_populate_record'),
        ({"id": {"NOT IN": [1]}}, 't."id" not in (select'),
        ("id < 3", "where $1::jsonb is not null and (\nid < 3\n)"),
    ],
)
def test_conditions_are_written_so(where: Any, said: str) -> None:
    assert said in written(rows.delete(SCHEMA, SHAPE, where))


@pytest.mark.parametrize(
    "where", [None, {}, "", "  ", [], 5, {"nope": 1}, {"id": {"in": 5}}, {"body": {"like": 5}}]
)
def test_a_condition_that_says_nothing_is_refused(where: Any) -> None:
    with pytest.raises(BadInput) as caught:
        rows.delete(SCHEMA, SHAPE, where)
    assert (caught.value.field or "").startswith("where")


@settings(max_examples=50)
@given(TEXTS, TEXTS)
def test_no_value_is_ever_in_the_statement(value: str, other: str) -> None:
    prepared = rows.update(SCHEMA, SHAPE, {"body": "!" + value}, {"body": {"=": "!" + other}})
    empty = rows.update(SCHEMA, SHAPE, {"body": ""}, {"body": {"=": ""}})
    assert written(prepared) == written(empty)
    assert [json.loads(one) for one in prepared.values] == [{"body": "!" + value}, {"body": "!" + other}]


def test_an_unknown_column_is_named_with_the_nearest() -> None:
    with pytest.raises(BadInput, match=r"data\.boddy") as caught:
        rows.known(SHAPE, ["boddy"], field="data")
    assert caught.value.hint == "Did you mean 'body'?"
