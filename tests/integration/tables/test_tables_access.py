"""Who may do what, in which schema of which space."""

from __future__ import annotations

from typing import Any

import pytest
from tables_house import House

from quipu.errors import BadInput, NotFound
from quipu.kinds.tables.model import Permission

CALLS: dict[str, tuple[Permission, dict[str, Any]]] = {
    "memory:query": ("read", {"sql": "select * from notes"}),
    "memory:schema:list-tables": ("read", {}),
    "memory:insert": ("write", {"table": "notes", "data": {"body": "x"}}),
    "memory:update": ("write", {"table": "notes", "data": {"body": "y"}, "where": {"body": "x"}}),
    "memory:delete": ("write", {"table": "notes", "where": {"body": "y"}}),
    "memory:schema:execute": ("admin", {"sql": "create index on notes (body)"}),
    "memory:schema:create-table": (
        "admin",
        {"name": "more", "description": "More.", "embed_fields": [], "sql": "create table more (id int)"},
    ),
    "memory:schema:recreate": ("admin", {"table": "notes", "sql": "create table notes (body text)"}),
}
RANK = ("read", "write", "admin")


@pytest.mark.parametrize("permission", [None, "read", "write", "admin"])
def test_every_tool_asks_what_the_agent_may_do(house: House, permission: Permission | None) -> None:
    tables, space = house.memory.tables, f"granted {permission}"
    tables.execute("create table notes (body text)", space=space, confirm=True)
    if permission is not None:
        tables.grant("ana", permission, space=space)
    for tool, (needed, arguments) in CALLS.items():
        may = permission is not None and RANK.index(permission) >= RANK.index(needed)
        answer = tables.call(tool, arguments, space=space, agent="ana")
        assert answer["is_error"] is not may, (tool, answer)
        if not may:
            assert f"grant 'ana' the level {needed}" in answer["output"]


@pytest.mark.parametrize(
    "condition",
    [
        "false); drop table kept; delete from notes where (false",
        "false); create table more (id int); delete from notes where (false",
        "query_to_xml('drop table kept', true, false, '') is not null",
        "id in (with gone as (delete from kept returning id) select id from gone)",
    ],
)
def test_who_may_write_rows_changes_no_structure_by_a_condition(house: House, condition: str) -> None:
    tables, where = house.memory.tables, {"space": "conditions", "agent": "bob"}
    tables.create_schema("memory", space="conditions")
    for name in ("notes", "kept"):
        tables.execute(
            f"create table if not exists {name} (id int primary key)", space="conditions", confirm=True
        )
    tables.insert("notes", {"id": 1}, space="conditions")
    tables.grant("bob", "write", space="conditions")
    for call in (
        lambda: tables.delete("notes", where=condition, **where, confirm=True),
        lambda: tables.update("notes", {"id": 2}, where=condition, **where, confirm=True),
    ):
        with pytest.raises(BadInput):
            call()
    assert {table.name for table in tables.list(space="conditions").tables if not table.protected} == {
        "notes",
        "kept",
    }
    tables.delete("notes", where="true", **where, confirm=True)


def test_whoever_uses_the_first_schema_first_administers_it(house: House) -> None:
    tables = house.memory.tables
    tables.execute("create table notes (body text)", space="first", agent="ana", confirm=True)
    assert [(g.agent, g.permission) for g in tables.grants(space="first")] == [("ana", "admin")]
    with pytest.raises(BadInput, match="may do nothing"):
        tables.query("select 1", space="first", agent="bob")
    tables.grant("bob", "read", space="first")
    assert tables.query("select 1 as one", space="first", agent="bob").count == 1
    tables.revoke("bob", space="first")
    with pytest.raises(BadInput, match="may do nothing"):
        tables.query("select 1", space="first", agent="bob")
    with pytest.raises(NotFound):
        tables.revoke("bob", space="first")


def test_agents_cannot_make_schemas(house: House) -> None:
    tables = house.memory.tables
    with pytest.raises(NotFound, match="work"):
        tables.execute(
            "create table notes (body text)", space="making", schema="work", agent="ana", confirm=True
        )
    made = tables.create_schema("work", description="For work.", space="making")
    assert made.description == "For work."
    assert tables.create_schema("work", space="making") == made
    with pytest.raises(BadInput, match="may do nothing"):
        tables.execute(
            "create table notes (body text)", space="making", schema="work", agent="ana", confirm=True
        )
    with pytest.raises(NotFound) as caught:
        tables.query("select 1", space="making", schema="wrok")
    assert "Did you mean 'work'?" in (caught.value.hint or "")


def test_schemas_of_the_same_name_are_apart(house: House) -> None:
    tables = house.memory.tables
    for space in ("default", "ana", "bob"):
        for schema in ("memory", "work"):
            tables.create_schema(schema, space=space)
            tables.execute("create table notes (body text)", space=space, schema=schema, confirm=True)
            tables.insert("notes", {"body": f"{space} {schema}"}, space=space, schema=schema)
    for space in ("default", "ana", "bob"):
        for schema in ("memory", "work"):
            found = tables.query("select * from notes", space=space, schema=schema)
            assert found.results == ({"body": f"{space} {schema}"},)
    names = {
        house.schema(space, schema).schema_name
        for space in ("default", "ana", "bob")
        for schema in ("memory", "work")
    }
    assert len(names) == 6
    assert {"memory", "memory_work"} <= names
    for other in names - {"memory"}:
        with pytest.raises(BadInput, match="not there, or is not yours"):
            tables.query(f"select * from {other}.notes", space="default")


