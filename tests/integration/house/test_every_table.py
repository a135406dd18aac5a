"""What every table of ours must have, read from the catalogue: one that is added later is tested too."""

from __future__ import annotations

from typing import Any

import pytest

from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database, owner

# Tables that belong to the database as a whole and not to a space -> why.
OF_NO_SPACE = {
    "core.migrations": "what was applied to this database",
    "core.spaces": "the spaces themselves; their policy compares the name",
    "core.erasure_chain": "keys and end of the chain of receipts; the application has functions, no right",
    "core.tombstones": "what was erased, as keyed hashes; the application has functions, no right",
    "core.language_budget": "tokens by day and purpose, all spaces together",
    "core.api_keys": "looked up before a space is entered; the application has functions for it, no right",
    "core.databases": "those of a directory; the application has no right",
    "core.places": "which database has a space; the application has functions for a name, no right",
    "core.moved_spaces": "where spaces went; the application has functions for a name, no right",
    "core.signins": "hashes of links and sessions, by which a browser sees all; the application has no right",
    "core.recall_kinds": "the kinds of memory, the same for all",
    "core.recall_generations": "the embedding models, the same for all",
    "core.settings": "what is set for all spaces together",
    "core.schedules": "when what the database does at times is due; it names no space",
    "tables.discarded_roles": "login roles to be dropped, named by nothing but random digits",
    "transcripts.discarded_readers": "logins to be dropped, named by nothing but random digits",
    "queue.saq_jobs": "tickets, the numbers of a space and of a job, which only the role of the relay sees",
    "queue.saq_stats": "SAQ's own, for its workers",
}
MAY_WRITE = {"core.spaces"}

OUR_TABLES = """
select c.oid::regclass::text as name, c.relrowsecurity as guarded, c.relforcerowsecurity as forced,
    exists (select from pg_attribute a
        where a.attrelid = c.oid and a.attname = 'space_id' and a.attnotnull) as of_space,
    array(select p.polname::text || ': ' || coalesce(pg_get_expr(p.polqual, p.polrelid), '') from pg_policy p
        where p.polrelid = c.oid and 0 = any (p.polroles)) as policies
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p') and n.nspname !~ '^(pg_|information_schema$)'
order by 1
"""

KEYS_WITHOUT_SPACE = """
select k.conrelid::regclass::text as table_name, k.conname::text as key
from pg_constraint k join pg_attribute a on a.attrelid = k.conrelid and a.attname = 'space_id'
where k.contype in ('p', 'u') and a.attnum <> all (k.conkey)
union all
select i.indrelid::regclass::text, i.indexrelid::regclass::text
from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attname = 'space_id'
where i.indisunique and a.attnum <> all (i.indkey::int2[])
"""

REFERENCES_WITHOUT_SPACE = """
select k.conrelid::regclass::text as table_name, k.conname::text as key
from pg_constraint k
    join pg_attribute here on here.attrelid = k.conrelid and here.attname = 'space_id'
    join pg_attribute there on there.attrelid = k.confrelid and there.attname = 'space_id'
where k.contype = 'f' and not exists (
    select from unnest(k.conkey, k.confkey) as pair (mine, theirs)
    where pair.mine = here.attnum and pair.theirs = there.attnum)
"""

VIEWS_AS_OWNER = """
select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind = 'v' and n.nspname !~ '^(pg_|information_schema$)'
    and not coalesce(c.reloptions @> array['security_invoker=true'], false)
    and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
"""

RIGHTS_ON_NO_SPACE = """
select table_schema || '.' || table_name as name, privilege_type::text as privilege
from information_schema.role_table_grants
where grantee in ('quipu_app', 'PUBLIC') and privilege_type <> 'SELECT'
    and table_schema !~ '^(pg_|information_schema$)'
"""

APP_ROLE = (
    "select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb from pg_roles where rolname = 'quipu_app'"
)
OWNERS = """
select distinct pg_get_userbyid(c.relowner)::text as name from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p', 'v') and n.nspname !~ '^(pg_|information_schema$)'
    and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
"""


async def rows(database: Database, query: str) -> list[Any]:
    async with owner(database.url, Settings()) as connection:
        return await (await connection.execute(query.encode())).fetchall()


@pytest.mark.anyio
async def test_every_table_belongs_to_a_space_or_says_why_not(database: Database) -> None:
    of_space = {name: has for name, _, _, has, _ in await rows(database, OUR_TABLES)}
    assert {name for name, has in of_space.items() if not has} == set(OF_NO_SPACE)


@pytest.mark.anyio
async def test_row_level_security_is_forced_on_every_table_of_a_space(database: Database) -> None:
    tables = await rows(database, OUR_TABLES)
    assert len(tables) > len(OF_NO_SPACE)
    for name, guarded, forced, has_space, policies in tables:
        if has_space or name == "core.spaces":
            assert (guarded, forced) == (True, True), name
        if has_space:
            assert policies, f"{name} has no policy for everyone"
            assert all("core.current_space()" in policy for policy in policies), f"{name}: {policies}"


@pytest.mark.anyio
async def test_space_id_is_in_every_key_of_a_table_of_a_space(database: Database) -> None:
    assert await rows(database, KEYS_WITHOUT_SPACE) == []


@pytest.mark.anyio
async def test_references_between_tables_of_a_space_stay_within_the_space(database: Database) -> None:
    assert await rows(database, REFERENCES_WITHOUT_SPACE) == []


@pytest.mark.anyio
async def test_no_view_shows_what_its_reader_may_not_see(database: Database) -> None:
    """A view without security_invoker reads with the rights of its owner, past row level security."""
    assert await rows(database, VIEWS_AS_OWNER) == []


@pytest.mark.anyio
async def test_the_application_may_not_write_what_belongs_to_no_space(database: Database) -> None:
    writable = {name for name, _ in await rows(database, RIGHTS_ON_NO_SPACE)}
    assert writable & set(OF_NO_SPACE) == MAY_WRITE


@pytest.mark.anyio
async def test_the_application_role_has_no_way_past_the_policies(database: Database) -> None:
    assert await rows(database, APP_ROLE) == [(False, False, False, False)]
    assert await rows(database, OWNERS) == [("quipu_owner",)]
