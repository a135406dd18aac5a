"""SQL of others: it reads this space, and there is no way in which it writes or reads anything else."""

from __future__ import annotations

import psycopg
import pytest

from quipu.errors import BadInput, DatabaseError
from quipu.kinds.transcripts.browse.browse import AsyncBrowse

pytestmark = pytest.mark.anyio

SECRET = "the password of the others is hunter2"
COUNTS = (
    "select (select count(*) from transcripts.lines), (select count(*) from transcripts.memories),"
    " (select count(*) from core.messages), (select sum(length(content)) from transcripts.tool_results)"
)


@pytest.fixture(scope="module")
def secret(filled: str) -> int:
    """The number of the other space, in which something was said that must not be read from here."""
    with psycopg.connect(filled) as conn:
        row = conn.execute("select id from core.spaces where name = 'others'").fetchone()
        assert row is not None
        conn.execute("update core.messages set content = %s where space_id = %s", [SECRET, row[0]])
    return row[0]


async def test_a_select_gives_columns_and_rows(browse: AsyncBrowse) -> None:
    got = await browse.query("select id, title from sessions order by id;", space="boats")
    assert got.columns == ("id", "title")
    assert got.rows == (("agent-7", None), ("s-1", "Fix the login"), ("s-2", "Timetable"))
    assert not got.truncated


async def test_rows_beyond_the_limit_are_cut_and_said(browse: AsyncBrowse) -> None:
    got = await browse.query("with m as (select uuid from messages) table m", space="boats", limit=3)
    assert (len(got.rows), got.truncated, got.cut_by) == (3, True, "limit")


async def test_bytes_beyond_the_limit_are_cut_and_said(browse: AsyncBrowse) -> None:
    rows = "select n, repeat('x', 400) from generate_series(1, 1000) n"
    got = await browse.query(rows, space="boats", megabytes=0.001)
    assert ([row[0] for row in got.rows], got.truncated, got.cut_by) == ([1, 2], True, "megabytes")
    whole = await browse.query(rows, space="boats", limit=1000)
    assert (len(whole.rows), whole.truncated, whole.cut_by) == (1000, False, None)


async def test_a_row_that_is_too_long_by_itself_says_how_to_get_it(browse: AsyncBrowse) -> None:
    with pytest.raises(BadInput, match="first row") as refused:
        await browse.query("select repeat('x', 2000)", space="boats", megabytes=0.001)
    assert "megabytes" in str(refused.value.hint)


async def test_values_are_such_as_json_knows(browse: AsyncBrowse) -> None:
    got = await browse.query(
        "select 1.5::numeric, now()::date, array[1,2], '{\"a\": [null]}'::jsonb, interval '90 s',"
        " '\\x0f'::bytea,"
        " gen_random_uuid() is not null, '100%'",
        space="boats",
    )
    (row,) = got.rows
    assert (row[0], row[2:]) == ("1.5", ([1, 2], {"a": [None]}, 90.0, "0f", True, "100%"))


WRITES = {
    "insert": "insert into memories (fact) values ('x')",
    "insert that returns": "with x as (insert into memories (fact) values ('x') returning id) select *"
    " from x",
    "update through a view": "update sessions set memories_extracted = 1",
    "delete": "delete from lines",
    "truncate": "truncate lines",
    "drop": "drop table lines",
    "two statements": "select 1; delete from lines",
    "a statement after a commit": "select 1; commit; delete from lines",
    "copy to a program": "copy (select 1) to program 'touch /var/quipu-was-here'",
    "copy to a file": "copy lines to '/var/quipu-was-here'",
    "do": "do $$ begin delete from transcripts.lines; end $$",
    "call": "call nothing()",
    "set role": "set role quipu_app",
    "reset role": "reset role",
    "set session": "set session authorization quipu_admin",
    "lock": "select * from lines for update",
    "a large object": "select lo_from_bytea(0, 'x')",
    "a sequence": "select nextval('transcripts.lines_id_seq')",
    "a file": "select pg_read_file('/etc/passwd')",
    "a directory": "select pg_ls_dir('/')",
    "a log": "select pg_current_logfile()",
    "another connection": "select dblink('', 'select 1')",
    "a program by lo_export": "select lo_export(1, '/var/quipu-was-here')",
    "another role": "select set_config('role', 'quipu_app', false)",
    "another user": "select set_config('session_authorization', 'quipu_admin', false)",
    "the owner": "select set_config('role', 'quipu_owner', true)",
    "writing again": "select set_config('transaction_read_only', 'off', true)",
    "the record itself": "select * from core.messages",
    "the words": "select * from transcripts.texts",
    "the logins": "select * from transcripts.readers",
    "matching": "select transcripts.matching('x', null, null, null, null, true, null, null, null, 'time', 9)",
    "a password": "select transcripts.make_reader('quipu_see', null, '')",
    "explain that runs": "explain analyze delete from lines",
    "create": "create table mine (a int)",
    "create as": "create temp table mine as select 1",
    "select into": "select * into temp mine from sessions",
    "a query in a function": "select query_to_xml('delete from transcripts.lines', true, true, '')",
    "a statement in a cursor": "select cursor_to_xml('x', 1, true, true, '')",
    "the server's reload": "select pg_reload_conf()",
}


