"""What was shown is what is done: a change in between is found in the transaction that does it."""

from __future__ import annotations

import psycopg
import pytest
from tables_house import House

from quipu import Memory
from quipu.errors import Outdated

WHERE = {"space": "default"}


@pytest.fixture
def tables(house: House) -> Memory:
    """Boats and trips, which go with their boats."""
    tables = house.memory.tables
    if tables.schemas(**WHERE):
        tables.drop_schema("memory", **WHERE, confirm=True)
    tables.create_schema("memory", **WHERE)
    for statement in (
        "create table boats (id serial primary key, name text)",
        "create table trips (boat int references boats (id) on delete cascade)",
        "insert into boats (name) select 'boat ' || n from generate_series(1, 50) n",
        "insert into trips values (1), (2)",
    ):
        tables.execute(statement, **WHERE, confirm=True)
    return tables


def _meanwhile(house: House, *statements: str) -> None:
    with psycopg.connect(house.writer("default"), autocommit=True) as conn:
        conn.execute("set search_path = memory, public")
        for statement in statements:
            conn.execute(statement.encode())


def _boats(tables: Memory) -> int:
    return tables.query("select count(*) from boats", **WHERE).results[0]["count"]


@pytest.mark.parametrize(
    "meanwhile",
    [
        ("insert into boats values (100, 'new')",),
        ("delete from boats where id = 40", "insert into boats values (100, 'as many')"),
        ("insert into trips values (5)",),
        (
            "create table stops (boat int references boats (id) on delete cascade)",
            "insert into stops values (1)",
        ),
    ],
)
def test_a_delete_of_other_rows_than_were_shown_is_refused(
    tables: Memory, house: House, meanwhile: tuple[str, ...]
) -> None:
    shown = tables.delete("boats", where="true", confirm=False, **WHERE)
    _meanwhile(house, *meanwhile)
    there = _boats(tables)
    with pytest.raises(Outdated, match="not what was shown"):
        tables.delete("boats", where="true", confirm=shown, **WHERE)
    assert _boats(tables) == there
    shown = tables.delete("boats", where="true", confirm=False, **WHERE)
    assert tables.delete("boats", where="true", confirm=shown, **WHERE).rows == there
    assert _boats(tables) == 0


@pytest.mark.parametrize(
    ("statement", "meanwhile"),
    [
        ("drop table trips", "insert into trips values (3)"),
        ("drop table trips", "create view of_trips as select * from boats"),
        ("drop table boats cascade", "create view of_boats as select name from boats"),
        ("truncate boats, trips", "insert into boats values (100, 'new')"),
        ("delete from boats where id < 3", "insert into trips values (2)"),
    ],
)
def test_a_statement_that_would_take_other_away_than_was_shown_is_refused(
    tables: Memory, house: House, statement: str, meanwhile: str
) -> None:
    shown = tables.execute(statement, confirm=False, **WHERE)
    _meanwhile(house, meanwhile)
    if "of_trips" in meanwhile:  # takes nothing more away
        assert tables.execute(statement, confirm=shown, **WHERE).lost == shown.lost
        return
    with pytest.raises(Outdated):
        tables.execute(statement, confirm=shown, **WHERE)
    assert _boats(tables) >= 50
    shown = tables.execute(statement, show_first=True, **WHERE)
    done = tables.execute(statement, confirm=shown, **WHERE)
    assert (done.undone, done.lost) == (False, shown.lost)


def test_an_update_of_other_rows_than_were_shown_is_refused(tables: Memory, house: House) -> None:
    changed = {"data": {"name": "x"}, "where": "name < 'boat 2'"}
    shown = tables.update("boats", show_first=True, **changed, **WHERE)
    _meanwhile(house, "update boats set name = 'z' where id = 1", "insert into boats values (100, 'boat 1')")
    with pytest.raises(Outdated):
        tables.update("boats", confirm=shown, **changed, **WHERE)
    shown = tables.update("boats", show_first=True, **changed, **WHERE)
    assert tables.update("boats", confirm=shown, **changed, **WHERE).rows == shown.rows > 0


def test_a_table_that_became_another_is_not_made_anew_as_was_shown(tables: Memory, house: House) -> None:
    sql = "create table boats (id serial primary key, name text, length int)"
    shown = tables.recreate("boats", sql, confirm=False, **WHERE)
    _meanwhile(house, "alter table boats add colour text default 'red'")
    with pytest.raises(Outdated):
        tables.recreate("boats", sql, confirm=shown, **WHERE)
    assert tables.query("select colour from boats limit 1", **WHERE).results == ({"colour": "red"},)
    _meanwhile(house, "alter table boats drop colour", "insert into boats (name) values ('comes along')")
    assert tables.recreate("boats", sql, confirm=shown, **WHERE).rows == 51