def test_forgetting_a_space_leaves_neither_schema_nor_roles_nor_passwords(house: House) -> None:
    tables = house.memory.tables
    tables.execute("create table notes (body text)", space="gone", confirm=True)
    schema = house.schema("gone")
    preview = house.memory.forget(space="gone")
    assert (preview.counts["table_schemas"], preview.counts["agent_tables"]) == (1, 1)
    house.memory.forget(space="gone", confirm=True)
    assert tables.schemas(space="gone") == []
    assert house.rows("select from pg_namespace where nspname = %s", schema.schema_name) == []
    assert house.rows("select from tables.passwords where schema_id = %s", schema.id) == []
    tables.create_schema("memory", space="next")  # whoever makes roles drops those that are left over
    assert house.rows("select from pg_roles where rolname in (%s, %s)", schema.writer, schema.reader) == []


def test_forgetting_a_person_or_a_session_leaves_tables(house: House) -> None:
    tables = house.memory.tables
    house.memory.observe([{"content": "Hello.", "user": "u"}], space="kept", session="s")
    tables.execute("create table notes (body text)", space="kept", confirm=True)
    for what in ({"user": "u"}, {"session": "s"}):
        assert "agent_tables" not in house.memory.forget(space="kept", confirm=True, **what).counts
    assert tables.query("select * from notes", space="kept").count == 0


def test_a_dropped_schema_can_be_made_again(house: House) -> None:
    tables = house.memory.tables
    tables.execute("create table notes (body text)", space="again", confirm=True)
    assert "notes" in tables.drop_schema("memory", space="again").tables
    assert tables.query("select * from notes", space="again").count == 0
    assert "notes" in tables.drop_schema("memory", space="again", confirm=True).tables
    with pytest.raises(NotFound, match="no schema"):
        tables.drop_schema("memory", space="again", confirm=True)
    tables.execute("create table notes (body text)", space="again", confirm=True)
    assert tables.query("select * from notes", space="again").count == 0


def test_a_role_that_lost_its_connections_gets_new_ones(house: House) -> None:
    tables = house.memory.tables
    tables.execute("create table notes (body text)", space="cut", confirm=True)
    (schema,) = tables.schemas(space="cut")
    ended = "select pg_terminate_backend(pid, 60000) from pg_stat_activity where usename = %s"
    assert house.rows(ended, schema.writer)
    assert tables.insert("notes", {"body": "x"}, space="cut").rows == 1


def test_the_prompt_has_the_names_that_work_and_is_kept_until_the_structure_changes(house: House) -> None:
    tables = house.memory.tables
    tables.create_schema("memory", space="told")
    first = tables.prompt(space="told")
    assert "a PostgreSQL schema called `memory`" in first.text
    assert first.tokens == -(-len(first.text) // 4)
    tables.execute("create table notes (body text)", space="told", confirm=True)
    tables.insert("notes", {"body": "x"}, space="told")
    second = tables.prompt(space="told")
    assert "### notes" in second.text
    assert second.version > first.version
    assert tables.prompt(space="told") == second


@pytest.mark.parametrize(
    "condition",
    [
        "day >= '2026-01-01'::text::date",
        "day <= to_char(now() + interval '100 years', 'YYYY-MM-DD')::date",
        "day::text < now()::date::text",
        "at >= '2026-01-01'::text::timestamptz",
        "at < (now() + interval '100 years')::text::timestamptz",
        "mood = 'calm'::text::mood",
        "mood::text = enum_first(null::mood)::text",
        "words = '{a,b}'::text::text[]",
        "span = '[1,5)'::text::int4range",
        "row(id, words)::text = ('(1,\"{a,b}\")'::text)",
        "size = '7'::text::size",
    ],
)
@pytest.mark.parametrize("level", ["read", "admin"])
def test_a_condition_may_read_any_type_from_a_text(house: House, condition: str, level: Permission) -> None:
    tables, space = house.memory.tables, f"types {level}"
    if not house.memory.spaces() or space not in house.memory.space_names():
        tables.execute("create type mood as enum ('calm', 'angry')", space=space, confirm=True)
        tables.execute("create domain size as int check (value > 0)", space=space, confirm=True)
        tables.execute(
            "create table days (id int primary key, day date, at timestamptz, mood mood, words text[],"
            " span int4range, size size)",
            space=space,
            confirm=True,
        )
        tables.execute(
            "insert into days values (1, '2026-02-03', '2026-02-03', 'calm', '{a,b}', '[1,5)', 7)",
            space=space,
            confirm=True,
        )
        tables.execute("analyze days", space=space, confirm=True)
        tables.grant("ana", level, space=space)
    found = tables.query(f"select id from days where {condition}", space=space, agent="ana")
    assert [row["id"] for row in found.results] == [1]
