"""What an agent's own SQL granted comes back with a snapshot, for those who are still there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import LiteralString

import psycopg
import pytest
from psycopg import sql
from tables_house import House

from quipu.errors import BadInput
from quipu.upkeep.snapshots.model import Restored

OBJECTS = (
    "create table boats (id serial primary key, name text, length int)",
    "insert into boats (name, length) values ('Alba', 9), ('Bora', 12)",
    "create view small as select name from boats where length < 10",
    "create sequence tickets",
    "create type mood as enum ('calm')",
    "create domain size as int",
    "create function longer(one int, mood) returns int language sql as 'select $1'",
    "create procedure nothing() language sql as 'select 1'",
)
GRANTS = (
    "grant select on boats to public",
    "grant insert, update (name) on boats to {role} with grant option",
    "revoke delete on boats from current_user",
    "grant usage on sequence tickets to {role}",
    "grant select on small to {role}",
    "revoke execute on function longer(int, mood) from public",
    "grant execute on function longer(int, mood) to {role}",
    "revoke execute on procedure nothing() from public",
    "revoke usage on type mood from public",
    "grant usage on domain size to {role}",
    "grant execute on function longer(int, mood) to {reader}",
    "alter default privileges grant select on tables to {role}",
    "alter default privileges in schema {schema} grant usage on types to {role}",
    "alter default privileges revoke execute on functions from public",
    "alter default privileges revoke insert on tables from current_user",
)
RIGHTS = """
    with own as (select n.oid, s.writer, s.reader from tables.schemas s
        join pg_namespace n on n.nspname = s.schema_name where s.schema_name = %s)
    select o.name, replace(replace(x.grantee::regrole::text, own.writer, 'W'), own.reader, 'R'),
        x.privilege_type, x.is_grantable
    from own cross join lateral (
        select c.relname::text,
            coalesce(c.relacl, acldefault(case c.relkind when 'S' then 's' else 'r' end::"char", c.relowner))
        from pg_class c where c.relnamespace = own.oid and c.relkind <> 'i' and c.relname <> 'embeddings'
        union all
        select c.relname || '.' || a.attname, a.attacl
        from pg_class c join pg_attribute a on a.attrelid = c.oid
        where c.relnamespace = own.oid and a.attacl is not null
        union all
        select p.proname, coalesce(p.proacl, acldefault('f', p.proowner)) from pg_proc p
        where p.pronamespace = own.oid
        union all
        select t.typname, coalesce(t.typacl, acldefault('T', t.typowner)) from pg_type t
        where t.typnamespace = own.oid and t.typtype in ('e', 'd')
        union all
        select concat('new ', d.defaclobjtype, d.defaclnamespace <> 0), d.defaclacl from pg_default_acl d
        where d.defaclrole::regrole::text = own.writer
        union all
        select 'schema', n.nspacl from pg_namespace n where n.oid = own.oid
    ) o (name, acl), aclexplode(o.acl) x
    order by 1, 2, 3, 4