@pytest.mark.parametrize("statement", WRITES.values(), ids=WRITES.keys())
async def test_what_is_more_than_reading_is_refused_and_changes_nothing(
    browse: AsyncBrowse, filled: str, statement: str
) -> None:
    with psycopg.connect(filled) as conn:
        before = conn.execute(COUNTS).fetchall()
    with pytest.raises(BadInput) as refused:
        await browse.query(statement, space="boats")
    assert refused.value.field == "sql"
    with psycopg.connect(filled) as conn:
        assert conn.execute(COUNTS).fetchall() == before


ELSEWHERE = [
    "select content_text from messages, (select set_config('quipu.space_id', '{space}', true)) s",
    "select content_text from (select set_config('quipu.space_id', '{space}', false)) s, messages",
    "select content_text from messages where set_config('quipu.space_id', '{space}', false) is not null",
    "with s as materialized (select set_config('quipu.space_id', '{space}', true)) select content_text,"
    " s from s, messages",
    "select set_config('quipu.space_id', '{space}', true), query_to_xml('select content_text from"
    " transcripts.messages', true, true, '')::text",
    "select set_config('quipu.space', 'others', true), query_to_xml('select * from"
    " transcripts.sessions', true, true, '')::text",
    "select set_config('quipu.ticket', '', true), set_config('quipu.space_id', '{space}', true),"
    " query_to_xml('select content_text from transcripts.messages', true, true, '')::text",
    "select schema_to_xml('transcripts', true, true, '')::text",
    "select content_text from messages where space_id = {space}",
    "select content_text from messages where 1 / (case when content_text like '%hunter2%' then 0 else 1"
    " end) > 0 and space_id = {space}",
    "select most_common_vals::text from pg_stats",
    "select query from pg_stat_activity",
    "select ts_stat('select to_tsvector(content_text) from transcripts.messages')::text",
]


@pytest.mark.parametrize("statement", ELSEWHERE)
async def test_no_query_sees_another_space_whatever_it_sets(
    browse: AsyncBrowse, secret: int, statement: str
) -> None:
    try:
        got = await browse.query(statement.replace("{space}", str(secret)), space="boats", limit=10_000)
        seen = str(got.rows)
    except BadInput as refused:
        seen = str(refused)
    assert "hunter2" not in seen


async def test_the_secret_would_have_been_seen_from_its_own_space(browse: AsyncBrowse, secret: int) -> None:
    got = await browse.query("select content_text from messages", space="others")
    assert SECRET in {text for (text,) in got.rows}


async def test_the_login_of_a_space_has_no_way_to_become_another(browse: AsyncBrowse, filled: str) -> None:
    (mine,), (theirs,) = [
        (await browse.query("select session_user::text", space=space)).rows[0]
        for space in ("boats", "others")
    ]
    assert mine != theirs
    with psycopg.connect(filled) as conn:
        rows = conn.execute(
            "select rolname::text, rolsuper, rolcreaterole, rolcreatedb, rolbypassrls, rolreplication,"
            " rolcanlogin, rolconnlimit, array(select m.roleid::regrole::text || m.set_option"
            " from pg_auth_members m where m.member = r.oid)"
            " from pg_roles r where rolname in ('quipu_see', %s, %s) order by length(rolname), rolname",
            [mine, theirs],
        ).fetchall()
        writable = conn.execute(
            "select table_schema, table_name, privilege_type from information_schema.role_table_grants"
            " where grantee in ('quipu_see', %s) and privilege_type <> 'SELECT'",
            [mine],
        ).fetchall()
        unbound = conn.execute(
            "select c.oid::regclass::text from pg_class c where c.relkind in ('r', 'p', 'v', 'm')"
            " and has_any_column_privilege(%s, c.oid, 'select')"
            " and not (c.relkind = 'v' and coalesce(c.reloptions @> array['security_invoker=true'], false))"
            " and not exists (select from pg_policy p where p.polrelid = c.oid and not p.polpermissive"
            " and 'quipu_see'::regrole = any(p.polroles) and c.relrowsecurity and c.relforcerowsecurity)",
            [mine],
        ).fetchall()
    nothing = (False, False, False, False, False)
    assert rows == [
        ("quipu_see", *nothing, False, -1, []),
        *((one, *nothing, True, 4, ["quipu_seefalse"]) for one in sorted((mine, theirs))),
    ]
    assert writable == []
    assert unbound == []


async def test_a_query_that_takes_too_long_is_ended(browse: AsyncBrowse) -> None:
    for statement in (
        "select pg_sleep(30)",
        "select pg_sleep(30), set_config('statement_timeout', '0', false)",
    ):
        with pytest.raises(DatabaseError, match="longer than"):
            await browse.query(statement, space="boats", seconds=0.1)


async def test_an_unknown_table_says_where_the_known_ones_are_listed(browse: AsyncBrowse) -> None:
    with pytest.raises(BadInput, match="schema"):
        await browse.query("select * from nothing", space="boats")


async def test_a_space_that_is_not_there_has_no_rows(browse: AsyncBrowse) -> None:
    assert (await browse.query("select 1", space="nowhere")).rows == ()
