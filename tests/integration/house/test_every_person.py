"""What each table gives to who acts for one person, read from the catalogue: a new table is tested too."""

from __future__ import annotations

from typing import Any

import pytest

from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database, owner

# Tables of a space that the role of a person may use without a policy of its own -> why.
SHARED = {
    "core.space_settings": "read only: what is set for the space, which is nobody's",
    "core.recall_terms": "how many entries of the space have a word: the statistics of the ranking",
    "ledger.shapes": "what values of a key look like, which programs say and nobody's words",
    "core.recall_names": "one number for each name, whoever writes it; looked up by the whole name",
}
# What of no space it may use: nothing in them is anybody's.
OF_NO_SPACE = {"core.spaces", "core.settings", "core.recall_kinds", "core.recall_generations"}
# Functions of the owner, which look past the policies: they answer yes or no, but one.
LOOK_PAST = {
    "core.are_of_person",
    "core.is_filed",
    "core.is_withdrawn",  # says of a number whether this transaction leaves it
    "core.is_written_by_hand",  # says one word of the space that was entered
    "core.moved_to",  # the database to which the space of a name went, for whoever asks for it here
    "core.name_is_used",
    "core.shared_sessions_of_person",  # the names of sessions where they spoke, as they know them, and when
    "episodes.belief_is_of_person",
    "episodes.episode_is_of_person",
    "episodes.topic_is_of_person",
    "longterm.is_of_person",
}

TABLES = """
select c.oid::regclass::text as name,
    exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'space_id') as of_space,
    exists (select from pg_policy p where p.polrelid = c.oid and not p.polpermissive
        and p.polroles = array['quipu_person'::regrole::oid] and p.polcmd in ('*', 'r')) as kept_apart
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p') and n.nspname !~ '^(pg_|information_schema$)'
    and (has_table_privilege('quipu_person', c.oid, 'select, insert, update, delete, truncate')
        or has_any_column_privilege('quipu_person', c.oid, 'select, insert, update'))
"""
FUNCTIONS = """
select n.nspname || '.' || p.proname from pg_proc p join pg_namespace n on n.oid = p.pronamespace
where p.prosecdef and p.prorettype <> 'trigger'::regtype
    and n.nspname <> 'tables'  -- open to every login of an agent: they look at the schema whose login calls
    and has_schema_privilege('quipu_person', n.oid, 'usage')
    and has_function_privilege('quipu_person', p.oid, 'execute')
"""
PERMISSIVE = """
select p.polrelid::regclass::text from pg_policy p
where p.polpermissive and 'quipu_person'::regrole::oid = any (p.polroles)
"""
ROLE = """
select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolcanlogin,
    exists (select from pg_auth_members m where m.member = r.oid) as is_somebody_else_too
from pg_roles r where rolname = 'quipu_person'
"""


async def rows(database: Database, query: str) -> list[Any]:
    async with owner(database.url, Settings()) as connection:
        return await (await connection.execute(query.encode())).fetchall()


@pytest.mark.anyio
async def test_every_table_that_a_person_may_use_keeps_people_apart_or_says_why_not(
    database: Database,
) -> None:
    usable = await rows(database, TABLES)
    assert len(usable) > 40
    assert {name for name, of_space, apart in usable if of_space and not apart} == set(SHARED)
    assert {name for name, of_space, _ in usable if not of_space} == OF_NO_SPACE


@pytest.mark.anyio
async def test_no_policy_gives_a_person_more_than_everybody_has(database: Database) -> None:
    assert await rows(database, PERMISSIVE) == []


@pytest.mark.anyio
async def test_functions_that_look_past_the_policies_for_a_person_are_few(database: Database) -> None:
    assert {name for (name,) in await rows(database, FUNCTIONS)} == LOOK_PAST


@pytest.mark.anyio
async def test_the_role_of_a_person_has_no_way_past_the_policies(database: Database) -> None:
    assert await rows(database, ROLE) == [(False,) * 6]
