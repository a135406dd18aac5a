"""Row level security keeps spaces apart by itself, where our SQL forgets its filter."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest
from psycopg import errors
from rows_of_kinds import AT_COMMIT, DESIGNED, DOCUMENTS, EPISODES, LEDGER, LONGTERM, RECORD, TRANSCRIPTS

from quipu import AsyncMemory
from quipu.kernel.db.database import Database
from quipu.recall import store as index
from quipu.record import relations
from quipu.record import store as record
from quipu.upkeep.erasure.model import What

pytestmark = pytest.mark.anyio

MARK = {"ana": "aardvark", "bob": "bonobo"}
NOT_OF_A_SPACE = {
    "core.migrations",
    "core.recall_kinds",
    "core.recall_generations",
    "core.language_budget",
    "core.api_keys",
    "core.databases",
    "core.places",
    "core.moved_spaces",
    "core.signins",
    "core.schedules",
    "core.settings",
    "core.erasure_chain",
    "core.tombstones",
    "tables.discarded_roles",
    "transcripts.discarded_readers",
    "queue.saq_jobs",
    "queue.saq_stats",
}
CLOSED = {"tables.passwords", "transcripts.readers"}  # the application may not even read them
TABLES = """
select c.oid::regclass::text, c.oid from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p') and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')
order by 1
"""
HAS_SPACE = """
select exists (select from pg_attribute where attrelid = %s and attname = 'space_id' and not attisdropped)
"""


def tables(conn: psycopg.Connection) -> dict[str, int]:
    """Every table of a space, from the catalogue: name to oid."""
    found = {
        name: oid
        for name, oid in conn.execute(TABLES.encode()).fetchall()
        if name not in CLOSED and conn.execute(HAS_SPACE.encode(), [oid]).fetchone() == (True,)
    }
    assert len(found) >= 9
    return found


@pytest.fixture
def full_url(filled: Callable[..., AbstractContextManager[str]]) -> Iterator[str]:
    """The address of a database whose spaces ana and bob have rows in every table."""
    with filled(fill) as address:
        yield address


@pytest.fixture
def app(full_url: str) -> Iterator[psycopg.Connection]:
    """A connection as the application."""
    with psycopg.connect(full_url, autocommit=True, options="-c role=quipu_app") as conn:
        yield conn


async def fill(memory: AsyncMemory, url: str) -> None:
    for space, mark in MARK.items():
        for n in range(3):
            await memory.observe(
                [{"content": f"boat {n} {mark}", "speaker": "Ana", "user": "u"}],
                space=space,
                session="s",
            )
        await memory.forget(space=space, message="none", confirm=True)
        with TemporaryDirectory() as folder:
            await memory.longterm.export_sqlite(Path(folder) / "longterm.db", space=space)
        await memory.settings.set("session_days", 30, space=space)
        await memory.ledger.open_session(space=space, session="s", user="u")
        await memory.ledger.set("boat", mark, space=space, session="s")
        await memory.ledger.set("boat", mark, space=space, user="u")
        add(url, space, RECORD, schema="core")
        add(url, space, LEDGER, schema="ledger")
        await memory.recall("boat", space=space)
        add(url, space, LONGTERM, schema="longterm")
        add(url, space, DOCUMENTS, schema="documents")
        add(url, space, EPISODES, schema="episodes")
        add(url, space, DESIGNED, schema="tables")
        add(url, space, TRANSCRIPTS, schema="transcripts")  # among it what a recall would file
        add(url, space, AT_COMMIT, schema="core")


def add(url: str, space: str, rows: str, *, schema: str) -> None:
    with psycopg.connect(url) as conn:
        conn.execute("select core.enter(%s)", [space])
        conn.execute(f"set search_path = {schema}".encode())
        conn.execute(rows.encode())


def numbers(url: str) -> dict[str, int]:
    with psycopg.connect(url) as conn:
        return dict(conn.execute("select name, id from core.spaces").fetchall())


async def test_without_a_space_nothing_is_seen(app: psycopg.Connection) -> None:
    for table in [*tables(app), "core.spaces"]:
        assert app.execute(f"select count(*) from {table}".encode()).fetchone() == (0,), table


async def test_within_a_space_only_its_rows_are_seen_changed_and_made(
    app: psycopg.Connection, full_url: str
) -> None:
    ids = numbers(full_url)
    for table in tables(app):
        with app.transaction(force_rollback=True):
            app.execute("select core.enter('ana')")
            seen = app.execute(f"select distinct space_id from {table}".encode()).fetchall()
            assert seen == [(ids["ana"],)], (
                f"{table}: rows of both spaces are needed for this to prove anything"
            )
        for verb in ("update {} set space_id = space_id", "delete from {}"):
            _changes_nothing_of(ids["bob"], app, verb.format(table), table, full_url)
        _makes_nothing_in(ids["bob"], app, table)


def _changes_nothing_of(space: int, app: psycopg.Connection, statement: str, table: str, url: str) -> None:
    with app.transaction(force_rollback=True):
        app.execute("select core.enter('ana')")
        try:
            changed = app.execute(f"{statement} where space_id = {space}".encode()).rowcount
        except errors.InsufficientPrivilege:
            return  # receipts can be neither changed nor removed
        assert changed == 0, table


def _makes_nothing_in(space: int, app: psycopg.Connection, table: str) -> None:
    row = f"jsonb_populate_record(null::{table}, to_jsonb(t) || jsonb_build_object('space_id', {space}))"
    columns = app.execute(
        "select string_agg(quote_ident(attname), ', ' order by attnum),"
        " string_agg('(r).' || quote_ident(attname), ', ' order by attnum) from pg_attribute"
        " where attrelid = %s::regclass and attnum > 0 and not attisdropped and attgenerated = ''",
        [table],
    ).fetchone()
    assert columns is not None
    names, values = columns
    rows = f"select {values} from (select {row} as r from {table} t) c"
    assert is_refused(app, f"insert into {table} ({names}) overriding system value {rows}"), table
    assert is_refused(app, f"update {table} set space_id = {space}"), table


def is_refused(app: psycopg.Connection, statement: str) -> bool:
    """Whether the application, in the space ana, lacks the right to do this."""
    try:
        with app.transaction(force_rollback=True):
            app.execute("select core.enter('ana')")
            app.execute(statement.encode())
    except errors.InsufficientPrivilege:
        return True
    return False


async def test_the_row_of_another_space_cannot_be_seen_renamed_or_removed(app: psycopg.Connection) -> None:
    with app.transaction(force_rollback=True):
        app.execute("select core.enter('ana')")
        assert app.execute("select name from core.spaces").fetchall() == [("ana",)]
        assert app.execute("update core.spaces set entries = 0 where name = 'bob'").rowcount == 0
        assert app.execute("delete from core.spaces where name = 'bob'").rowcount == 0
    assert is_refused(app, "update core.spaces set name = 'eve'")


async def test_a_space_ends_with_its_transaction(app: psycopg.Connection) -> None:
    with app.transaction():
        app.execute("select core.enter('ana')")
    assert app.execute("select count(*) from core.messages").fetchone() == (0,)
    assert app.execute("select core.current_space()").fetchone() == (None,)


async def test_our_queries_with_the_number_of_another_space_find_nothing(
    memory: AsyncMemory, database: Database, url: str
) -> None:
    for space, mark in MARK.items():
        await memory.observe([{"content": f"boat {mark}", "speaker": "Ana"}], space=space, session="s")
    ids = numbers(url)
    async with database.snapshot_read("bob") as bob:
        assert bob is not None
        mine = await record.matching(bob, What())
        assert len(mine) == 1
    async with database.snapshot_read("ana") as ana:
        assert ana is not None
        forged = replace(ana, space=replace(ana.space, id=ids["bob"]))
        assert await record.matching(forged, What()) == []
        assert await record.messages(forged, mine) == []
        assert await record.around(forged, mine[0], before=5, after=5) == []
        assert await record.sessions(forged, limit=10, offset=0) == []
        assert await record.session_id(forged, "s") is None
        assert await relations.of(forged, mine) == {}
        assert await relations.named(forged, "m", None) == []
        assert await index.names(forged) == []
        assert await index.owner(forged, "Ana") is None
        assert len((await index.read_signatures(forged, since=0)).ids) == 0


# ---- What the catalogue says -------------------------------------------------------------------------


async def test_every_table_belongs_to_spaces_or_is_known_not_to(app: psycopg.Connection) -> None:
    every = {name for name, _ in app.execute(TABLES.encode()).fetchall()}
    assert every - tables(app).keys() == NOT_OF_A_SPACE | CLOSED | {"core.spaces"}


async def test_row_level_security_is_forced_on_every_table_of_a_space(app: psycopg.Connection) -> None:
    for table, oid in (tables(app) | {"core.spaces": "core.spaces"}).items():
        forced = app.execute(
            "select relrowsecurity, relforcerowsecurity from pg_class where oid = %s::regclass", [str(oid)]
        ).fetchone()
        assert forced == (True, True), table
        policies = app.execute(
            "select polcmd::text, polpermissive, polroles, pg_get_expr(polqual, polrelid), polwithcheck"
            " from pg_policy where polrelid = %s::regclass",
            [str(oid)],
        ).fetchall()
        for_everyone = [policy for policy in policies if policy[2] == [0]]
        assert [policy[:2] for policy in for_everyone] == [("*", True)], table
        assert "current" in for_everyone[0][3], table


async def test_every_key_of_a_table_of_a_space_contains_the_space(app: psycopg.Connection) -> None:
    """So that tables can be distributed by space: unique indexes and references between tables of spaces."""
    ours = tables(app)
    for table, oid in ours.items():
        unique = app.execute(
            "select i.indexrelid::regclass::text, array(select a.attname::text from unnest(i.indkey) k"
            " join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k)"
            " from pg_index i where i.indrelid = %s and i.indisunique",
            [oid],
        ).fetchall()
        assert unique, table
        assert [name for name, columns in unique if "space_id" not in columns] == [], table
        references = app.execute(
            "select conname, confrelid::regclass::text, array(select a.attname::text from unnest(conkey) k"
            " join pg_attribute a on a.attrelid = conrelid and a.attnum = k)"
            " from pg_constraint where conrelid = %s and contype = 'f'",
            [oid],
        ).fetchall()
        assert [
            name
            for name, target, columns in references
            if "space_id" not in columns and target not in NOT_OF_A_SPACE
        ] == [], table


async def test_the_application_has_no_power_over_the_rules(app: psycopg.Connection) -> None:
    power = app.execute(
        "select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb from pg_roles where rolname = 'quipu_app'"
    ).fetchone()
    assert power == (False,) * 4
    owned = app.execute("select count(*) from pg_class where relowner = 'quipu_app'::regrole").fetchone()
    assert owned == (0,)
    for table in [*tables(app), "core.spaces"]:
        for attempt in (
            "alter table {} disable row level security",
            "drop policy own_space on {}",
            "truncate {}",
        ):
            assert is_refused(app, attempt.format(table)), attempt
