"""What a statement takes away is found by trying it: its words decide nothing."""

from __future__ import annotations

import psycopg
import pytest
from long_form import sized
from tables_house import House, at_once

from quipu import Memory
from quipu.errors import BadInput

WHERE = {"space": "default"}
UNCHANGED = {"space": "unchanged"}
GROWING = {"space": "growing"}
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
    "insert into schema_registry values ('boats', 'Boats.', '{name}')",
    "comment on table boats is 'What floats.'",
    "comment on column boats.name is 'Painted on.'",
    "create table days (at date) partition by range (at)",
    "create table days_1 partition of days for values from ('2026-01-01') to ('2027-01-01')",
    "create text search configuration plain (copy = simple)",
    "create type pair as (a int, b int)",
    "create function pair(int) returns pair language sql immutable as 'select row($1, $1)::pair'",
    "create cast (int as pair) with function pair(int)",
    "create domain size as int default 5",
    "grant select on trips to public",
    "grant select (name) on boats to public",
    "create sequence tickets",
    "perform nextval('tickets'), nextval('tickets')",
)


@pytest.fixture
def tables(house: House) -> Memory:
    tables = house.memory.tables
    if tables.schemas(**WHERE):
        tables.drop_schema("memory", **WHERE, confirm=True)
    return make(tables, WHERE)


@pytest.fixture(scope="module")
def unchanged(house: House) -> Memory:
    """The tables of another space, for tests that leave them as they are."""
    return make(house.memory.tables, UNCHANGED)


@pytest.fixture(scope="module")
def growing(house: House) -> Memory:
    """The tables of a third space, for tests that add to them."""
    return make(house.memory.tables, GROWING)


def make(tables: Memory, where: dict[str, str]) -> Memory:
    tables.create_schema("memory", **where)
    tables.execute(at_once(*OBJECTS), **where, confirm=True)
    return tables


LOSSES: list[tuple[str, list[str]]] = [
    ("select wipe()", ["table boats: 2 rows deleted", "table trips: 2 rows deleted"]),
    ("update boats set name = 'x' where id = 1", ["table boats: 1 rows changed"]),
    (
        "insert into boats values (1, 'x', 1) on conflict (id) do update set name = 'x'",
        ["table boats: 1 rows changed"],
    ),
    ("truncate trips", ["table trips: emptied or rewritten (2 rows)"]),
    (
        "drop table boats, trips cascade",
        [
            "table boats goes (5 rows)",
            "table trips goes (2 rows)",
            "view small goes",
        ],
    ),
    ("drop view small", ["view small goes"]),
    ("create or replace view small as select name from boats", ["view small: replaced"]),
    (
        "create or replace function wipe() returns int language sql as 'select 1'",
        ["function wipe(): replaced"],
    ),
    ("drop index boats_by_name", ["index boats_by_name goes"]),
    ("drop type mood", ["type mood goes"]),
    ("drop trigger staying on boats", ["trigger staying on table boats goes"]),
    ("do $$ begin alter table boats drop column name cascade; end $$", ["column name of table"]),
    ("do $$ begin alter table boats alter id type bigint; end $$", ["column id of table"]),
    (
        "do $$ begin alter table boats drop constraint boats_length_check; end $$",
        ["constraint boats_len"],
    ),
    ("do $$ begin execute 'del' || 'ete from trips'; end $$", ["table trips: 2 rows deleted"]),
    ("explain analyze delete from trips", ["table trips: 2 rows deleted"]),
    (
        "merge into trips t using boats b on t.boat = b.id when matched then delete",
        ["table trips: 2 rows deleted"],
    ),
    ("create table more as select wipe()", ["table boats: 2 rows deleted"]),
    (
        "update schema_registry set embeddable_fields = '{}' where table_name = 'boats'",
        ["table schema_registry: 1 rows changed"],
    ),
    ("comment on table boats is null", ["comment of table boats goes"]),
    ("comment on column boats.name is 'x'", ["comment of column name of table boats: replaced"]),
    (
        "do $$ begin alter table boats alter id drop default; end $$",
        ["default value for column id of table boats goes"],
    ),
    (
        "do $$ begin alter table days detach partition days_1; end $$",
        ["part days_1 of days goes"],
    ),
    ("drop text search configuration plain", ["text search configuration plain goes"]),
    ("drop cast (int as pair)", ["cast from integer to pair goes"]),
    ("alter type mood rename value 'calm' to 'wild'", ["value 'calm' of type mood goes"]),
    ("alter domain size drop default", ["type size: replaced"]),
    (
        "select setval('boats_id_seq', 1)",
        ["number of sequence boats_id_seq: set back from 5 to 1"],
    ),
    ("alter sequence tickets restart", ["number of sequence tickets: set back from 2"]),
    ("alter sequence tickets maxvalue 9", ["numbering of sequence tickets: replaced"]),
    (
        "do $$ begin alter table boats enable row level security; end $$",
        ["row level security of table boats: replaced"],
    ),
    ("revoke select on trips from public", ["right select on table trips of public goes"]),
    (
        "revoke select (name) on boats from public",
        ["right select on column name of table boats of public goes"],
    ),
    (
        "revoke execute on function wipe() from public",
        ["right execute on function wipe() of public goes"],
    ),
    ("with gone as (delete from trips returning 1) select count(*) from gone", ["trips: 2 rows"]),
]


