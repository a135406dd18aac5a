"""Putting a snapshot back: one load at a time, and grants of a schema that was dropped."""

from __future__ import annotations

from dataclasses import replace

import psycopg
import pytest
from tables_house import House

from quipu import Memory
from quipu.errors import Conflict
from quipu.kernel.config import Settings


def _fill(house: House, space: str) -> str:
    tables, where = house.memory.tables, {"space": space}
    statement = "create table boats (id serial primary key, name text)"
    tables.create_table("boats", statement, description="Boats.", embed_fields=[], **where)
    tables.insert("boats", [{"name": "Alba"}, {"name": "Bora"}], **where)
    return house.schema(space).schema_name


def test_a_schema_that_was_dropped_comes_back_with_its_grants(house: House) -> None:
    tables, snapshots, where = house.memory.tables, house.memory.snapshots, {"space": "granted"}
    tables.grant("scribe", "write", **where)
    tables.grant("reader", "read", **where)
    taken = snapshots.create(**where)
    tables.revoke("reader", **where)
    snapshots.restore(taken.name, confirm=True, **where)
    assert [(one.agent, one.permission) for one in tables.grants(**where)] == [("scribe", "write")]
    tables.drop_schema("memory", **where, confirm=True)
    snapshots.restore(taken.name, confirm=True, **where)
    granted = {one.agent: one.permission for one in tables.grants(**where)}
    assert granted == {"scribe": "write", "reader": "read"}


def test_a_second_load_is_told_that_the_schema_is_in_use(house: House, server_settings: Settings) -> None:
    snapshots, where = house.memory.snapshots, {"space": "loaded twice"}
    _fill(house, "loaded twice")
    taken = snapshots.create(**where)
    refused: list[Conflict] = []

    def meanwhile(_: int) -> None:
        if not refused:
            with (
                Memory(settings=replace(server_settings, database_url=house.url)) as other,
                pytest.raises(Conflict, match="in use") as caught,
            ):
                other.snapshots.restore(taken.name, confirm=True, **where)
            refused.append(caught.value)

    done = snapshots.restore(taken.name, confirm=True, progress=meanwhile, **where)
    assert (done.done, len(refused)) == (True, 1)
    assert snapshots.restore(taken.name, confirm=True, **where).done


def test_a_schema_whose_tables_somebody_works_on_is_in_use(house: House) -> None:
    snapshots, where = house.memory.snapshots, {"space": "worked on"}
    schema = _fill(house, "worked on")
    taken = snapshots.create(**where)
    with psycopg.connect(house.writer("worked on")) as conn:
        conn.execute(f"update {schema}.boats set name = name".encode())
        with pytest.raises(Conflict, match="in use"):
            snapshots.restore(taken.name, confirm=True, **where)
    assert snapshots.restore(taken.name, confirm=True, **where).done
