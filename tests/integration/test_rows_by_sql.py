"""What SQL inserts, changes and deletes in tables of the seeds is found as it is then, at every door."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from itertools import count
from typing import LiteralString
from uuid import UUID, uuid4

import psycopg
import pytest
from by_hand import entered, known, lessons

from quipu import AsyncMemory
from quipu.app.kinds import PACKAGES
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kinds.longterm.rules import summary_hash
from quipu.upkeep.consistency import examine

pytestmark = pytest.mark.anyio
_NUMBERS = count()
LESSON = """
insert into transcripts.memories (id, session_id, fact, category, confidence, created_at, updated_at)
values (%s, %s, %s, 'preferences', 0.9, now(), now())
"""
DATED = """
insert into transcripts.memories (id, fact, category, created_at)
values (%s, 'The oars are of ash.', 'knowledge', %s)
"""
LASTING = """
insert into ledger.chat_memory_events (session_id, event_type, memory_scope, memory_namespace, memory_key,
    new_value_json, value_source, turn_index, expires_at)
select id, 'fact_set', 'session', 'other', 'tone', '"dry"', 'explicit', 0, %s from ledger.chat_sessions
"""
KNOWN = """
insert into longterm.long_term_memory (id, category, importance, summary, details, hash, source, created_at,
    updated_at)
