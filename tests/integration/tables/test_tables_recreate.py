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
        "~ name text -> name text not null",
        "~ story text -> tale text",
        "~ crew integer default 3 -> crew bigint",
        "+ home text default 'Lisbon'::text",
        "+ shout text generated always as (upper(name)) stored",
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
        "index ships_by_crew",
        "index ships_by_name",
        "view memory.named",
        "view memory.counted",
        "vectors of story",
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


def test_a_table_may_refer_to_itself(tables: Memory) -> None:
    folders = (
        "create table folders (id serial primary key, name text,"
        " parent_id int references memory.folders (id){})"
    )
    tables.create_table("folders", folders.format(""), description="A tree.", embed_fields="name", **WHERE)
    tables.insert("folders", [{"name": "root"}, {"name": "leaf", "parent_id": 1}], **WHERE)
    wanted = folders.format(" on delete cascade, colour text")
    for dry_run in (True, False):
        done = tables.recreate("folders", wanted, dry_run=dry_run, **WHERE)
        assert (done.rows, done.lost) == (2, ())
    assert done.diff == (
        "+ colour text",
        "+ constraint FOREIGN KEY (parent_id) REFERENCES memory.folders(id) ON DELETE CASCADE",
        "- constraint FOREIGN KEY (parent_id) REFERENCES memory.folders(id)",
    )
    assert tables.insert("folders", {"name": "third", "parent_id": 2}, **WHERE).keys == ({"id": 3},)
    assert tables.delete("folders", where={"id": 1}, **WHERE).rows == 1
    assert tables.query("select * from folders", **WHERE).results == ()


def test_everything_that_hangs_on_a_table_and_its_views_comes_along(tables: Memory, house: House) -> None:
    for sql in (
        "create statistics ships_both (dependencies) on name, crew from ships",
        "create policy all_of_them on ships for select to public using (crew > 0)",
        "create rule quiet as on delete to ships where old.crew > 100 do instead nothing",
        "comment on column ships.crew is 'How many sail.'",
        "comment on index ships_by_name is 'For looking up.'",
        "comment on constraint ships_name_key on ships is 'One each.'",
        "comment on policy all_of_them on ships is 'Nobody alone.'",
        "comment on statistics ships_both is 'They go together.'",
        "create materialized view kept as select name, crew from ships",
        "create unique index kept_by_name on kept (name)",
        "create view barred with (security_barrier) as select name from ships",
        "comment on view barred is 'Behind bars.'",
        "create view over as select count(*) as many from kept",
    ):
        tables.execute(sql, **WHERE)
    seen = (
        "select p.kind, p.of, p.name, coalesce(p.statement, p.definition)"
        " from tables.parts_of('memory.ships'::regclass) p where p.kind <> 'name'"
    )
    before = house.rows(seen)
    assert len(before) > 25
    done = tables.recreate("ships", SHIPS, **WHERE)
    assert (done.diff, done.lost) == ((), ())
    assert house.rows(seen) == before
    assert tables.query("select many from over", **WHERE).results == ({"many": 20},)


def test_what_hangs_on_a_renamed_column_follows_it(tables: Memory) -> None:
    renamed = (
        "create table ships (id serial primary key, title text unique, tale text, sailors int default 3)"
    )
    mapping = {"title": "name", "tale": "story", "sailors": "crew"}
    done = tables.recreate("ships", renamed, mapping=mapping, **WHERE)
    assert done.lost == ()
    assert tables.query("select name from named where name = 'Ship 3'", **WHERE).count == 1
    swapped = "create table ships (id serial primary key, title text, tale text, sailors int)"
    done = tables.recreate("ships", swapped, mapping={"title": "tale", "tale": "title"}, **WHERE)
    assert tables.query("select tale, title from ships where id = 4", **WHERE).results == (
        {"tale": "Ship 3", "title": "tale 3"},
    )


def test_one_column_may_fill_two(tables: Memory) -> None:
    twice = "create table ships (id serial primary key, name text, first text, second text)"
    tables.recreate("ships", twice, mapping={"first": "name", "second": "story"}, **WHERE)
    assert tables.query("select * from ships where id = 1", **WHERE).results == (
        {"id": 1, "name": "Ship 0", "first": "Ship 0", "second": "tale 0"},
    )


def test_a_trial_carries_the_rows_and_fails_where_the_work_would(tables: Memory) -> None:
    tables.execute("insert into ships (name, crew) values ('empty', null)", **WHERE)
    wanted = "create table ships (id serial primary key, name text, story text, crew int not null)"
    for dry_run in (True, False):
        with pytest.raises(BadInput, match="crew"):
            tables.recreate("ships", wanted, dry_run=dry_run, **WHERE)
    tables.update("ships", {"crew": 1}, where={"crew": None}, **WHERE)
    trial = tables.recreate("ships", wanted, dry_run=True, **WHERE)
    assert (trial.rows, trial.tried) == (21, 21)
    assert trial.diff == ("~ crew integer default 3 -> crew integer not null", "- constraint UNIQUE (name)")


def test_a_trial_of_many_rows_says_how_many_it_tried(tables: Memory) -> None:
    tables.execute("insert into ships (crew) select 1 from generate_series(1, 100000)", **WHERE)
    trial = tables.recreate("ships", SHIPS, dry_run=True, **WHERE)
    assert (trial.rows, trial.tried, trial.lost) == (100_020, 100_000, ())
    assert "carry 100,020 rows over; this trial carries the first 100,000 of them" in trial.steps


@pytest.mark.parametrize(
    ("made", "said"),
    [
        ("create table heirs (more int) inherits (ships)", "table memory.heirs"),
        ("create table typed (ship ships)", "column ship of table memory.typed"),
        ("create domain vessel as ships", "type memory.vessel"),
        ("create function name_of(one ships) returns text language sql as 'select one.name'", "function"),
        ("create function names() returns setof named language sql as 'select * from named'", "function"),
        (
            "create table numbered (n int default nextval('memory.ships_id_seq'))",
            "default value for column n",
        ),
    ],
)
def test_what_does_not_let_a_table_go_is_named_before_anything_is_done(
    tables: Memory, house: House, made: str, said: str
) -> None:
    tables.execute(made, **WHERE)
    before = house.rows(FILES)
    for dry_run in (True, False):
        with pytest.raises(BadInput, match="cannot be made anew") as caught:
            tables.recreate("ships", SHIPS, dry_run=dry_run, **WHERE)
        assert said in str(caught.value)
        assert caught.value.field == "table"
    assert house.rows(FILES) == before


def test_a_partitioned_table_is_refused_and_an_heir_says_what_it_inherits(tables: Memory) -> None:
    tables.execute("create table log (at date) partition by range (at)", **WHERE)
    tables.execute(
        "create table log_1 partition of log for values from ('2026-01-01') to ('2027-01-01')", **WHERE
    )
    for name, said in (("log", "it is partitioned"), ("log_1", "it is a partition")):
        with pytest.raises(BadInput, match=said):
            tables.recreate(name, f"create table {name} (at date)", **WHERE)
    tables.execute("create table base (id int)", **WHERE)
    tables.execute("create table heir (more text) inherits (base)", **WHERE)
    done = tables.recreate("heir", "create table heir (id int, more text)", **WHERE)
    assert done.diff == ("- setting inherits memory.base",)
