"""Every function and relation that a login of a space may use, tried on the objects of another space."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product

import psycopg
import pytest
from long_form import sized
from psycopg import sql
from secret_names import NUMBERED, OBJECTS, Secrets
from tables_house import House
from test_tables_locks import HELD

from quipu.kernel.db.tokens import names_numbers

FUNCTIONS = """
select n.nspname, p.proname, p.prokind::text, p.prorettype = 'void'::regtype or p.proretset,
    array(select format_type(t, null) from unnest(p.proargtypes::oid[]) with ordinality x (t, n) order by n)
from pg_proc p join pg_namespace n on n.oid = p.pronamespace
where has_function_privilege(%(role)s, p.oid, 'execute') and has_schema_privilege(%(role)s, n.oid, 'usage')
    and p.prokind in ('f', 'p', 'a') and p.proname not in ('pg_sleep', 'pg_sleep_for', 'pg_sleep_until')
    and not 'internal'::regtype = any(p.proargtypes::oid[])
order by 1, 2
"""
RELATIONS = """
select n.nspname, c.relname, has_any_column_privilege(%(role)s, c.oid, 'select')
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p', 'v', 'm', 'f') and has_schema_privilege(%(role)s, n.oid, 'usage')
    and (has_any_column_privilege(%(role)s, c.oid, 'select, insert, update, references')
        or has_table_privilege(%(role)s, c.oid, 'delete, truncate, trigger'))
