"""Who works on a schema at the same moment waits for the other, or is told; nobody is in the way of both."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg
import pytest
from patience import PATIENCE_SECONDS
from tables_house import House

from quipu.errors import NotFound, TookTooLong
from quipu.upkeep.snapshots import program

NEW = "create table boats (id serial primary key, name text, length int)"


def filled(house: House, space: str) -> str:
    tables = house.memory.tables
    where: dict[str, Any] = {"space": space}
    made = "create table boats (id serial primary key, name text)"
    tables.create_table("boats", made, description="Boats.", embed_fields=["name"], **where)
    tables.insert("boats", [{"name": "Alba"}, {"name": "Bora"}], **where)
    return house.schema(space).schema_name


def wait_for_a_waiter(house: House, schema: str) -> None:
    waiting = (
        "select count(*) from pg_locks l join pg_class c on c.oid = l.relation"
        " where not l.granted and c.relnamespace = %s::regnamespace"
    )
    until: float = time.monotonic() + PATIENCE_SECONDS
    while house.rows(waiting, schema) == [(0,)]:
        assert time.monotonic() < until
        time.sleep(0.01)


@pytest.mark.parametrize("what", ["recreate", "execute", "harmless", "delete"])
def test_who_waits_for_a_load_is_not_in_the_way_of_its_dump(house: House, what: str) -> None:
    space = f"a load beside {what}"
    tables, schema = house.memory.tables, filled(house, space)
    where: dict[str, Any] = {"space": space}
    calls: dict[str, Callable[[], object]] = {
        "recreate": lambda: tables.recreate("boats", NEW, **where, confirm=True),
        "execute": lambda: tables.execute("drop table boats", **where, confirm=True),
        "harmless": lambda: tables.execute("truncate boats", confirm=False, **where),
        "delete": lambda: tables.delete("boats", where="true", confirm=False, **where),
    }
    with (
        ThreadPoolExecutor(1) as other,
        psycopg.connect(house.writer(space)) as load,
        psycopg.connect(house.writer(space)) as dump,
    ):
        load.execute(f"lock table {schema}.schema_registry in share row exclusive mode".encode())
        load.execute(f"lock table {schema}.boats in share mode".encode())
        doing = other.submit(calls[what])
        wait_for_a_waiter(house, schema)
        dump.execute(f"lock table {schema}.boats in access share mode nowait".encode())
        dump.rollback()
        load.rollback()
        doing.result()


def test_who_waits_too_long_is_told_that_the_tables_are_in_use(house: House) -> None:
    tables, schema = house.memory.tables, filled(house, "waited for")
    with psycopg.connect(house.writer("waited for")) as load:
        load.execute(f"lock table {schema}.schema_registry in share row exclusive mode".encode())
        with pytest.raises(TookTooLong, match="in use"):
            tables.execute("drop table boats", space="waited for", confirm=True)


def test_two_who_have_a_table_watched_at_once_are_not_in_each_others_way(house: House) -> None:
    schema = filled(house, "watched twice")
    ((number,),) = house.rows("select id from tables.schemas where schema_name = %s", schema)
    with psycopg.connect(house.url) as conn:
        for kind in ("inserted", "updated", "deleted", "truncated"):
            ((name,),) = conn.execute(
                "select tgname from pg_trigger where tgrelid = %s::regclass and tgname like %s",
                (f"{schema}.boats", f"quipu_{kind}_%"),
            )
            conn.execute(f"drop trigger {name} on {schema}.boats".encode())
    watch = "select tables.watch(%s)"

    def entered(conn: psycopg.Connection[Any]) -> None:
        conn.execute("select core.enter('watched twice')")

    with (
        ThreadPoolExecutor(1) as other,
        psycopg.connect(house.url) as first,
        psycopg.connect(house.url) as second,
    ):
        entered(first)
        entered(second)
        first.execute(watch, (number,))
        doing = other.submit(second.execute, watch, (number,))
        time.sleep(0.2)  # whether it waits or is done by now, it must not fail
        first.commit()
        doing.result()
        second.commit()
    house.memory.tables.insert("boats", {"name": "Cora"}, space="watched twice")
    found = house.memory.recall("Cora", space="watched twice", limit=1)
    assert "Cora" in found[0].text


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("what", ["snapshot", "export"])
def test_a_schema_that_is_dropped_meanwhile_is_said_to_be_gone(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str, again: bool
) -> None:
    space = f"dropped beside {what} {again}"
    memory = house.memory
    where: dict[str, Any] = {"space": space}
    filled(house, space)
    taken = memory.snapshots.create(**where)
    dump = program.write

    def dropped(*given: Any, **options: Any) -> None:
        memory.tables.drop_schema("memory", **where, confirm=True)
        if again:
            memory.tables.create_schema("memory", **where)
        dump(*given, **options)

    calls: dict[str, Callable[[], object]] = {
        "snapshot": lambda: memory.snapshots.create(**where),
        "export": lambda: memory.snapshots.export(tmp_path / "memory.sql", **where),
    }
    monkeypatch.setattr(program, "write", dropped)
    with pytest.raises(NotFound, match="schema 'memory'"):
        calls[what]()
    assert len(memory.snapshots.list(**where)) == 1
    assert not list(tmp_path.iterdir())
    monkeypatch.undo()
    assert memory.snapshots.restore(taken.name, confirm=True, **where).after == {"boats": 2}


def test_what_an_agent_set_for_its_later_tables_goes_with_its_schema(house: House) -> None:
    filled(house, "set for later")
    role = house.schema("set for later").writer
    house.memory.tables.execute(
        "alter default privileges grant select on tables to public", space="set for later", confirm=True
    )
    house.memory.tables.drop_schema("memory", space="set for later", confirm=True)
    filled(house, "somebody else")
    assert house.rows("select 1 from pg_roles where rolname = %s", role) == []
