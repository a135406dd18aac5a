"""No lock that an agent or a reader can take is waited for by another space, and no shared row is locked."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import psycopg
import pytest
from psycopg import conninfo, sql
from tables_house import House

MODES = (
    "access share", "row share", "row exclusive", "share update exclusive",
    "share", "share row exclusive", "exclusive", "access exclusive",
)  # fmt: skip
ROWS = ("update", "no key update", "share", "key share")
ON_A_RELATION = (
    *(f"lock table {{name}} in {mode} mode nowait" for mode in MODES),
    *(f"select * from {{name}} for {mode} nowait" for mode in ROWS),
    *(f"select 1 from {{name}} where ctid is not null for {mode} nowait" for mode in ROWS),
    "create index on {name} ((1))",
    "alter table {name} add column mine int",
    "alter view {name} set (security_barrier = false)",
    "truncate {name}",
    "delete from {name}",
    "analyze {name}",
    "comment on table {name} is 'mine'",
    "comment on view {name} is 'mine'",
    "create statistics {own}.mine on ctid, tableoid from {name}",
    "create trigger mine before insert on {name} for each row"
    " execute function suppress_redundant_updates_trigger()",
    "create rule mine as on insert to {name} do also nothing",
    "create view {own}.mine as select * from {name}",
    "create materialized view {own}.mine as select * from {name}",
    "create table {own}.mine (like {name} including all)",
    "create table {own}.mine (id int references {name})",
    "create table {own}.mine () inherits ({name})",
    "alter sequence {name} restart",
    "lock {name} in access exclusive mode",
)
ALONE = ("vacuum {name}", "vacuum full {name}", "cluster {name}", "reindex table {name}")
NAMED = """
select n.nspname, c.relname, c.relkind = 'S' from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p', 'v', 'm', 'S', 'f') and n.nspname !~ '^pg_toast'
    and has_schema_privilege(%s, n.oid, 'usage')
    and (c.relkind = 'S' and has_sequence_privilege(%s, c.oid, 'usage, select, update')
        or c.relkind <> 'S' and (has_any_column_privilege(%s, c.oid, 'select, insert, update, references')
            or has_table_privilege(%s, c.oid, 'delete, truncate, trigger')))
order by 1, 2
"""
HELD = """
select distinct n.nspname || '.' || c.relname || ': ' || l.mode from pg_locks l
join pg_class c on c.oid = l.relation join pg_namespace n on n.oid = c.relnamespace
where l.pid = %s and l.granted and n.nspname not in ('pg_toast', %s)
    and l.mode not in ('AccessShareLock', 'RowShareLock', 'RowExclusiveLock')
    and (c.relkind <> 'i' or c.relnamespace <> 'pg_catalog'::regnamespace)
"""
LOCKABLE_OVER_SHARED = """
with recursive below as (
    select v.oid as view, v.oid from pg_class v where v.relkind = 'v'
    union
    select b.view, d.refobjid from below b
    join pg_rewrite w on w.ev_class = b.oid
    join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid
        and d.refclassid = 'pg_class'::regclass and d.refobjid <> b.oid
)
select distinct b.view::regclass::text, c.oid::regclass::text
from below b
join pg_class c on c.oid = b.oid and c.relkind in ('r', 'p')
join pg_roles r on r.rolname ~ '^quipu_(writer|reader|see)_' and r.oid <> c.relowner
where has_table_privilege(r.oid, b.view, 'insert, update, delete, truncate')
    or current_setting('server_version_num')::int >= 170000 and has_table_privilege(r.oid, b.view, 'maintain')
