"""What a statement takes away is found by trying it: its words decide nothing."""

from __future__ import annotations

import pytest
from tables_house import House

from quipu import Memory
from quipu.errors import BadInput

WHERE = {"space": "default"}
OBJECTS = (
    "create table boats (id serial primary key, name text, length int check (length > 0))",
    "insert into boats (name, length) select 'boat ' || n, n from generate_series(1, 5) n",
    "create table trips (boat int references boats (id) on delete cascade)",
    "insert into trips values (1), (2)",
    "create function wipe() returns int language plpgsql as"
    " 'declare n int; begin delete from boats where id < 3; get diagnostics n = row_count; return n; end'",
    "create view small as select name from boats where length < 3",
    "create materialized view counted as select count(*) from boats",
    "create index boats_by_name on boats (name)",
    "create type mood as enum ('calm')",
    "create function stay() returns trigger language plpgsql as 'begin return new; end'",
    "create trigger staying before update on boats for each row execute function stay()",
)


@pytest.fixture
def tables(house: House) -> Memory:
    tables = house.memory.tables
    tables.drop_schema("memory", **WHERE)
    tables.create_schema("memory", **WHERE)
    for statement in OBJECTS:
        tables.execute(statement, **WHERE)
    return tables


@pytest.mark.parametrize(
    ("statement", "lost"),
    [
        ("select wipe()", ["table memory.boats: 2 rows deleted", "table memory.trips: 2 rows deleted"]),
        ("update boats set name = 'x' where id = 1", ["table memory.boats: 1 rows changed"]),
        (
            "insert into boats values (1, 'x', 1) on conflict (id) do update set name = 'x'",
            ["table memory.boats: 1 rows changed"],
        ),
        ("truncate trips", ["table memory.trips: emptied or written anew (2 rows)"]),
        (
            "drop table boats, trips cascade",
            [
                "table memory.boats goes (5 rows)",
                "table memory.trips goes (2 rows)",
                "view memory.small goes",
            ],
        ),
        ("drop view small", ["view memory.small goes"]),
        ("create or replace view small as select name from boats", ["view memory.small: replaced"]),
        (
            "create or replace function wipe() returns int language sql as 'select 1'",
            ["function memory.wipe(): replaced"],
        ),
        ("drop index boats_by_name", ["index memory.boats_by_name goes"]),
        ("drop type mood", ["type memory.mood goes"]),
        ("drop trigger staying on boats", ["trigger staying on table memory.boats goes"]),
        ("do $$ begin alter table boats drop column name cascade; end $$", ["column name of table"]),
        ("do $$ begin alter table boats alter id type bigint; end $$", ["column id of table"]),
        (
            "do $$ begin alter table boats drop constraint boats_length_check; end $$",
            ["constraint boats_len"],
        ),
        ("do $$ begin execute 'del' || 'ete from trips'; end $$", ["table memory.trips: 2 rows deleted"]),
        ("with gone as (delete from trips returning 1) select count(*) from gone", ["memory.trips: 2 rows"]),
    ],
)
def test_a_loss_is_told_and_undone(tables: Memory, house: House, statement: str, lost: list[str]) -> None:
    for how in ({"dry_run": True}, {"lossless": True}):
        done = tables.execute(statement, **how, **WHERE)
        assert done.undone
        assert all(any(one in line for line in done.lost) for one in lost), done.lost
        assert tables.query("select count(*) from boats", **WHERE).results == ({"count": 5},)
        assert tables.query("select count(*) from trips", **WHERE).results == ({"count": 2},)
    assert not tables.execute(statement, **WHERE).undone


@pytest.mark.parametrize(
    "statement",
    [
        "insert into boats (name, length) values ('drop table boats; delete', 1)",
        "create index on boats (length)",
        "create view big as select * from boats where length > 3",
        "refresh materialized view counted",
        "comment on table boats is 'truncate me'",
        "create table more as select * from boats",
        "select count(*) from boats -- delete",
    ],
)
def test_what_takes_nothing_away_is_done_at_once(tables: Memory, statement: str) -> None:
    done = tables.execute(statement, lossless=True, **WHERE)
    assert (done.undone, done.lost) == (False, ())


def test_a_definition_takes_nothing_away(tables: Memory) -> None:
    sneaky = "create table {} as select wipe() as id, 'x'::text as name"
    with pytest.raises(BadInput, match="2 rows deleted"):
        tables.create_table("sly", sneaky.format("sly"), description="Sly.", embed_fields=[], **WHERE)
    for dry_run in (True, False):
        with pytest.raises(BadInput, match="2 rows deleted"):
            tables.recreate("trips", sneaky.format("trips"), dry_run=dry_run, **WHERE)
    assert tables.query("select count(*) from boats", **WHERE).results == ({"count": 5},)
