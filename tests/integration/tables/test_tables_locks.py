"""No lock that an agent can take is waited for by another space."""

from __future__ import annotations

import psycopg
import pytest
from tables_house import House

SECONDS = 20
MODES = (
    "access share", "row share", "row exclusive", "share update exclusive",
    "share", "share row exclusive", "exclusive", "access exclusive",
)  # fmt: skip
WRITABLE_OVER_SHARED = """
with recursive below as (
    select v.oid as view, d.refobjid as oid from pg_class v
    join pg_rewrite w on w.ev_class = v.oid
    join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid
        and d.refclassid = 'pg_class'::regclass and d.refobjid <> v.oid
    where v.relkind = 'v'
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
where has_any_column_privilege(r.oid, b.view, 'insert, update')
    or has_table_privilege(r.oid, b.view, 'delete, truncate')
"""


@pytest.fixture(scope="module", autouse=True)
def _heroes(house: House) -> None:
    tables = house.memory.tables
    made = "create table heroes (id int primary key, story text)"
    tables.create_table("heroes", made, description="Heroes.", embed_fields=["story"], space="locker")
    tables.insert("heroes", {"id": 1, "story": "A boat."}, space="locker")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["embeddings", "schema_registry", "heroes"])
def test_whatever_an_agent_locks_others_recall_and_write(house: House, mode: str, name: str) -> None:
    memory = house.memory
    memory.observe([{"content": "The boat is green."}], space="other", session="s")
    with psycopg.connect(house.writer("locker")) as writer:
        schema = house.schema("locker").schema_name
        writer.execute(f"lock table {schema}.{name} in {mode} mode nowait".encode())
        ((held,),) = house.rows(
            "select count(*) from pg_locks l join pg_class c on c.oid = l.relation"
            " where l.pid = %s and c.relnamespace::regnamespace::text in ('core', 'tables')"
            " and l.mode not in ('AccessShareLock', 'RowShareLock', 'RowExclusiveLock')",
            writer.info.backend_pid,
        )
        assert held == 0
        memory.observe([{"content": "The boat is red."}], space="other", session="s")
        assert memory.recall("boat", space="other")


def test_no_view_that_agents_or_readers_may_write_through_stands_over_a_shared_table(house: House) -> None:
    house.schema("locker")
    (view,) = house.rows("select schema_name || '.embeddings' from tables.schemas where name = 'memory'")[:1]
    assert house.rows("select relkind::text from pg_class where oid = %s::text::regclass", *view) == [("v",)]
    assert house.rows(WRITABLE_OVER_SHARED) == []
