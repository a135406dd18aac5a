"""Dumps that someone made to get at more than a schema: the login that loads them can do nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import anyio
import psycopg
import pytest
from fingerprint import fingerprint
from psycopg import AsyncConnection
from tables_house import House

from quipu.errors import BadInput
from quipu.upkeep.snapshots.load import DumpSource, Load
from quipu.upkeep.snapshots.model import Target
from quipu.upkeep.snapshots.reader import Statement

HEAD = "SET row_security = off;\nCREATE SCHEMA memory;\n"

# Of forms that are taken, so that PostgreSQL itself has to refuse them. {t}: a table with one column.
TAKEN = {
    "a view of what was said": "CREATE VIEW memory.v AS\n SELECT content\n   FROM core.messages;\n",
    "a copy of it": "CREATE MATERIALIZED VIEW memory.v AS\n SELECT content\n   FROM core.messages\n"
    "  WITH NO DATA;\n",
    "a file as a default": "CREATE TABLE memory.t (a text, b text DEFAULT pg_read_file('/etc/passwd'));\n"
    "COPY memory.t (a) FROM stdin;\nx\n\\.\n",
    "a file in a view": "CREATE MATERIALIZED VIEW memory.v AS\n SELECT pg_read_file('/etc/passwd') AS f\n"
    "  WITH NO DATA;\nREFRESH MATERIALIZED VIEW memory.v;\n",
    "a program in a check": "CREATE TABLE memory.t (a text CHECK (lo_export(1, '/var/x') = 1));\n"
    "COPY memory.t (a) FROM stdin;\nx\n\\.\n",
    "a reference to what was said": "CREATE TABLE memory.t (a bigint);\nALTER TABLE ONLY memory.t\n"
    "    ADD CONSTRAINT f FOREIGN KEY (a) REFERENCES core.messages(id);\n",
    "a child of our table": "CREATE TABLE memory.t (a text)\nINHERITS (core.messages);\n",
    "an index that settles": "CREATE TABLE memory.t (a text);\nCREATE INDEX i ON memory.t USING btree"
    " (pg_catalog.pg_terminate_backend(1));\n",
    "rows for another's registry": "COPY memory.schema_registry (table_name, description,"
    " embeddable_fields, created_at, updated_at) FROM stdin;\nx\t\\N\t\\N\t\\N\t\\N\n\\.\n",
    "rows that are none": "CREATE TABLE memory.t (a integer);\nCOPY memory.t (a) FROM stdin;\nx\n\\.\n",
    "structure that is harmless": "CREATE TABLE memory.t (a integer);\n",
}
REFUSED = {
    "a program": "COPY memory.t FROM PROGRAM 'touch /var/x';\n",
    "a function": "CREATE FUNCTION memory.f() RETURNS integer LANGUAGE sql AS 'select 1';\n",
    "a block": "DO $$ begin perform 1; end $$;\n",
    "a shell": "\\! touch /var/x\n",
    "another database": "\\connect postgres\n",
    "another role": "SET ROLE quipu_owner;\n",
    "another schema": "CREATE TABLE core.t (a integer);\n",
    "an end before the end": "COMMIT;\n",
}


@dataclass(frozen=True, slots=True)
class Hostile:
    """A file; not all of them are more than tried."""

    name: str
    path: Path
    confirm: bool


def dump_with(folder: Path) -> Iterator[Hostile]:
    """Each as a file."""
    for number, (name, text) in enumerate({**TAKEN, **REFUSED}.items()):
        path = folder / f"{number}.sql"
        path.write_text(HEAD + text)
        yield Hostile(name, path, confirm=number < 3 or name in REFUSED)


# Whatever the list of forms may let through one day. {own}: the schema that is loaded into.
BEYOND = (
    "SET ROLE quipu_owner",
    "SET SESSION AUTHORIZATION quipu_owner",
    "COPY core.messages TO PROGRAM 'id'",
    "COPY {own}.schema_registry FROM PROGRAM 'id'",
    "COPY {own}.schema_registry FROM '/etc/passwd'",
    "ALTER TABLE core.messages DISABLE ROW LEVEL SECURITY",
    "ALTER TABLE {own}.schema_registry DISABLE TRIGGER ALL",
    "DROP TABLE {own}.schema_registry",
    "DROP SCHEMA {own} CASCADE",
    "ALTER SYSTEM SET archive_command = 'id'",
    "CREATE ROLE x",
    "CREATE EXTENSION dblink",
    "CREATE SCHEMA x",
    "CREATE TABLE public.x (a integer)",
    "CREATE EVENT TRIGGER e ON ddl_command_end EXECUTE FUNCTION pg_catalog.pg_get_keywords()",
    "CREATE FUNCTION {own}.f() RETURNS integer LANGUAGE c AS 'x'",
    "INSERT INTO core.recall_kinds VALUES (99, 'x')",
    "SELECT tables.discard(1)",
    "SELECT 1; COMMIT",
    "COMMIT; SELECT 1",
)


@pytest.mark.parametrize("text", BEYOND)
def test_the_login_that_loads_a_dump_is_refused_all_else(house: House, text: str) -> None:
    own = house.schema("mallory")
    statement = Statement(text.format(own=own.schema_name), (), 1)
    target = Target(
        space="mallory",
        space_id=0,
        schema="memory",
        schema_name=own.schema_name,
        number=own.id,
        reader=own.reader,
        protected=(),
    )
    anyio.run(refused, house.writer("mallory"), statement, target)


async def refused(conninfo: str, statement: Statement, target: Target) -> None:
    async with await AsyncConnection.connect(conninfo) as conn:
        load = Load(conn, target, DumpSource(path=Path(), schema_name=target.schema_name, code=True))
        with pytest.raises(psycopg.Error):
            await load._run(statement)  # pyright: ignore[reportPrivateUsage] - behind the list of forms


def test_nothing_lends_a_dump_more_than_the_login_of_its_schema(house: House) -> None:
    own = house.schema("mallory")
    rows = house.rows(
        "select rolsuper, rolcreaterole, rolcreatedb, rolbypassrls, rolinherit"
        " from pg_roles where rolname = %s",
        own.writer,
    )
    assert rows == [(False,) * 5]


def test_an_import_that_fails_changes_nothing(house: House, tmp_path: Path) -> None:
    memory = house.memory
    schema = house.schema("target").schema_name
    memory.tables.execute(f"create table {schema}.kept (word text)", space="target", confirm=True)
    memory.tables.insert("kept", {"word": "here"}, space="target")
    before = fingerprint(house.url, house.schema("target"))
    passed = []
    for hostile in dump_with(tmp_path):
        with suppress(BadInput):
            memory.snapshots.import_dump(hostile.path, space="target", confirm=hostile.confirm)
            passed.append(hostile.name)
    assert passed == ["structure that is harmless"]
    (table,) = [one for one in memory.tables.list(space="target").tables if not one.protected]
    assert table.name == "kept"
    assert memory.tables.query("select word from kept", space="target").results == ({"word": "here"},)
    assert memory.snapshots.list(space="target") == [], "there is nothing to undo"
    after = fingerprint(house.url, house.schema("target"))
    assert {name for name in {*before, *after} if before.get(name) != after.get(name)} <= {
        "rows of tables.dirty_rows",
        "rows of tables.following",
    }
