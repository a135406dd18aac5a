"""What was forgotten does not come back with a recording that is read again, unless somebody says so."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import psycopg
import pytest
from ccrecall import ccrecall
from coding_sessions import FINDINGS, OPINIONS, Session, World
from everywhere import found
from gates import counts

from quipu import AsyncMemory
from quipu.interfaces.cli import claude

pytestmark = pytest.mark.anyio
SPACE = "boats"


@pytest.fixture
def world(root: Path) -> World:
    return World(root)


def talk(world: World, *, title: str | None = None) -> Session:
    """A session of two prompts with their answers, and the title that it was given."""
    session = world.session("/home/ana/boats")
    session.prompt(OPINIONS[0])
    session.says(FINDINGS[0])
    session.prompt(OPINIONS[1])
    session.says(FINDINGS[1])
    if title:
        session.titled(custom=title)
    session.write()
    return session


def held(url: str, words: str) -> list[str]:
    """The tables of ours in which words stand."""
    with psycopg.connect(url) as conn:
        tables = conn.execute(
            "select c.oid::regclass::text from pg_class c join pg_namespace n on n.oid = c.relnamespace"
            " where c.relkind = 'r' and n.nspname in ('core', 'transcripts')"
        ).fetchall()
        query = "select exists (select from {} t where t::text like %s)"
        return [
            name
            for (name,) in tables
            if conn.execute(query.format(name).encode(), [f"%{words}%"]).fetchone() == (True,)
        ]


async def test_a_space_that_was_forgotten_stays_empty_until_somebody_says_otherwise(
    memory: AsyncMemory, url: str, root: Path, world: World
) -> None:
    first = talk(world, title="Tides of Lisbon")
    taken = await memory.transcripts.sync([root], space=SPACE)
    await memory.forget(space=SPACE, confirm=True)
    again = await memory.transcripts.sync([root], space=SPACE)
    assert (again.lines, again.withheld) == (0, taken.lines)
    assert held(url, OPINIONS[0]) == held(url, "Tides of Lisbon") == []
    assert held(url, first.name) == ["transcripts.files"]
    more = await memory.transcripts.sync([root], space=SPACE)
    assert (more.lines, more.withheld) == (0, 0)  # it is known how far the file was read
    back = await memory.transcripts.sync([root], space=SPACE, erased_too=True)
    assert (back.lines, back.withheld) == (taken.lines, 0)
    assert (await memory.transcripts.sync([root], space=SPACE, erased_too=True)).lines == 0
    assert "transcripts.session_details" in held(url, "Tides of Lisbon")


async def forgotten_first(
    memory: AsyncMemory, url: str, work: Callable[[], Awaitable[Any]], **named: str
) -> Any:
    """Begin to forget, and then some work that writes to the space: both wait, in this order."""
    done: list[Any] = []
    waits = "select count(*) from pg_locks where locktype = 'advisory' and not granted"

    async def run() -> None:
        done.append(await work())

    async with await psycopg.AsyncConnection.connect(url) as conn, anyio.create_task_group() as tasks:
        await conn.execute("select pg_advisory_xact_lock(hashtextextended(%s, 7310522003))", (SPACE,))

        tasks.start_soon(partial(memory.forget, space=SPACE, confirm=True, **named))
        await counts(conn, waits, 1)
        tasks.start_soon(run)
        await counts(conn, waits, 2)
        await conn.rollback()
    return done[0]


async def test_a_running_sync_makes_no_space_again_that_was_forgotten(
    memory: AsyncMemory, url: str, root: Path, made: World
) -> None:
    """With sessions that came while it ran, prompts, teams, tasks, titles: all of it is passed over."""
    taken = await memory.transcripts.sync([root], space=SPACE)
    fresh = made.session("/home/ana/boats")
    fresh.prompt(OPINIONS[4])
    fresh.write()
    words = [SPACE, fresh.name, OPINIONS[0], OPINIONS[4], "/home/ana"]
    assert {word for _, word in found(url, words)} >= {SPACE, "/home/ana"}
    done = await forgotten_first(memory, url, lambda: memory.transcripts.sync([root], space=SPACE))
    assert (done.lines, done.withheld) == (0, 1)
    assert found(url, words) == set()
    again = await memory.transcripts.sync([root], space=SPACE)
    assert (again.lines, again.withheld) == (0, taken.lines + 1)


async def test_a_running_sync_tells_nothing_of_a_session_that_was_forgotten(
    memory: AsyncMemory, url: str, root: Path, world: World
) -> None:
    first = talk(world)
    await memory.transcripts.sync([root], space=SPACE)
    first.prompt(OPINIONS[3])
    first.titled(custom="Tides of Lisbon")
    first.write()
    done = await forgotten_first(
        memory, url, lambda: memory.transcripts.sync([root], space=SPACE), session=first.name
    )
    assert done.lines == 0
    assert found(url, [OPINIONS[0], OPINIONS[3], "Tides of Lisbon"]) == set()


async def test_a_running_import_of_a_file_makes_no_space_again_that_was_forgotten(
    memory: AsyncMemory, url: str, tmp_path: Path
) -> None:
    file = ccrecall(tmp_path / "ccrecall.db", memories=True)
    taken = await memory.transcripts.import_sqlite(file, space=SPACE)
    assert taken.new["memories"]
    assert taken.new["teams"]
    done = await forgotten_first(memory, url, lambda: memory.transcripts.import_sqlite(file, space=SPACE))
    assert (done.new, done.known) == ({}, 0)
    assert found(url, [SPACE, "dana", "my-boat"]) == set()


async def test_a_copy_of_a_forgotten_session_brings_only_what_was_said_since(
    memory: AsyncMemory, url: str, root: Path, world: World
) -> None:
    first = talk(world)
    lines = (await memory.transcripts.sync([root], space=SPACE)).lines
    await memory.forget(space=SPACE, session=first.name, confirm=True)
    resumed = first.fork()
    resumed.prompt(OPINIONS[2])
    resumed.write()
    done = await memory.transcripts.sync([root], space=SPACE)
    assert (done.lines, done.withheld) == (1, lines)
    assert held(url, OPINIONS[0]) == held(url, FINDINGS[1]) == []
    assert "core.messages" in held(url, OPINIONS[2])
    whole = await memory.transcripts.sync([root], space=SPACE, erased_too=True)
    assert whole.lines == 2 * lines


async def test_what_was_not_read_of_a_forgotten_session_is_not_read_later(
    memory: AsyncMemory, url: str, root: Path, world: World
) -> None:
    first = talk(world)
    await memory.transcripts.sync([root], space=SPACE)
    first.prompt(OPINIONS[3])
    first.write()
    await memory.forget(space=SPACE, session=first.name, confirm=True)
    done = await memory.transcripts.sync([root], space=SPACE)
    assert (done.lines, done.withheld) == (0, 1)
    assert held(url, OPINIONS[3]) == []


async def test_a_forgotten_message_stays_out_of_a_file_that_was_rewritten(
    memory: AsyncMemory, url: str, root: Path, world: World
) -> None:
    first = talk(world)
    path = first.write()
    lines = (await memory.transcripts.sync([root], space=SPACE)).lines
    uuid = json.loads(path.read_text().splitlines()[0])["uuid"]
    await memory.forget(space=SPACE, message=uuid, confirm=True)
    path.write_text("\n" + path.read_text())
    done = await memory.transcripts.sync([root], space=SPACE)
    (report,) = done.spaces.values()
    assert (report.lines, report.known, report.withheld) == (0, lines - 1, 1)
    assert held(url, OPINIONS[0]) == []


async def test_prompts_of_the_history_stay_out_with_their_session(
    memory: AsyncMemory, url: str, root: Path, made: World
) -> None:
    await memory.transcripts.sync([root], space=SPACE)
    before = len(held(url, "ana"))
    await memory.forget(space=SPACE, confirm=True)
    done = await memory.transcripts.sync([root], space=SPACE)
    assert before
    assert (done.lines, sum(one.prompts + one.teams + one.tasks for one in done.spaces.values())) == (0, 0)
    with psycopg.connect(url) as conn:
        for table in ("prompts", "teams", "team_tasks", "session_details", "summaries"):
            assert conn.execute(f"select count(*) from transcripts.{table}".encode()).fetchone() == (0,), (
                table
            )
        assert conn.execute("select count(*) from core.sessions").fetchone() == (0,)


async def test_an_import_withholds_what_a_sync_took_and_somebody_forgot(
    memory: AsyncMemory, root: Path, world: World
) -> None:
    talk(world)
    await memory.transcripts.sync([root], space=SPACE)
    await memory.forget(space=SPACE, confirm=True)
    files = claude.recordings(root / "projects")
    done = await memory.import_messages(claude.messages(files), space=SPACE)
    assert (done.imported, done.withheld) == (0, 4)
    assert await memory.import_messages(claude.messages(files), space="another") != done
    back = await memory.import_messages(claude.messages(files), space=SPACE, erased_too=True)
    assert (back.imported, back.withheld) == (4, 0)


async def test_a_later_sync_begins_a_forgotten_space_anew_with_sessions_that_were_never_stored(
    memory: AsyncMemory, url: str, root: Path, world: World
) -> None:
    """As after a sync that was under way when the space was forgotten, and came no further."""
    stored = talk(world)
    lines = (await memory.transcripts.sync([root], space=SPACE)).lines
    fresh = world.session("/home/ana/boats")
    fresh.prompt(OPINIONS[4])
    fresh.write()
    await memory.forget(space=SPACE, confirm=True)
    done = await memory.transcripts.sync([root], space=SPACE)
    assert (done.lines, done.withheld) == (1, lines)
    assert held(url, OPINIONS[0]) == []
    assert "core.messages" in held(url, OPINIONS[4])
    with psycopg.connect(url) as conn:
        assert stored.name not in str(conn.execute("select * from core.sessions").fetchall())