"""


@pytest.fixture
def role(house: House) -> Iterator[str]:
    """A role of somebody who reports."""
    name = 'reports of "Ö" 🦜'
    _as_superuser(house, "create role {}", name)
    yield name
    if house.rows("select from pg_roles where rolname = %s", name):
        _as_superuser(house, "drop owned by {}", name)
        _as_superuser(house, "drop role {}", name)


def _as_superuser(house: House, statement: LiteralString, *names: str) -> None:
    with psycopg.connect(house.url, autocommit=True) as conn:
        conn.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))


def _fill(house: House, space: str, role: str) -> str:
    schema = house.schema(space)
    names = {
        "role": '"' + role.replace('"', '""') + '"',
        "reader": schema.reader,
        "schema": schema.schema_name,
    }
    for statement in (*OBJECTS, *GRANTS):
        house.memory.tables.execute(statement.format(**names), space=space, confirm=True)
    _as_superuser(house, "grant usage on schema {} to {}", schema.schema_name, role)
    return schema.schema_name


def test_what_sql_granted_comes_back_with_a_schema_that_was_dropped(house: House, role: str) -> None:
    memory, space = house.memory, "granted by sql"
    schema = _fill(house, space, role)
    was = house.rows(RIGHTS, schema)
    taken = memory.snapshots.create(space=space)
    memory.tables.drop_schema("memory", space=space, confirm=True)
    assert memory.snapshots.restore(taken.name, space=space).lost == ()
    done = memory.snapshots.restore(taken.name, space=space, confirm=True)
    assert (done.lost, house.rows(RIGHTS, schema)) == ((), was)


def test_rights_are_as_of_the_snapshot_where_a_schema_stands_and_the_undo_brings_the_others_back(
    house: House, role: str
) -> None:
    memory, space = house.memory, "granted since"
    schema = _fill(house, space, role)
    was = house.rows(RIGHTS, schema)
    taken = memory.snapshots.create(space=space)
    for statement in (
        "revoke all on boats from public",
        "grant delete on boats to public",
        "grant select on tickets to public",
        "grant execute on procedure nothing() to public",
        "alter default privileges grant insert on tables to public",
        "alter default privileges revoke all on tables from current_user",
    ):
        memory.tables.execute(statement, space=space, confirm=True)
    changed = house.rows(RIGHTS, schema)
    done = memory.snapshots.restore(taken.name, space=space, confirm=True)
    assert house.rows(RIGHTS, schema) == was != changed
    assert done.undo is not None
    memory.snapshots.restore(done.undo, space=space, confirm=True)
    assert house.rows(RIGHTS, schema) == changed


def test_a_right_of_a_role_that_is_gone_is_told_and_another_of_its_name_gets_nothing(
    house: House, role: str
) -> None:
    memory, space = house.memory, "gone role"
    schema = _fill(house, space, role)
    taken = memory.snapshots.create(space=space)
    memory.tables.drop_schema("memory", space=space, confirm=True)
    _as_superuser(house, "drop role {}", role)
    _as_superuser(house, "create role {}", role)
    shown = memory.snapshots.restore(taken.name, space=space)
    done = memory.snapshots.restore(taken.name, space=space, confirm=True)
    assert shown.lost == done.lost
    assert f"right select on table small of {role}: there is no such role any more" in done.lost
    assert (
        f"right execute on routine longer(integer, mood) of {role}: there is no such role any more"
        in done.lost
    )
    assert f"right usage on schema of {role}: there is no such role any more" in done.lost
    assert f"right select on new tables of {role}: there is no such role any more" in done.lost
    assert all(role != row[1] for row in house.rows(RIGHTS, schema))


def test_a_login_of_another_space_gets_nothing_back_and_one_of_the_same_space_does(house: House) -> None:
    memory, space = house.memory, "with neighbours"
    memory.tables.create_schema("other", space=space)
    house.schema(space)
    foreign, near = house.schema("abroad").reader, memory.tables.schemas(space=space)[1].reader
    memory.tables.execute("create table boats (id int)", space=space, confirm=True)
    memory.tables.execute(f"grant select on boats to {foreign}, {near}", space=space, confirm=True)
    taken = memory.snapshots.create(space=space)
    memory.tables.drop_schema("memory", space=space, confirm=True)
    done = memory.snapshots.restore(taken.name, space=space, confirm=True)
    assert done.lost == (f"right select on table boats of {foreign}: there is no such role any more",)
    given = house.rows(
        "select x.grantee::regrole::text from pg_class c, aclexplode(c.relacl) x where c.relname = 'boats'"
        " and c.relnamespace = %s::regnamespace",
        house.schema(space).schema_name,
    )
    assert (near,) in given
    assert (foreign,) not in given


def test_an_export_brings_rights_of_its_own_logins_and_names_the_others(
    house: House, role: str, tmp_path: Path
) -> None:
    memory, source, target = house.memory, "exported", "imported"
    schema = house.schema(source)
    for statement in (
        "create table boats (id int, name text)",
        "create type mood as enum ('calm')",
        "revoke usage on type mood from public",
        "grant insert, update (name) on boats to {reader}",
        "grant usage on type mood to {reader}",
        "grant select on boats to public",
        "grant references on boats to {role}",
    ):
        quoted = '"' + role.replace('"', '""') + '"'
        memory.tables.execute(statement.format(reader=schema.reader, role=quoted), space=source, confirm=True)
    memory.snapshots.export(tmp_path / "dump.sql", space=source)
    house.schema(target)
    lost = (
        "right references on table boats of " + role + ": granted where the dump was made",
        "right select on table boats of public: granted where the dump was made",
    )
    for confirm in (False, True):
        done = memory.snapshots.import_dump(tmp_path / "dump.sql", space=target, confirm=confirm)
        assert done.lost == lost
    rights = {
        row
        for row in house.rows(RIGHTS, house.schema(target).schema_name)
        if row[0] in ("boats", "boats.name", "mood")
    }
    assert {row for row in rights if row[1] != "W"} == {
        ("boats", "R", "INSERT", False),
        ("boats", "R", "SELECT", False),
        ("boats.name", "R", "UPDATE", False),
        ("mood", "R", "USAGE", False),
    }


@pytest.mark.parametrize(
    "note",
    [
        b"[]",
        b"{",
        b'["table", ["boats"], [], [["role", "x", 1, "select; drop table boats", false]]]',
        b'["table", ["boats"], [], [["everybody", "", 0, "select", false]]]',
        b'["table", "boats", [], []]',
        b'["table", ["boats"], [], [["writer", "", "\\ud800", "select", false]]]',
        b"[" * 100_000,
    ],
)
def test_a_note_that_tells_of_no_right_is_refused_by_its_line(
    house: House, tmp_path: Path, note: bytes
) -> None:
    memory, space = house.memory, "noted"
    house.schema(space)
    memory.snapshots.export(tmp_path / "dump.sql", space=space)
    with (tmp_path / "dump.sql").open("ab") as file:
        file.write(b"-- quipu right: " + note + b"\n")
    with pytest.raises(BadInput, match=r"line \d+: this tells of no right"):
        memory.snapshots.import_dump(tmp_path / "dump.sql", space=space, confirm=True)


def test_a_snapshot_of_before_rights_were_kept_is_restored(house: House) -> None:
    memory, space = house.memory, "of before"
    house.schema(space)
    memory.tables.execute("create table boats (id int)", space=space, confirm=True)
    taken = memory.snapshots.create(space=space)
    manifest = memory.snapshots.path(taken.name, space=space).with_suffix(".json")
    told = json.loads(manifest.read_text())
    del told["rights"]
    manifest.write_text(json.dumps(told))
    done = memory.snapshots.restore(taken.name, space=space, confirm=True)
    assert isinstance(done, Restored)
    assert done.after == {"boats": 0}