values (%s, 'pets', 'high', %s, null, %s, 'conversation', now(), now())
"""


@pytest.fixture
async def memory(server_settings: Settings, module_url: str) -> AsyncIterator[AsyncMemory]:
    """A memory over the database of the module; whatever SQL did there must fit together afterwards."""
    settings = replace(server_settings, database_url=module_url)
    async with (
        AsyncMemory(settings=settings) as opened,
        Database.open(module_url, settings, packages=PACKAGES) as database,
    ):
        yield opened
        assert await examine(database) == []


@pytest.fixture
async def space(memory: AsyncMemory) -> str:
    """A space of this test, with something in it."""
    name = f"sql {next(_NUMBERS)}"
    await memory.observe([{"content": "The train to Porto is late."}], space=name, session="s-1")
    return name


@pytest.mark.parametrize(
    ("table", "columns"),
    [
        ("transcripts.memories", "fact) values (%s, 'Mine.'"),
        (
            "longterm.long_term_memory",
            "id, category, importance, summary, hash, source, created_at, updated_at)"
            " values (%s, gen_random_uuid(), 'pets', 'high', 'Mine.', 'h', 'conversation', now(), now()",
        ),
    ],
)
async def test_a_row_of_another_space_is_refused_by_the_name_of_its_table(
    memory: AsyncMemory, module_url: str, space: str, table: str, columns: str
) -> None:
    """The policy of a table that nobody wrote to, ``core.at_commit``, came first."""
    await memory.observe([{"content": "Hello."}], space=f"{space} too")
    with entered(module_url, f"{space} too") as conn:
        row = conn.execute("select core.current_space()").fetchone()
    with (
        entered(module_url, space) as conn,
        pytest.raises(psycopg.errors.InsufficientPrivilege, match=table) as refused,
    ):
        conn.execute(f"insert into {table} (space_id, {columns})".encode(), row)
    assert "core.enter" in (refused.value.diag.message_hint or "")


async def test_a_lesson_inserted_by_sql_is_found_by_every_door(
    memory: AsyncMemory, module_url: str, space: str
) -> None:
    with entered(module_url, space) as conn:
        conn.execute(LESSON, [uuid4(), "s-1", "Ana prefers espresso over tea."])
    assert await lessons(memory, "Which drink does Ana prefer, espresso?", space) == [
        "Ana prefers espresso over tea."
    ]
    told = await memory.transcripts.bootstrap(space=space, query="espresso")
    assert [one.fact for one in told.memories] == ["Ana prefers espresso over tea."]


async def test_the_first_thing_that_a_space_holds_may_come_by_sql(
    memory: AsyncMemory, module_url: str
) -> None:
    name = f"sql {next(_NUMBERS)}"
    with entered(module_url, name) as conn:
        conn.execute("insert into core.spaces (name) values (%s)", [name])
        conn.execute("select core.enter(%s)", [name])
        conn.execute(LESSON, [uuid4(), None, "Boris likes green boats."])
        conn.execute(KNOWN, [uuid4(), "Has a dog named Tejo", "a" * 64])
    assert await lessons(memory, "green boats", name) == ["Boris likes green boats."]
    assert await known(memory, "What is the dog named?", name) == ["Has a dog named Tejo"]


async def test_a_lesson_changed_by_sql_is_found_as_it_reads_now_and_tells_how_it_read(
    memory: AsyncMemory, module_url: str, space: str
) -> None:
    lesson = await memory.lessons.add("Ana prefers espresso.", space=space, category="preferences")
    with entered(module_url, space) as conn:
        conn.execute(
            "update transcripts.memories set fact = 'Ana prefers matcha.' where id = %s", [lesson.id]
        )
    assert await lessons(memory, "espresso", space) == []
    assert await lessons(memory, "matcha", space) == ["Ana prefers matcha."]
    now = await memory.lessons.get(lesson.id, space=space)
    assert now.edited_at is not None  # so that extraction leaves it alone
    with entered(module_url, space) as conn:
        edits = conn.execute("select fact from transcripts.memory_edits where memory_id = %s", [lesson.id])
        assert edits.fetchall() == [("Ana prefers espresso.",)]
        form = conn.execute("select normal_form is null from transcripts.memories where id = %s", [lesson.id])
        assert form.fetchone() == (False,)


async def test_a_lesson_archived_and_restored_by_sql_goes_and_comes_back(
    memory: AsyncMemory, module_url: str, space: str
) -> None:
    lesson = await memory.lessons.add("Ana prefers espresso.", space=space, category="preferences")
    for status, found in (("archived", []), ("active", ["Ana prefers espresso."])):
        with entered(module_url, space) as conn:
            conn.execute("update transcripts.memories set status = %s where id = %s", [status, lesson.id])
        assert await lessons(memory, "espresso", space) == found


async def test_what_sql_deletes_leaves_nothing_in_the_index(
    memory: AsyncMemory, module_url: str, space: str
) -> None:
    await memory.lessons.add("Ana prefers espresso.", space=space, category="preferences")
    await memory.longterm.add("Has a dog named Tejo", space=space)
    with entered(module_url, space) as conn:
        before = conn.execute("select count(*) from core.recall_entries").fetchone()
        conn.execute("delete from transcripts.memories")
        conn.execute("delete from longterm.long_term_memory")
    with entered(module_url, space) as conn:
        after = conn.execute("select count(*) from core.recall_entries").fetchone()
    assert (before, after) == ((3,), (1,))
    assert await lessons(memory, "espresso", space) == []
    assert await known(memory, "Tejo the dog", space) == []


async def test_a_memory_inserted_by_sql_is_recovered_and_said_again_it_is_the_same_one(
    memory: AsyncMemory, module_url: str, space: str
) -> None:
    id_ = uuid4()
    with entered(module_url, space) as conn:
        conn.execute(KNOWN, [id_, "Has a dog named Tejo", "b" * 64])
    assert await known(memory, "What is the dog named?", space) == ["Has a dog named Tejo"]
    kept = await memory.longterm.add("has a dog  named Tejo", space=space)
    assert kept.id == str(id_)


async def test_a_memory_changed_by_sql_is_a_new_version_with_its_hash_and_its_history(
    memory: AsyncMemory, module_url: str, space: str
) -> None:
    kept = await memory.longterm.add("Has a dog named Tejo", space=space, user="ana")
    with entered(module_url, space) as conn:
        conn.execute(
            "update longterm.long_term_memory set summary = 'Has a cat named Douro', user_name = 'boris'"
        )
    assert await known(memory, "What is the cat named?", space, user="boris") == ["Has a cat named Douro"]
    assert await known(memory, "What is the cat named?", space, user="ana") == []
    now = await memory.longterm.get(kept.id or "", space=space)
    assert (now.version, now.hash) == (2, summary_hash("Has a cat named Douro"))
    (earlier,) = await memory.longterm.history(kept.id or "", space=space)
    assert (earlier.summary, earlier.changed_by) == ("Has a dog named Tejo", "sql")


async def test_a_memory_archived_by_sql_is_not_recovered_any_more_and_its_history_says_so(
    memory: AsyncMemory, module_url: str, space: str
) -> None:
    kept = await memory.longterm.add("Has a dog named Tejo", space=space)
    with entered(module_url, space) as conn:
        conn.execute("update longterm.long_term_memory set archived = true")
    assert await known(memory, "What is the dog named?", space) == []
    with entered(module_url, space) as conn:
        conn.execute("update longterm.long_term_memory set archived = false")
        conn.execute("update longterm.long_term_memory set archived = true")
    await memory.longterm.unarchive(kept.id or "", space=space)  # which the index did not know
    assert await known(memory, "What is the dog named?", space) == ["Has a dog named Tejo"]
    with entered(module_url, space) as conn:
        conn.execute("update longterm.long_term_memory set importance = 'high', category = 'pets'")
    history = await memory.longterm.history(kept.id or "", space=space)
    assert [(line.act, line.changed_by, line.version) for line in reversed(history)] == [
        ("archive", "sql", 1),
        ("revive", "sql", 1),
        ("archive", "sql", 1),
        ("revive", "hand", 1),
        ("edit", "sql", 1),
    ]
    assert (await memory.longterm.get(kept.id or "", space=space)).version == 2


ROWS: dict[LiteralString, LiteralString] = {
    "transcripts.memories": "(fact) values ('Tabs.')",
    "longterm.long_term_memory": "(category, importance, summary, hash)"
    " values ('pets', 'high', 'Cats', repeat('a', 64))",
    "episodes.conversations": "(user_id) values ('ana')",
    "ledger.chat_sessions": "(distinct_id) values ('ana')",
    "ledger.chat_user_preferences": "(distinct_id, preference_namespace, preference_key, value_json,"
    " value_source) values ('ana', 'other', 'boat', '1', 'explicit')",
}


@pytest.mark.parametrize("role", ["quipu_app", "quipu_owner", "none"])
async def test_who_has_entered_no_space_is_told_how(
    memory: AsyncMemory, module_url: str, space: str, role: str
) -> None:
    await memory.lessons.add("Tabs.", space=space)
    with psycopg.connect(module_url, options=f"-c role={role}") as conn:
        statements = [f"insert into {table} {row}" for table, row in ROWS.items()]
        if role == "none":  # whom row level security does not bind
            statements += [
                "update transcripts.memories set fact = 'Spaces.'",
                "delete from transcripts.memories",
            ]
        for statement in statements:
            with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState) as told, conn.transaction():
                conn.execute(statement.encode())
            assert "select core.enter('" in (told.value.diag.message_hint or "")


async def test_every_row_asks_for_its_space(module_url: str) -> None:
    """A new table does so by ``default core.entered()``."""
    with psycopg.connect(module_url) as conn:
        asking = conn.execute(
            "select adrelid::regclass::text from pg_attrdef d join pg_class c on c.oid = d.adrelid"
            " where pg_get_expr(adbin, adrelid) = 'core.current_space()'"
            " and relnamespace::regnamespace::text in ('ledger', 'transcripts', 'episodes', 'longterm')"
        )
        assert asking.fetchall() == []


async def test_what_sql_commits_while_a_recall_files_is_found_by_the_next(
    memory: AsyncMemory, module_url: str, space: str
) -> None:
    with entered(module_url, space) as conn:
        conn.execute(LESSON, [uuid4(), None, "Ana prefers espresso."])
    with entered(module_url, space) as late:
        late.execute(LESSON, [uuid4(), None, "Boris prefers matcha."])
        assert await lessons(memory, "espresso", space) == ["Ana prefers espresso."]  # and clears no bit
    assert await lessons(memory, "matcha", space) == ["Boris prefers matcha."]


async def test_many_rows_are_filed_with_one_look(memory: AsyncMemory, module_url: str, space: str) -> None:
    with entered(module_url, space) as conn, conn.cursor() as cursor:
        cursor.executemany(LESSON, [(uuid4(), None, f"Ana has read volume {n}.") for n in range(60)])
    await memory.recall("volume", space=space)
    with entered(module_url, space) as conn:
        left = conn.execute("select count(*) from transcripts.memories where entry_id is null").fetchone()
    assert left == (0,)


async def test_a_lesson_inserted_by_sql_is_of_the_project_of_its_session(
    memory: AsyncMemory, module_url: str, space: str
) -> None:
    with entered(module_url, space) as conn:
        conn.execute(
            "insert into transcripts.session_details (session_id, project_path)"
            " select id, '/home/ana/boats' from core.sessions"
        )
        conn.execute(LESSON, [UUID(int=1), "s-1", "Varnish the oars twice."])
    found = await memory.lessons.search("varnish", space=space, project="/home/ana/boats")
    assert [one.lesson.fact for one in found] == ["Varnish the oars twice."]
    told = await memory.transcripts.bootstrap(space=space, project="boats")
    assert [one.fact for one in told.memories] == ["Varnish the oars twice."]


@pytest.mark.parametrize(
    ("moment", "year"), [("infinity", 9999), ("294276-01-01", 9999), ("-infinity", 1), ("0044-03-15 BC", 1)]
)
async def test_a_moment_that_only_the_database_knows_keeps_nobody_from_reading(
    memory: AsyncMemory, space: str, module_url: str, moment: str, year: int
) -> None:
    """One such row ended every recall in its space, and the lists of its kind."""
    with entered(module_url, space) as conn:
        conn.execute(LASTING, [moment])
        conn.execute(DATED, [uuid4(), moment])
    (lesson,) = await memory.lessons.list(space=space, state="all")
    assert (lesson.fact, lesson.created_at.year) == ("The oars are of ash.", year)
    assert "Porto" in " ".join(hit.text for hit in await memory.recall("Is the train late?", space=space))
    assert [one.new for one in await memory.ledger.events(space=space)] == ["dry"]