"""


@pytest.fixture(scope="module", autouse=True)
def _heroes(house: House) -> None:
    tables = house.memory.tables
    for space in ("locker", "other"):
        made = "create table heroes (id int primary key, story text)"
        tables.create_table("heroes", made, description="Heroes.", embed_fields=["story"], space=space)
        tables.insert("heroes", {"id": 1, "story": "A boat."}, space=space)
    house.memory.observe([{"content": "The boat is blue."}], space="locker", session="s")
    assert house.memory.transcripts.query("select 1 as one", space="locker").rows


def logins(house: House) -> Iterator[tuple[str, str, str]]:
    """Each login that SQL of the space runs on: its name, its address, its own schema."""
    own = house.schema("locker").schema_name
    found = house.rows(
        "select s.writer, p.writer_password from tables.schemas s join tables.passwords p"
        " on p.schema_id = s.id where s.schema_name = %s"
        " union all select s.reader, p.reader_password from tables.schemas s join tables.passwords p"
        " on p.schema_id = s.id where s.schema_name = %s"
        " union all select r.role, r.password from transcripts.readers r join core.spaces s"
        " on s.id = r.space_id where s.name = 'locker'",
        own,
        own,
    )
    assert len(found) == 3
    for role, password in found:
        yield role, conninfo.make_conninfo(house.url, user=role, password=password), own


def test_whatever_an_agent_or_a_reader_tries_it_holds_no_lock_on_what_is_shared(house: House) -> None:
    tried = 0
    for role, url, own in logins(house):
        named = house.rows(NAMED, *[role] * 4)
        assert named
        with psycopg.connect(url, options="-c lock_timeout=1000 -c statement_timeout=60000") as conn:
            for (schema, name, _), form in product(named, ON_A_RELATION):
                with conn.transaction(force_rollback=True):
                    statement = sql.SQL(form).format(
                        name=sql.Identifier(schema, name), own=sql.Identifier(own)
                    )
                    try:
                        with conn.transaction():
                            conn.execute(statement)
                    except psycopg.Error:
                        continue
                    held = house.rows(HELD, conn.info.backend_pid, own)
                    assert schema == own or held == [], (role, statement.as_string(), held)
                    assert not [one for (one,) in held if one.startswith(("core.", "tables."))], statement
                    tried += 1
    assert tried > 20


@pytest.mark.parametrize("mode", ROWS)
def test_rows_of_the_view_are_not_locked(house: House, mode: str) -> None:
    view = f"{house.schema('locker').schema_name}.embeddings"
    with psycopg.connect(house.writer("locker")) as conn:
        asked = f"select content from {view} where embedding is not null and content <> '' for {mode}"
        shown = conn.execute(asked.encode()).fetchall()
        assert shown == [("A boat.",)]
        for table in ("tables.embeddings", "tables.relations", "core.recall_entries", "core.recall_vectors"):
            every, free = (
                house.rows(f"select count(*) from (select from {table}{how}) x")[0]
                for how in ("", " for update skip locked")
            )
            assert every == free, table
        house.memory.tables.update(
            "heroes", {"story": "A boat."}, where={"id": 1}, space="locker", confirm=True
        )
        assert house.memory.recall("boat", space="locker")


def test_what_cannot_be_in_a_transaction_is_refused(house: House) -> None:
    for role, url, own in logins(house):
        with psycopg.connect(url, autocommit=True, options="-c lock_timeout=1000") as conn:
            for (schema, name, _), form in product(house.rows(NAMED, *[role] * 4), ALONE):
                if schema == own:
                    continue
                before = house.rows("select sum(vacuum_count + analyze_count) from pg_stat_all_tables")
                try:
                    conn.execute(sql.SQL(form).format(name=sql.Identifier(schema, name)))
                except psycopg.Error:
                    continue
                # VACUUM of what is not one's own is a warning, and passes it over.
                assert (
                    house.rows("select sum(vacuum_count + analyze_count) from pg_stat_all_tables") == before
                )


@pytest.mark.parametrize("name", ["embeddings", "schema_registry", "heroes"])
@pytest.mark.parametrize(
    "form", [*(f"lock table {{}} in {m} mode" for m in MODES), "select from {} for update"]
)
def test_while_an_agent_holds_what_it_can_others_recall_and_write(house: House, form: str, name: str) -> None:
    memory = house.memory
    with psycopg.connect(house.writer("locker")) as writer:
        try:
            writer.execute(sql.SQL(form).format(sql.Identifier(house.schema("locker").schema_name, name)))
        except psycopg.errors.InsufficientPrivilege:
            assert name != "heroes"
            return
        memory.observe([{"content": "The boat is red."}], space="other", session="s")
        memory.tables.update("heroes", {"story": "A red boat."}, where={"id": 1}, space="other", confirm=True)
        assert memory.recall("boat", space="other")
        assert memory.recall("boat", space="locker")


def test_no_view_that_agents_or_readers_may_lock_stands_over_a_shared_table(house: House) -> None:
    own = house.schema("locker").schema_name
    assert house.rows("select relkind::text from pg_class where oid = %s::regclass", f"{own}.embeddings") == [
        ("v",)
    ]
    assert house.rows(LOCKABLE_OVER_SHARED) == []
