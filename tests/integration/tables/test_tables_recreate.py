"""A table is made anew with what hangs on it, or not at all."""

from __future__ import annotations

import json

import pytest
from tables_house import House

from quipu import Memory
from quipu.errors import BadInput

FILES = "select relname, relfilenode from pg_class where relnamespace = 'memory'::regnamespace order by 1"
WHERE = {"space": "default"}
SHIPS = "create table memory.ships (id serial primary key, name text unique, story text, crew int default 3)"
NEW = """
create table memory.ships (
    id serial primary key, name text unique not null, tale text, crew bigint, home text default 'Lisbon',
    shout text generated always as (upper(name)) stored
)
"""


@pytest.fixture
def tables(house: House) -> Memory:
    """Ships with ports that refer to them, a view, an index, a trigger and descriptions."""
    tables = house.memory.tables
    tables.drop_schema("memory", space="default")
    tables.create_table(
        "ships",
        SHIPS,
        description="Ships.",
        embed_fields="story",
        column_descriptions={"story": "Where it was."},
        **WHERE,
    )
    tables.insert("ships", [{"name": f"Ship {n}", "story": f"tale {n}"} for n in range(20)], **WHERE)
    for sql in (
        "create table ports (id int primary key, ship int references ships (id))",
        "insert into ports values (1, 5)",
        "create view named as select name from ships",
        "create view counted as select count(*) from named",
        "create index ships_by_name on ships (lower(name))",
        "create index ships_by_crew on ships (crew)",
        "create function stay() returns trigger language plpgsql as 'begin return new; end'",
        "create trigger staying before update on ships for each row execute function stay()",
    ):
        tables.execute(sql, **WHERE)
    return tables


def test_rows_and_what_hangs_on_the_table_come_along(tables: Memory, house: House) -> None:
    done = tables.recreate("ships", NEW, mapping={"tale": "story"}, **WHERE)
    assert (done.rows, done.lost) == (20, ())
    assert done.diff == (
        "~ story text -> tale text",
        "~ crew integer -> crew bigint",
        "+ home text",
        "+ shout text",
    )
    (row,) = tables.query("select * from ships where name = 'Ship 4'", **WHERE).results
    assert row == {
        "id": 5,
        "name": "Ship 4",
        "tale": "tale 4",
        "crew": 3,
        "home": "Lisbon",
        "shout": "SHIP 4",
    }
    assert tables.insert("ships", {"name": "next"}, **WHERE).keys == ({"id": 21},)
    assert tables.query("select * from counted", **WHERE).results == ({"count": 21},)
    (table,) = tables.list_tables(table="ships", **WHERE).tables
    assert (table.description, list(table.embed_fields)) == ("Ships.", ["tale"])
    assert {column.name: column.description for column in table.columns}["tale"] == "Where it was."
    indexes = {name for (name,) in house.rows("select indexname from pg_indexes where schemaname = 'memory'")}
    assert {"ships_by_name", "ships_by_crew", "ships_pkey", "ships_name_key"} <= indexes
    with pytest.raises(BadInput, match="foreign key"):
        tables.insert("ports", {"id": 2, "ship": 99}, **WHERE)
    triggers = house.rows("select tgname from pg_trigger where tgrelid = 'memory.ships'::regclass")
    assert ("staying",) in triggers


def test_what_cannot_come_along_is_named(tables: Memory) -> None:
    done = tables.recreate("ships", "create table ships (id int primary key, title text)", **WHERE)
    assert [one.split(":")[0] for one in done.lost] == [
        "vectors of story",
        "index ships_by_crew",
        "index ships_by_name",
        "view memory.named",
        "view memory.counted",
    ]
    assert tables.query("select count(*) from ships", **WHERE).results == ({"count": 20},)


def test_a_dry_run_tells_the_same_and_changes_nothing(tables: Memory, house: House) -> None:
    before = house.rows(FILES)
    tried = tables.recreate("ships", NEW, mapping={"tale": "story"}, dry_run=True, **WHERE)
    assert house.rows(FILES) == before
    done = tables.recreate("ships", NEW, mapping={"tale": "story"}, **WHERE)
    assert (tried.diff, tried.lost, len(tried.steps)) == (done.diff, done.lost, len(done.steps))


@pytest.mark.parametrize(
    ("sql", "mapping", "field"),
    [
        ("create table ships (id int primary key, name int)", None, "sql"),
        ("create table ships (id int check (id > 5))", None, "sql"),
        ("create table boats (id int)", None, "sql"),
        ("create view ships as select 1 as id", None, "sql"),
        ("create table ships ()", None, "sql"),
        ("drop table ships", None, "sql"),
        (NEW, {"tale": "nothing"}, "mapping"),
        (NEW, {"nothing": "story"}, "mapping"),
        (NEW, [1], "mapping"),
    ],
)
def test_what_does_not_fit_leaves_everything_as_it_was(
    tables: Memory, house: House, sql: str, mapping: object, field: str
) -> None:
    before = house.rows(FILES)
    with pytest.raises(BadInput) as caught:
        tables.recreate("ships", sql, mapping=mapping, **WHERE)  # type: ignore[arg-type]
    assert caught.value.field == field
    assert house.rows(FILES) == before
    assert tables.query("select count(*) from ships", **WHERE).results == ({"count": 20},)


def test_alter_table_is_answered_with_a_call_that_runs(tables: Memory) -> None:
    with pytest.raises(BadInput, match="ALTER TABLE") as caught:
        tables.execute("ALTER TABLE memory.ships ADD COLUMN home text", **WHERE)
    hint = caught.value.hint or ""
    arguments = hint[hint.index("{") : hint.index('"dry_run": true}') + len('"dry_run": true}')]
    answer = tables.call("memory:schema:recreate", json.loads(arguments), **WHERE)
    assert not answer["is_error"], answer
    assert answer["output"]["diff"] == []


def test_what_the_engine_keeps_cannot_be_made_anew(tables: Memory) -> None:
    with pytest.raises(BadInput, match="no table of yours"):
        tables.recreate("schema_registry", "create table schema_registry (id int)", **WHERE)