@pytest.mark.parametrize(("statement", "lost"), LOSSES)
def test_a_loss_is_told_and_undone(unchanged: Memory, statement: str, lost: list[str]) -> None:
    for show_first in (True, False):
        done = unchanged.execute(statement, show_first=show_first, **UNCHANGED)
        assert done.undone
        assert all(any(one in line for line in done.lost) for one in lost), done.lost
        assert unchanged.query("select count(*) from boats", **UNCHANGED).results == ({"count": 5},)
        assert unchanged.query("select count(*) from trips", **UNCHANGED).results == ({"count": 2},)


@pytest.mark.long
@pytest.mark.parametrize("statement", [statement for statement, _ in LOSSES[:: sized(4, long=1)]])
def test_a_loss_that_is_confirmed_is_not_undone(tables: Memory, statement: str) -> None:
    assert not tables.execute(statement, **WHERE, confirm=True).undone


@pytest.mark.parametrize(
    "statement",
    [
        "insert into boats (name, length) values ('drop table boats; delete', 1)",
        "create index on boats (length)",
        "create view big as select * from boats where length > 3",
        "refresh materialized view counted",
        "comment on table trips is 'truncate me'",
        "create table more as select * from boats",
        "alter type mood add value 'wild'",
        "comment on column boats.length is 'In metres.'",
        "do $$ begin alter table boats alter name set default 'Alba'; end $$",
        "insert into schema_registry values ('trips', 'Trips.', '{}')",
        "select count(*) from boats -- delete",
        "select nextval('tickets')",
        "grant select on boats to public",
    ],
)
def test_what_takes_nothing_away_is_done_at_once(growing: Memory, statement: str) -> None:
    done = growing.execute(statement, confirm=False, **GROWING)
    assert (done.undone, done.lost) == (False, ())


def test_a_definition_takes_nothing_away(tables: Memory) -> None:
    sneaky = "create table {} as select wipe() as id, 'x'::text as name"
    with pytest.raises(BadInput, match="2 rows deleted"):
        tables.create_table("sly", sneaky.format("sly"), description="Sly.", embed_fields=[], **WHERE)
    for confirm in (False, True):
        with pytest.raises(BadInput, match="2 rows deleted"):
            tables.recreate("trips", sneaky.format("trips"), confirm=confirm, **WHERE)
    assert tables.query("select count(*) from boats", **WHERE).results == ({"count": 5},)


def test_a_trial_that_sets_a_sequence_back_leaves_it_where_it_was(tables: Memory) -> None:
    back = "select setval('boats_id_seq', 1)"
    tables.execute(back, show_first=True, **WHERE)
    assert tables.execute(back, confirm=False, **WHERE).undone
    tables.update("boats", {"name": "x"}, where=f"id = 1 and ({back}) = 1", show_first=True, **WHERE)
    assert tables.insert("boats", {"name": "y"}, **WHERE).keys == ({"id": 6},)


WIPING = (
    "create function wiping() returns trigger language plpgsql as 'begin perform wipe(); return new; end'"
)


def test_what_a_write_takes_away_elsewhere_is_told_and_undone(tables: Memory) -> None:
    gone = "table trips: 2 rows deleted"
    counts = "select (select count(*) from boats) as boats, (select count(*) from trips) as trips"

    def kept() -> bool:
        return tables.query(counts, **WHERE).results == ({"boats": 5, "trips": 2},)

    tried = tables.delete("boats", where="id < 3", confirm=False, **WHERE)
    assert (tried.rows, tried.lost) == (2, (gone,))
    sly = {"data": {"name": "x"}, "where": "id = 5 and wipe() > 0"}
    tried = tables.update("boats", **sly, show_first=True, **WHERE)
    assert tried.lost == ("table boats: 2 rows deleted", gone)
    done = tables.update("boats", **sly, confirm=False, **WHERE)
    assert (done.undone, done.lost, kept()) == (True, tried.lost, True)
    tables.execute(WIPING, **WHERE, confirm=True)
    tables.execute(
        "create trigger after after insert on days_1 for each row execute function wiping()",
        **WHERE,
        confirm=True,
    )
    done = tables.insert("days", {"at": "2026-05-05"}, confirm=False, **WHERE)
    assert (done.undone, gone in done.lost, kept()) == (True, True, True)
    assert tables.query("select * from days", **WHERE).results == ()
    assert not tables.insert("days", {"at": "2026-05-05"}, **WHERE).undone
    assert not kept()


