"""What a call of an agent leaves in its session does not reach the next."""

from __future__ import annotations

import pytest
from tables_house import House

from quipu.errors import BadInput

SPACE = "states"


@pytest.fixture(scope="module", autouse=True)
def tables_of_an_agent(house: House) -> None:
    for statement in (
        "create sequence numbers",
        "create table seen (value text)",
        "create function forget_nothing() returns text language plpgsql as"
        " $$ begin set work_mem = '333kB'; return 'left'; end $$",
        "create table doors (id int primary key, note text default forget_nothing())",
    ):
        house.memory.tables.execute(statement, space=SPACE, confirm=True)


def sessions(house: House) -> list[int]:
    """The sessions of the writer that are kept."""
    role = house.schema(SPACE).writer
    return [row[0] for row in house.rows("select pid from pg_stat_activity where usename = %s", role)]


def doubled(statement: str) -> str:
    """A statement as part of a text in quotes; PL/pgSQL runs it as it is, unless it is one of its own."""
    if not statement.startswith("perform"):
        statement = f"execute '{statement}'"
    return statement.replace("'", "''")


@pytest.mark.parametrize(
    ("before", "after", "refusal"),
    [
        ("prepare left_over as select 1", "deallocate left_over", "left_over.* does not exist"),
        ("declare left_over cursor with hold for select 1", "close left_over", "left_over.* does not exist"),
        ("perform nextval('numbers')", "perform currval('numbers')", "not yet defined"),
    ],
)
def test_what_a_statement_leaves_is_gone_when_the_next_one_comes(
    house: House, before: str, after: str, refusal: str
) -> None:
    tables = house.memory.tables
    tables.execute(
        f"do 'begin {doubled(before)}; {doubled(after)}; end'", space=SPACE, confirm=True
    )  # as long as it lasts
    tables.execute(f"do 'begin {doubled(before)}; end'", space=SPACE, confirm=True)
    assert sessions(house)
    with pytest.raises(BadInput, match=refusal):
        tables.execute(f"do 'begin {doubled(after)}; end'", space=SPACE, confirm=True)


@pytest.mark.parametrize("by", ["statement", "insert"])
def test_a_setting_holds_for_one_call(house: House, by: str) -> None:
    tables = house.memory.tables
    if by == "statement":
        tables.execute("set work_mem = '333kB'", space=SPACE, confirm=True)
    else:
        tables.insert("doors", {"id": 1}, space=SPACE)
    kept = sessions(house)
    tables.execute("insert into seen select current_setting('work_mem')", space=SPACE, confirm=True)
    assert set(kept) <= set(sessions(house))  # it was the same session
    assert tables.query("select distinct value from seen", space=SPACE).results == ({"value": "16MB"},)


def test_plans_that_are_kept_follow_what_they_are_of(house: House) -> None:
    tables = house.memory.tables
    tables.execute("create table birds (id int primary key, song text)", space=SPACE, confirm=True)
    tables.execute(
        "create function count_birds() returns bigint language plpgsql as"
        " $$ begin return (select count(*) from birds); end $$",
        space=SPACE,
        confirm=True,
    )
    tables.execute("create table counted (birds bigint default count_birds())", space=SPACE, confirm=True)
    for number in range(7):  # beyond the five after which a plan is made for good
        tables.insert("birds", {"id": number, "song": "tweet"}, space=SPACE)
        tables.execute("insert into counted default values", space=SPACE, confirm=True)
    tables.execute("drop table birds", space=SPACE, confirm=True)
    tables.execute("create table birds (name text)", space=SPACE, confirm=True)
    tables.execute("insert into counted default values", space=SPACE, confirm=True)
    found = tables.query("select birds from counted", space=SPACE)
    assert [row["birds"] for row in found.results] == [1, 2, 3, 4, 5, 6, 7, 0]
