"""What an agent sends to get at what is not its own is refused by PostgreSQL, or changes nothing."""

from __future__ import annotations

from typing import Any

import pytest
from attacks import Attack, attacks
from fingerprint import fingerprint
from tables_house import House

from quipu import Memory
from quipu.kinds.tables.model import Schema

MARK = "aardvark"
EVERY = list(attacks())


@pytest.fixture(scope="module")
def own(house: House) -> Schema:
    """The schema of mallory; victim has a word in its tables, in what was said, and in the ledger."""
    tables = house.memory.tables
    for space, name in (("victim", "secrets"), ("mallory", "notes")):
        schema = house.schema(space).schema_name
        column = "word" if name == "secrets" else "body"
        tables.create_table(
            name,
            f"create table {schema}.{name} (id serial primary key, {column} text)",
            description=f"What is kept: {MARK}." if space == "victim" else "Notes.",
            embed_fields=[],
            space=space,
        )
        tables.insert(name, {column: MARK if space == "victim" else "mine"}, space=space)
    house.memory.observe([{"content": f"The {MARK} sleeps."}], space="victim", session="s")
    house.memory.ledger.set("animal", MARK, space="victim", session="s")
    tables.grant("mallory", "admin", space="mallory")
    return house.schema("mallory")


def written(attack: Attack, own: Schema, other: Schema) -> str:
    names = {
        "{own}": own.schema_name,
        "{other}": other.schema_name,
        "{other_without_m}": other.schema_name[1:],
        "{role}": other.writer,
    }
    statement = attack.statement
    for name, value in names.items():
        statement = statement.replace(name, value)
    return statement


def send(memory: Memory, attack: Attack, statement: str) -> Any:
    where = {"space": "mallory", "agent": "mallory"}
    match attack.tool:
        case "execute":
            return memory.tables.call("memory:schema:execute", {"sql": statement}, **where)
        case "query":
            return memory.tables.call("memory:query", {"sql": statement}, **where)
        case "where":
            given = {"table": "notes", "data": {"body": "changed"}, "where": statement}
            return memory.tables.call("memory:update", given, **where)
        case "delete where":
            given = {"table": "notes", "where": statement}
            return memory.tables.call("memory:delete", given, **where)


def test_there_are_attacks_of_every_family() -> None:
    assert len(EVERY) >= 250
    assert len({attack.family for attack in EVERY}) >= 10
    assert len({(attack.tool, attack.statement) for attack in EVERY}) == len(EVERY)


def test_every_attack_is_refused_or_changes_nothing_that_is_not_its_own(
    house: House, hurried: Memory, own: Schema
) -> None:
    other = house.schema("victim")
    before = fingerprint(house.url, own)
    wrong: list[str] = []
    for attack in EVERY:
        statement = written(attack, own, other)
        answer = send(hurried if attack.refused else house.memory, attack, statement)
        told = str(answer["output"]).replace(statement, "")
        if MARK in told:
            wrong.append(f"shows what is not its own: {statement}: {told[:300]}")
        if answer["is_error"] is not attack.refused:
            wrong.append(f"{'is not' if attack.refused else 'is'} refused: {statement}: {told[:300]}")
        if answer["is_error"] and "\n" not in told:
            wrong.append(f"does not say what to do: {statement}: {told[:300]}")
    after = fingerprint(house.url, own)
    changed = {
        name: (before.get(name), after.get(name))
        for name in before | after
        if before.get(name) != after.get(name)
    }
    assert changed == {}
    assert not wrong, "\n".join(wrong)


def test_the_agent_still_works_after_all_that(house: House, own: Schema) -> None:
    tables = house.memory.tables
    for role in (own.writer, own.reader):
        house.rows(f"select pg_terminate_backend(pid) from pg_stat_activity where usename = '{role}'")
    tables.execute("drop trigger if exists evil on notes", space="mallory", agent="mallory", confirm=True)
    assert tables.insert("notes", {"body": "here"}, space="mallory", agent="mallory").rows == 1
    (row,) = tables.query(
        "select body from notes where body = 'here'", space="mallory", agent="mallory"
    ).results
    assert row == {"body": "here"}


def test_an_agent_that_drops_all_it_owns_goes_on_with_an_empty_schema(house: House) -> None:
    tables, where = house.memory.tables, {"space": "careless", "agent": "careless"}
    tables.execute("create table notes (id int)", **where, confirm=True)
    tables.execute("drop owned by current_user cascade", **where, confirm=True)
    tables.execute("create table notes (id int)", **where, confirm=True)
    tables.insert("notes", {"id": 1}, **where)
    assert tables.query("select * from notes", **where).results == ({"id": 1},)
    tables.execute("revoke all on notes from public", **where, confirm=True)
    reader = house.schema("careless").reader
    tables.execute(f"revoke all on notes from {reader}", **where, confirm=True)
    assert tables.query("select * from notes", **where).count == 1