"""
TYPED = """
with recursive numbered (oid) as (
    select oid from pg_type
    where typname ~ '^reg' and typtype = 'b' and typnamespace = 'pg_catalog'::regnamespace
    union
    select t.oid from numbered r cross join lateral (
        select oid from pg_type where typelem = r.oid and typcategory = 'A' or typbasetype = r.oid
        union all
        select c.reltype from pg_attribute a join pg_class c on c.oid = a.attrelid
        where a.atttypid = r.oid and a.attnum > 0 and c.reltype <> 0
        union all
        select rngtypid from pg_range where rngsubtype = r.oid
    ) t (oid)
)
"""
REFUSED = {
    "currval", "nextval", "setval",
    "array_in", "domain_in", "enum_in", "multirange_in", "range_in", "record_in",
}  # fmt: skip
"""What they refuse they name: queries may not say them, and whoever runs any code learns names by numbers."""
MOST_CALLS = sized(5, long=60)
"""Of a function of several arguments; of one they are all called."""
AT_ONCE = 50
"""So many are called before it is looked at which locks are held."""
VALUES = {
    **dict.fromkeys(("text", "name", "character varying", "character"), ("'known'", "'{schema}.known'")),
    **dict.fromkeys(("integer", "bigint", "numeric", "double precision", "real"), ("1", "{number}")),
    "smallint": ("1",), "interval": ("'0'",), "boolean": ("true",), "cstring": ("'{number}'",),
    '"any"': ("{number}", "'x'::text"), "anyelement": ("{number}", "'x'::text"),
    "anycompatible": ("{number}",),
    "anynonarray": ("{number}",), "anyarray": ("array[1]",), "anycompatiblearray": ("array[1]",),
    "text[]": ("array['{schema}.known']",), "name[]": ("array['{schema}.known']",),
    "oid[]": ("'{{{number}}}'",),
    "json": ("'{number}'",), "jsonb": ("'{number}'",),
}  # fmt: skip


@pytest.fixture(scope="module")
def secrets(house: House) -> Secrets:
    memory = house.memory
    for space in ("victim", "other"):
        memory.observe([{"content": "The boat is blue."}], space=space)
        memory.transcripts.query("select 1", space=space)
        made = "create table notes (id serial primary key, body text)"
        memory.tables.create_table("notes", made, description="N", embed_fields=["body"], space=space)
    for statement in OBJECTS:
        memory.tables.execute(statement, space="victim", confirm=True)
    return Secrets(house.url, house.schema("victim").schema_name)


def login(house: House, kind: str) -> tuple[str, str]:
    """The role of that kind of the other space, and its address."""
    own = house.schema("other").schema_name
    queries = {
        "writer": "select s.writer, p.writer_password from tables.schemas s join tables.passwords p"
        " on p.schema_id = s.id where s.schema_name = %s",
        "reader": "select s.reader, p.reader_password from tables.schemas s join tables.passwords p"
        " on p.schema_id = s.id where s.schema_name = %s",
        "see": "select r.role, r.password from transcripts.readers r join tables.schemas s"
        " using (space_id) where s.schema_name = %s",
    }
    ((role, password),) = house.rows(queries[kind], own)
    return role, psycopg.conninfo.make_conninfo(house.url, user=role, password=password)


def arguments(kind: str, secrets: Secrets) -> Sequence[str]:
    """Values of a type, as words of SQL."""
    if kind in NUMBERED:
        return [f"{number}::oid::{kind}" for number in secrets.numbers]
    found = VALUES.get(kind, ("null", "'1'", "'{number}'"))
    suffix = "" if kind.startswith(("any", '"any')) else f"::{kind}"
    return [one.format(schema=secrets.schema, number=secrets.table) + suffix for one in found]


def calls(house: House, role: str, secrets: Secrets) -> Iterator[tuple[str, str]]:
    """The name of each function that the role may call, with a call of it."""
    for schema, name, sort, alone, types in house.rows(FUNCTIONS.replace("%(role)s", f"'{role}'")):
        for given in islice(
            product(*(arguments(one, secrets) for one in types)), MOST_CALLS if types[1:] else None
        ):
            call = f'"{schema}"."{name}"({", ".join(given)})'
            yield (
                name,
                f"call {call}" if sort == "p" else f"select {call}" if alone else f"select ({call})::text",
            )


def batched(all_: Iterator[tuple[str, str]], size: int) -> Iterator[list[tuple[str, str]]]:
    while batch := list(islice(all_, size)):
        yield batch


@pytest.mark.long
@pytest.mark.parametrize("kind", ["writer", "reader", "see"])
def test_no_function_that_a_login_may_call_tells_of_others_or_locks_what_they_have(
    house: House, secrets: Secrets, kind: str
) -> None:
    role, address = login(house, kind)
    own = house.schema("other").schema_name
    leaks: dict[str, str] = {}
    done: set[str] = set()
    held: list[tuple[str, list[tuple[str, str]]]] = []
    options = "-c statement_timeout=60000 -c lock_timeout=5000"
    with (
        psycopg.connect(address, options=options) as conn,
        psycopg.connect(house.url, autocommit=True) as root,
    ):
        for batch in batched(calls(house, role, secrets), AT_ONCE):
            with conn.transaction(force_rollback=True):
                for name, statement in batch:
                    try:
                        with conn.transaction():
                            said = repr(conn.execute(statement.encode()).fetchall())
                            done.add(name)
                    except psycopg.Error as error:
                        said = str(error).split("\nLINE")[0]
                    if secrets.words.search(said):
                        leaks[name] = f"{statement}: {said}"
                now = root.execute(HELD.encode(), [conn.info.backend_pid, own]).fetchall()
                held += [(one, batch) for (one,) in now if own not in one]
    assert len(done) > 1000  # so many functions did something
    assert set(leaks) <= REFUSED, leaks
    assert held == []


@pytest.mark.parametrize("kind", ["writer", "reader", "see"])
def test_no_relation_that_a_login_may_use_tells_of_others(house: House, secrets: Secrets, kind: str) -> None:
    role, address = login(house, kind)
    found = house.rows(RELATIONS.replace("%(role)s", f"'{role}'"))
    assert found
    with psycopg.connect(address, autocommit=True) as conn:
        for schema, name, readable in found:
            asked = sql.SQL("select * from {}").format(sql.Identifier(schema, name))
            if readable and (schema, name) != ("pg_catalog", "pg_settings"):
                try:
                    said = repr(conn.execute(asked).fetchall())
                except psycopg.errors.InsufficientPrivilege as error:  # of some columns alone
                    said = str(error)
                assert not secrets.words.search(said), (schema, name)
    assert not [one for one in found if one[0] == secrets.schema]


def test_what_tells_names_by_numbers_is_refused_to_queries_by_its_name(
    house: House, secrets: Secrets
) -> None:
    """Types, rows with a column of them, functions that return them: the list of words is whole."""
    assert secrets.numbers
    types = house.rows(TYPED + "select t.typname from numbered join pg_type t using (oid)")
    roles = [login(house, kind)[0] for kind in ("reader", "see")]
    functions = house.rows(
        TYPED + "select distinct p.proname from pg_proc p, unnest(%s::text[]) role"
        " where has_function_privilege(role, p.oid, 'execute')"
        " and (p.prorettype in (select oid from numbered)"
        " or p.proallargtypes && array(select oid from numbered))"
        " and not 'internal'::regtype = any(p.proargtypes::oid[])",
        roles,
    )
    assert len(types) > 30
    assert len(functions) >= 3
    readers = house.rows(
        "select distinct p.proname from pg_proc p, unnest(%s::text[]) role"
        " where has_function_privilege(role, p.oid, 'execute')"
        " and p.proargtypes::oid[] @> array['cstring', 'oid']::regtype[]::oid[]"
        " and p.oid in (select typinput from pg_type y where y.typelem <> 0 or y.typtype in"
        " ('c', 'd', 'e', 'r', 'm'))",
        roles,
    )
    assert ("enum_in",) in readers
    missing = [name for (name,) in (*types, *functions, *readers) if not names_numbers(name)]
    assert missing == []
    columns = house.rows(
        TYPED + "select c.relname, a.attname from pg_attribute a join pg_class c on c.oid = a.attrelid,"
        " unnest(%s::text[]) role where a.atttypid in (select oid from numbered) and a.attnum > 0"
        " and has_schema_privilege(role, c.relnamespace, 'usage')"
        " and has_column_privilege(role, c.oid, a.attnum, 'select')",
        roles,
    )
    assert columns == []


@pytest.mark.parametrize("kind", ["writer", "reader", "see"])
def test_of_pgcrypto_and_pg_trgm_a_login_may_call_what_compares_two_texts_alone(
    house: House, secrets: Secrets, kind: str
) -> None:
    assert secrets.numbers
    role, address = login(house, kind)
    open_to = house.rows(
        "select e.extname, p.proname from pg_extension e"
        " join pg_depend d on d.refclassid = 'pg_extension'::regclass and d.refobjid = e.oid"
        " and d.classid = 'pg_proc'::regclass join pg_proc p on p.oid = d.objid"
        " where e.extname in ('pgcrypto', 'pg_trgm') and has_function_privilege(%s, p.oid, 'execute')"
        " and not 'internal'::regtype = any(p.proargtypes::oid[])",
        role,
    )
    compared = {"similarity", "similarity_op", "similarity_dist"}
    io = {name for _, name in open_to if name.startswith("gtrgm_")}  # of the type of its indexes
    assert {name for _, name in open_to} - io <= compared
    with psycopg.connect(address, autocommit=True) as conn:
        for call in (
            "digest('a', 'sha256')", "hmac('a', 'b', 'sha256')", "crypt('a', gen_salt('bf', 4))",
            "gen_random_bytes(8)", "encrypt('a', 'b', 'aes')", "pgp_sym_encrypt('a', 'b')", "armor('a')",
            "pgp_key_id('a')", "show_trgm('a')", "word_similarity('a', 'b')",
            "strict_word_similarity('a', 'b')",
            "show_limit()", "set_limit(0.1)",
        ):  # fmt: skip
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                conn.execute(f"select public.{call}".encode())
        assert conn.execute("select public.similarity('boat', 'boats') > 0.5").fetchone() == (True,)