def test_a_write_that_takes_nothing_else_away_is_done_at_once(tables: Memory) -> None:
    tables.execute('create table "order" (id int primary key, n int)', **WHERE, confirm=True)
    tables.insert("order", {"id": 1, "n": 1}, confirm=False, **WHERE)
    tables.insert("days", {"at": "2026-05-05"}, confirm=False, **WHERE)
    for table, data in (
        ("boats", {"name": "x"}),
        ("order", {"n": 2}),
        ("days", {"at": "2026-06-06"}),
    ):
        done = tables.update(table, data, where="true", confirm=False, **WHERE)
        assert (done.undone, done.lost) == (False, ())
    assert tables.delete("days", where="true", confirm=False, **WHERE).lost == ()


MORE = (
    "create policy seen on boats for select to public using (length > 0)",
    "create statistics together on name, length from boats",
    "create function quick(int) returns int language sql immutable as 'select $1'",
    "create rule quiet as on delete to trips do nothing",
    "do $$ begin alter table boats replica identity full; end $$",
    "alter default privileges grant select on tables to public",
    "comment on constraint boats_length_check on boats is 'A length.'",
    "comment on trigger staying on boats is 'A trigger.'",
    "comment on policy seen on boats is 'A policy.'",
    "comment on rule quiet on trips is 'A rule.'",
    "comment on statistics together is 'Statistics.'",
    "comment on text search configuration plain is 'A configuration.'",
)
TAKEN = {
    "alter policy seen on boats to current_user": "policy seen on table boats: replaced",
    "do $$ begin drop policy seen on boats; create policy seen on boats using (length > 0); end $$": (
        "policy seen on table boats: replaced"
    ),
    "do $$ begin drop policy seen on boats; create policy seen on boats as restrictive for select to public"
    " using (length > 0); end $$": "policy seen on table boats: replaced",
    "do $$ begin drop statistics together; create statistics together on id, length from boats; end $$": (
        "statistics object together: replaced"
    ),
    "alter statistics together set statistics 5": "statistics object together: replaced",
    "do $$ begin alter table boats replica identity default; end $$": (
        "replica identity of table boats: replaced"
    ),
    "alter default privileges revoke select on tables from public": (
        "right select on new tables of public goes"
    ),
    "alter default privileges revoke execute on functions from public": (
        "right execute on new routines of public goes"
    ),
    "revoke usage on type mood from public": "right usage on type mood of public goes",
    "create or replace function quick(int) returns int language sql volatile as 'select $1'": (
        "function quick(integer): replaced"
    ),
    "alter text search configuration plain drop mapping for word": (
        "text search configuration plain: replaced"
    ),
    "create or replace view small with (security_invoker) as select name from boats where length < 3": (
        "options of view small: replaced"
    ),
    "comment on constraint boats_length_check on boats is null": (
        "comment of constraint boats_length_check on table boats goes"
    ),
    "comment on trigger staying on boats is null": "comment of trigger staying on table boats goes",
    "comment on policy seen on boats is null": "comment of policy seen on table boats goes",
    "comment on rule quiet on trips is 'x'": "comment of rule quiet on table trips: replaced",
    "comment on statistics together is null": "comment of statistics object together goes",
    "comment on text search configuration plain is null": ("comment of text search configuration plain goes"),
    "drop table trips": "publication tripping of table trips goes",
}
KEPT = (
    "create policy further on boats using (true)",
    "alter default privileges grant insert on tables to public",
    "comment on constraint boats_pkey on boats is 'A key.'",
    "create statistics further on name, id from boats",
    "create table more (id int primary key)",
    "create function further() returns int language sql as 'select 1'",
)


def test_whatever_the_catalogue_knows_of_is_compared(tables: Memory, house: House) -> None:
    tables.execute(at_once(*MORE), **WHERE, confirm=True)
    with psycopg.connect(house.url, autocommit=True) as conn:
        conn.execute("create publication tripping for table memory.trips")
    for statement, lost in TAKEN.items():
        done = tables.execute(statement, show_first=True, **WHERE)
        assert lost in done.lost, (statement, done.lost)
    for statement in KEPT:
        assert tables.execute(statement, show_first=True, **WHERE).lost == (), statement
