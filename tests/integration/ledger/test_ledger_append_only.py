"""Events are only ever added: PostgreSQL refuses whoever would change or remove one, and says why."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from psycopg import errors

EVENT = """
insert into ledger.chat_memory_events
    (distinct_id, turn_index, event_type, memory_scope, memory_namespace, memory_key, new_value_json,
     value_source)
values ('ana', 0, 'fact_set', 'cross_session', 'other', 'colour', '"green"', 'explicit')
"""
CHANGES = {
    "update": "update ledger.chat_memory_events set new_value_json = '\"red\"'",
    "update of nothing": "update ledger.chat_memory_events set id = id where false",
    "delete": "delete from ledger.chat_memory_events",
    "truncate": "truncate ledger.chat_memory_events cascade",
    "merge": (
        "merge into ledger.chat_memory_events e using (select 1) s on true"
        " when matched then update set new_value_json = '\"red\"'"
    ),
    "upsert": EVENT.replace("(distinct_id", "(id, distinct_id").replace("('ana'", "(1, 'ana'")
    + " on conflict (space_id, id) do update set new_value_json = '\"red\"'",
    "hold": "select * from ledger.chat_memory_events for update",
}
RULES = {
    "disable the trigger": "alter table ledger.chat_memory_events disable trigger guard_event",
    "disable all triggers": "alter table ledger.chat_memory_events disable trigger all",
    "drop the trigger": "drop trigger guard_event on ledger.chat_memory_events",
    "skip triggers": "set session_replication_role = replica",
    "replace the guard": (
        "create or replace function ledger.guard_event() returns trigger language plpgsql"
        " as $$ begin return null; end $$"
    ),
    "drop the table": "drop table ledger.chat_memory_events cascade",
    "rename the table": "alter table ledger.chat_memory_events rename to gone",
    "become the eraser": "set role quipu_eraser",
    "become the owner": "set role quipu_owner",
    "put a rule on it": ("create rule nothing as on insert to ledger.chat_memory_events do instead nothing"),
    "put a trigger on it": (
        "create trigger mine before insert on ledger.chat_memory_events"
        " for each row execute function ledger.guard_event()"
    ),
}


@pytest.fixture
def app(url: str) -> Iterator[psycopg.Connection]:
    """A connection of somebody who is nothing but the application, in a space with one event."""
    with psycopg.connect(url) as conn:
        conn.execute("create role plain_application in role quipu_app")
        conn.execute("set session authorization plain_application")
        conn.execute("set local role quipu_app")
        conn.execute("insert into core.spaces (name) select 's' from core.enter('s')")
        conn.execute("select core.enter('s')")
        conn.execute(EVENT.encode())
        yield conn
        conn.rollback()  # with it goes the role


def events(conn: psycopg.Connection) -> list[tuple[object, ...]]:
    return conn.execute("select * from ledger.chat_memory_events order by id").fetchall()


def refused(conn: psycopg.Connection, statement: str) -> psycopg.Error:
    """The error to a statement; what was there before is there still."""
    before = events(conn)
    with pytest.raises(psycopg.Error) as caught, conn.transaction():
        conn.execute(statement.encode())
    assert events(conn) == before
    assert len(before) == 1
    return caught.value


@pytest.mark.parametrize("name", CHANGES)
def test_the_application_may_not_change_what_is_written(app: psycopg.Connection, name: str) -> None:
    assert isinstance(refused(app, CHANGES[name]), errors.InsufficientPrivilege)


@pytest.mark.parametrize("name", RULES)
def test_the_application_may_not_change_the_rules(app: psycopg.Connection, name: str) -> None:
    assert isinstance(refused(app, RULES[name]), errors.InsufficientPrivilege)


def test_the_application_cannot_give_itself_the_right(app: psycopg.Connection) -> None:
    """PostgreSQL answers such a grant with a warning; it grants nothing."""
    app.execute("grant update, delete on ledger.chat_memory_events to quipu_app")
    for name in ("update", "delete"):
        assert isinstance(refused(app, CHANGES[name]), errors.InsufficientPrivilege)


def test_an_event_can_be_added_and_read(app: psycopg.Connection) -> None:
    app.execute(EVENT.encode())
    assert len(events(app)) == 2


@pytest.mark.parametrize("role", ["quipu_owner", "the administrator"])
@pytest.mark.parametrize("name", ["update", "delete", "truncate"])
def test_not_even_who_has_every_right_changes_an_event_by_mistake(
    app: psycopg.Connection, role: str, name: str
) -> None:
    app.execute("reset session authorization")
    if role == "quipu_owner":
        app.execute("set local role quipu_owner")
    app.execute("select core.enter('s')")
    error = refused(app, CHANGES[name])
    assert isinstance(error, errors.InsufficientPrivilege)
    assert "append-only" in str(error)
    assert "another event" in (error.diag.message_hint or "")


def test_who_erases_takes_events_out_and_changes_none(app: psycopg.Connection) -> None:
    app.execute("reset session authorization")
    app.execute("set local role quipu_eraser")
    for change in (
        "new_value_json = '\"red\"'",
        "memory_key = 'other'",
        "created_at = now()",
        "distinct_id = 'bob'",
        "actor = 'somebody'",
    ):
        statement = f"update ledger.chat_memory_events set {change}"
        assert isinstance(refused(app, statement), errors.InsufficientPrivilege), change
    app.execute("delete from ledger.chat_memory_events")
    assert events(app) == []


def test_the_erasure_of_one_space_reaches_no_other(app: psycopg.Connection) -> None:
    (mine,) = events(app)
    app.execute("insert into core.spaces (name) select 'other' from core.enter('other')")
    app.execute("select core.enter('other')")
    app.execute("select ledger.erase_events(%s::bigint[])", [[mine[1]]])
    app.execute("select core.enter('s')")
    assert events(app) == [mine]
    app.execute("select ledger.erase_events(%s::bigint[])", [[mine[1]]])
    assert events(app) == []


def test_no_event_goes_because_something_else_goes(app: psycopg.Connection) -> None:
    """An event refers to its session and its space; neither can be removed from under it."""
    taken = app.execute(
        "select conname from pg_constraint where conrelid = 'ledger.chat_memory_events'::regclass"
        " and contype = 'f' and confdeltype not in ('a', 'r')"
    ).fetchall()
    assert taken == []
    assert isinstance(refused(app, "delete from core.spaces"), errors.ForeignKeyViolation)


def test_only_three_functions_erase_events(app: psycopg.Connection) -> None:
    """They are the erasure path: whoever adds another decides that here."""
    found = app.execute(
        "select p.proname from pg_proc p where p.prosecdef and pg_get_userbyid(p.proowner) = 'quipu_eraser'"
    ).fetchall()
    assert {name for (name,) in found} == {"erase_events", "erase_events_of_sessions", "erase_actor"}


def test_no_role_but_the_eraser_may_remove_an_event(app: psycopg.Connection) -> None:
    holders = app.execute(
        "select grantee::text, privilege_type::text from information_schema.role_table_grants"
        " where table_schema = 'ledger' and table_name = 'chat_memory_events'"
        " and grantee not in ('quipu_owner', 'quipu_eraser')"
    ).fetchall()
    app.execute("reset session authorization")
    everyone = app.execute(
        "select r.rolname, p.privilege"
        " from pg_roles r, unnest(array['update', 'delete', 'truncate']) p (privilege)"
        " where not r.rolsuper and has_table_privilege(r.oid, 'ledger.chat_memory_events', p.privilege)"
        " and r.rolname not like 'pg\\_%'"
    ).fetchall()
    assert set(holders) <= {("quipu_app", "SELECT"), ("quipu_app", "INSERT")}
    assert {role for role, _ in everyone} <= {"quipu_owner", "quipu_eraser"}
