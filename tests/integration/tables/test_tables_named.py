"""Schemas, tables, columns and types that are named as our own statements name things: nothing differs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from long_form import sized
from tables_house import House

LONG = "n" * 63
# Aliases of our statements, names of their outputs, keywords, functions, types and system schemas.
PLAIN = (
    *("t", "v", "u", "c", "p", "m", "e", "k", "r", "value", "values", "rows", "names", "text", "record"),
    *("old", "new", "excluded", "select", "user", "table", "count", "most", "sequence", "current_space"),
    *("pg_catalog", "tables", "core", "unnest", "jsonb_populate_record", "int4", LONG),
)
# What only a column may be called.
QUOTED = (
    *("T", "ID", 'quo"te', "sp ace", "emo ji 🚀", "%s", "%(name)s", "{table}", "$1", ":search_embedding"),
    *("dot.ted", "back\\slash", "semi;colon", "--", "'", "ü" * 31, "tab\tbed", "key of rows"),
    *("embedding", "content", "source_id", "space_id", "key", "changed", "is_error", "place", "written"),
)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@pytest.mark.long
@pytest.mark.parametrize("schema", ["select", "public", "t", "text", "tables"][: sized(2, long=5)])
def test_schemas_are_named_as_anything(house: House, tmp_path: Path, schema: str) -> None:
    _live(house, tmp_path, schema, {"t": ["t"]})


@pytest.mark.long
def test_tables_are_named_as_anything(house: House, tmp_path: Path) -> None:
    _live(house, tmp_path, "many", {name: [name] for name in PLAIN[:: sized(6, long=1)]})


def test_columns_are_named_as_anything(house: House, tmp_path: Path) -> None:
    _live(house, tmp_path, "wide", {"named": [*PLAIN, *QUOTED]})


def test_what_counts_is_named_as_anything(house: House, tmp_path: Path) -> None:
    memory, where = house.memory, {"schema": "counting", "space": "default"}
    memory.tables.create_schema("counting", space="default")
    columns = ", ".join(f"{_quoted(name)} serial" for name in QUOTED)
    for statement in (
        f"create table counted (id int primary key, {columns})",
        f'create unlogged table "back\\slash; --" (id serial primary key, {columns})',
        'insert into "back\\slash; --" default values',
        "insert into counted values (1)",
        "create view grouped as select c.*, count(*) as many from counted c group by c.id",
    ):
        memory.tables.execute(statement, **where, confirm=True)
    taken = memory.snapshots.create(**where)
    memory.tables.execute("delete from counted", **where, confirm=True)
    memory.snapshots.restore(taken.name, confirm=True, space="default")
    memory.snapshots.export(tmp_path / "dump", **where)
    memory.snapshots.import_dump(tmp_path / "dump", schema="counting", space="beside", confirm=True)
    for space in ("default", "beside"):
        memory.tables.insert("counted", {"id": 2}, schema="counting", space=space)
        query = "select * from grouped where id = 2"
        (row,) = memory.tables.query(query, schema="counting", space=space).results
        assert {row[name] for name in QUOTED} == {2}


def test_each_value_counts_in_the_checksum_beside_columns_that_are_rows(house: House) -> None:
    tables, snapshots = house.memory.tables, house.memory.snapshots
    tables.create_schema("pairs", space="default")
    tables.execute("create type pair as (a int, b text)", schema="pairs", space="default", confirm=True)
    columns = ", ".join(f"{_quoted(name)} pair default row(1, 'one')" for name in PLAIN)
    statement = f"create table t (id int primary key, said text, {columns})"
    tables.create_table(
        "t", statement, description="Pairs.", embed_fields=[], schema="pairs", space="default"
    )
    tables.insert("t", {"id": 1, "said": "first"}, schema="pairs", space="default")
    before = snapshots.create(schema="pairs", space="default")
    tables.update("t", {"said": "changed"}, where={"id": 1}, schema="pairs", space="default", confirm=True)
    assert snapshots.create(schema="pairs", space="default").sums != before.sums
    snapshots.restore(before.name, confirm=True, space="default")
    assert tables.query("select said from t", schema="pairs", space="default").results == ({"said": "first"},)


def _live(house: House, folder: Path, schema: str, made: dict[str, Sequence[str]]) -> None:
    """Send tables through everything that is done with them, each with an id and these columns of text."""
    memory, tables, where = house.memory, house.memory.tables, {"schema": schema, "space": "default"}
    other = f"beside {schema}"
    for table, columns in made.items():
        statement = _create(table, columns)
        told = dict.fromkeys(columns, "Some words.")
        tables.create_table(
            table, statement, description="Any.", embed_fields=columns, column_descriptions=told, **where
        )
        birds, kettles = dict.fromkeys(columns, "a heron"), dict.fromkeys(columns, f"kettle of {table}")
        tables.insert(table, [birds, kettles, dict.fromkeys(columns)], **where)
        names = ", ".join(map(_quoted, columns))
        values = ", ".join(["'by hand'"] * len(columns))
        tables.execute(f"insert into {_quoted(table)} ({names}) values ({values})", **where, confirm=True)
        cranes = dict.fromkeys(columns, "a crane")
        assert tables.update(table, cranes, where=birds, **where, confirm=True).rows == 1
        among = {name: {"in": ["a crane", "a stork"]} for name in columns}
        assert tables.update(table, cranes, where=among, **where, confirm=True).rows == 1
        alike = {name: {"like": "by h%"} for name in columns}
        assert tables.update(table, cranes, where=alike, show_first=True, **where).rows == 1
        assert tables.delete(table, where=dict.fromkeys(columns), **where, confirm=True).rows == 1
        page = tables.browse(table, contains=dict.fromkeys(columns, "ettle"), sort=columns[0], **where)
        assert [row.values for row in page.rows] == [{"id": "2", **kettles}]
        assert {one.field for one in tables.embedded(table, "2", **where)} <= set(columns)
        near = tables.near(table, f"kettle of {table}", limit=len(columns), **where)
        assert {(one.key, one.field) for one in near} == {("2", name) for name in columns}
        (hit,) = memory.recall(f"kettle of {table}", space="default", limit=1)
        assert table in str(hit.source) or f"kettle of {table}" in hit.text
    prompt = tables.prompt(**where).text
    assert all(f"- {name} (text): Some words." in prompt for columns in made.values() for name in columns)
    snapshot = memory.snapshots.create(schema=schema, space="default")
    for table, columns in made.items():
        tables.delete(table, where={columns[0]: "by hand"}, **where, confirm=True)
    memory.snapshots.restore(snapshot.name, confirm=True, space="default")
    memory.snapshots.export(folder / "dump", schema=schema, space="default")
    memory.snapshots.import_dump(folder / "dump", schema=schema, space=other, confirm=True)
    for table, columns in made.items():
        trial = tables.recreate(table, _create(table, columns, "added int"), confirm=False, **where)
        done = tables.recreate(table, _create(table, columns, "added int"), **where, confirm=True)
        assert (trial.diff, done.diff, done.lost, done.rows) == (
            ("+ added integer",),
            ("+ added integer",),
            (),
            3,
        )
    for space in ("default", other):
        for table, columns in made.items():
            names = ", ".join(map(_quoted, columns))
            query = f"select {names} from {_quoted(table)} order by id"
            found = tables.query(query, schema=schema, space=space).results
            assert [set(row.values()) for row in found] == [{"a crane"}, {f"kettle of {table}"}, {"by hand"}]
    memory.forget(space=other, names=["a crane"], user="nobody", everywhere=True, confirm=True)
    for table in made:
        query = f"select id from {_quoted(table)}"
        assert tables.query(query, schema=schema, space=other).count == 2


def _create(table: str, columns: Sequence[str], *more: str) -> str:
    parts = ["id serial primary key", *(f"{_quoted(name)} text" for name in columns), *more]
    return f"create table {_quoted(table)} ({', '.join(parts)})"


def test_a_row_is_found_by_a_key_that_is_a_document(house: House) -> None:
    tables, space = house.memory.tables, "keyed by documents"
    tables.create_schema("memory", space=space)
    tables.execute("create table places (at jsonb primary key, n int)", space=space, confirm=True)
    keys: list[object] = [{"x": 1, "=": 2}, [1, "b"], "c", 4, True]
    for number, key in enumerate(keys):
        tables.insert("places", {"at": key, "n": number}, space=space)
    first = tables.browse("places", limit=2, space=space)
    rest = tables.browse("places", limit=10, after=first.after, space=space)
    found = [*first.rows, *rest.rows]
    assert sorted(row.values["n"] or "" for row in found) == ["0", "1", "2", "3", "4"]
    for row in found:
        assert tables.row("places", row.key or "", space=space).values == row.values
