"""Lines are never without their session, nor what is of a line without it, though no foreign key says so."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
from coding_sessions import World
from psycopg import sql
from psycopg.errors import ForeignKeyViolation

from quipu import AsyncMemory

_INSERT = """
insert into transcripts.lines (space_id, session_id, uuid, type, happened_at)
select s.space_id, s.id + %(off)s, 'line ' || n, 'user', now()
from core.sessions s, generate_series(1, 3) n
"""
_OF_A_LINE = {
    "responses": """
insert into transcripts.responses (space_id, response_id, line_id, session_id, happened_at)
select space_id, 'new', line_id + %(off)s, session_id, now() from transcripts.responses limit 1
""",
    "tool_calls": """
insert into transcripts.tool_calls (space_id, id, line_id, session_id, tool_name, happened_at)
select space_id, 'new', line_id + %(off)s, session_id, 'Bash', now() from transcripts.tool_calls limit 1
""",
    "tool_results": """
insert into transcripts.tool_results (space_id, tool_call_id, line_id, session_id, content, happened_at)
select space_id, 'new', line_id + %(off)s, session_id, '', now() from transcripts.tool_results limit 1
""",
}


async def synced(memory: AsyncMemory, root: Path) -> None:
    session = World(root).session("/home/ana/garden")
    session.prompt("Where is the login test?")
    session.tool("Bash", {"command": "ls tests"}, "test_login.py")
    session.write()
    await memory.transcripts.sync([root], space="garden")


def counted(conn: psycopg.Connection[tuple[object, ...]], table: str = "lines") -> int:
    query = sql.SQL("select count(*) from {}").format(sql.Identifier("transcripts", table))
    row = conn.execute(query).fetchone()
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


async def test_what_a_line_called_brought_and_cost_is_of_a_line_that_is_there(
    memory: AsyncMemory, url: str, root: Path
) -> None:
    await synced(memory, root)
    with psycopg.connect(url) as conn:
        for table, insert in _OF_A_LINE.items():
            before = counted(conn, table)
            with pytest.raises(ForeignKeyViolation, match=f"{table}: there is no line"), conn.transaction():
                conn.execute(insert.encode(), {"off": 1_000})
            conn.execute(insert.encode(), {"off": 0})
            assert counted(conn, table) == before + 1
            name = sql.Identifier("transcripts", table)
            moved = sql.SQL("update {} set line_id = line_id + 1").format(name)
            with pytest.raises(ForeignKeyViolation, match=f"{table}: .* stays with it"), conn.transaction():
                conn.execute(moved)
        conn.execute("delete from transcripts.lines")
        assert not any(counted(conn, table) for table in _OF_A_LINE)
        conn.rollback()


async def test_a_line_stays_while_something_of_it_is_written(
    memory: AsyncMemory, url: str, root: Path
) -> None:
    await synced(memory, root)
    with psycopg.connect(url) as writer, psycopg.connect(url) as other:
        writer.execute(_OF_A_LINE["tool_calls"].encode(), {"off": 0})
        other.execute("set lock_timeout = '100ms'")
        with pytest.raises(psycopg.errors.LockNotAvailable):
            other.execute("delete from transcripts.lines")
        writer.rollback()
