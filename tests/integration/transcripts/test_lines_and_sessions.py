"""Lines of a transcript are never without their session, though no foreign key says so."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
from psycopg.errors import ForeignKeyViolation

from quipu import AsyncMemory
from transcripts import World

_INSERT = """
insert into transcripts.lines (space_id, session_id, uuid, type, happened_at)
select s.space_id, s.id + %(off)s, 'line ' || n, 'user', now()
from core.sessions s, generate_series(1, 3) n
"""


async def synced(memory: AsyncMemory, root: Path) -> None:
    session = World(root).session("/home/ana/garden")
    session.prompt("Where is the login test?")
    session.write()
    await memory.transcripts.sync([root], space="garden")


def counted(conn: psycopg.Connection[tuple[object, ...]]) -> int:
    row = conn.execute("select count(*) from transcripts.lines").fetchone()
    assert row is not None
    assert isinstance(row[0], int)
    return row[0]


async def test_lines_of_a_session_that_is_not_there_are_refused(
    memory: AsyncMemory, url: str, root: Path
) -> None:
    await synced(memory, root)
    with psycopg.connect(url) as conn:
        before = counted(conn)
        with conn.transaction():
            conn.execute(_INSERT, {"off": 0})
        assert counted(conn) == before + 3
        with pytest.raises(ForeignKeyViolation, match="no session"), conn.transaction():
            conn.execute(_INSERT, {"off": 1_000})
        assert counted(conn) == before + 3
        conn.rollback()


async def test_a_line_does_not_move_to_another_session(memory: AsyncMemory, url: str, root: Path) -> None:
    await synced(memory, root)
    with psycopg.connect(url) as conn, pytest.raises(ForeignKeyViolation, match="stays in its session"):
        conn.execute("update transcripts.lines set session_id = session_id + 1")


async def test_lines_go_with_their_session(memory: AsyncMemory, url: str, root: Path) -> None:
    await synced(memory, root)
    with psycopg.connect(url) as conn:
        assert counted(conn)
        conn.execute("delete from core.messages")
        conn.execute(_INSERT, {"off": 0})
        conn.execute("delete from core.sessions")
        assert counted(conn) == 0
        conn.rollback()  # what else counts them was not told


async def test_a_session_stays_while_lines_of_it_are_written(
    memory: AsyncMemory, url: str, root: Path
) -> None:
    await synced(memory, root)
    with psycopg.connect(url) as writer, psycopg.connect(url) as other:
        writer.execute(_INSERT, {"off": 0})
        other.execute("set lock_timeout = '100ms'")
        with pytest.raises(psycopg.errors.LockNotAvailable):
            other.execute("delete from core.sessions")
        writer.rollback()
