"""Recorded sessions put into the tables as they stand after a sync, for tests of what reads them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from psycopg.types.json import Jsonb

if TYPE_CHECKING:
    from quipu.kernel.db.database import SpaceTransaction

AT = datetime(2026, 5, 3, 10, 0, tzinfo=UTC)
PROJECT = "/home/dana/src/ferryboard"


async def session(
    tx: SpaceTransaction,
    name: str,
    *,
    title: str,
    project: str = PROJECT,
    hours: int = 0,
    parent: str | None = None,
) -> int:
    """A session with one prompt; its number."""
    at = AT + timedelta(hours=hours)
    row = await tx.conn.execute(
        "insert into core.sessions (space_id, name, started_at, last_at)"
        " values (core.current_space(), %s, %s, %s) returning id",
        (name, at, at),
    )
    ((number,),) = await row.fetchall()
    await tx.conn.execute(
        "insert into transcripts.session_details (session_id, project_path, git_branch, custom_title,"
        " parent_session, first_line_at, last_line_at) values (%s, %s, 'main', %s, %s, %s, %s)",
        (number, project, title, parent, at, at),
    )
    await line(tx, number, "prompt", at, is_prompt=True)
    return number


async def line(tx: SpaceTransaction, number: int, uuid: str, at: datetime, *, is_prompt: bool = False) -> int:
    """A line of a session; its number."""
    row = await tx.conn.execute(
        "insert into transcripts.lines (session_id, uuid, type, happened_at, is_prompt)"
        " values (%s, %s, 'user', %s, %s) returning id",
        (number, uuid, at, is_prompt),
    )
    ((line_id,),) = await row.fetchall()
    return line_id


async def call(
    tx: SpaceTransaction, number: int, name: str, tool: str, given: dict[str, object], hours: int = 0
) -> None:
    """A call of a tool in a session."""
    at = AT + timedelta(hours=hours)
    line_id = await line(tx, number, f"line of {name}", at)
    await tx.conn.execute(
        "insert into transcripts.tool_calls (id, line_id, session_id, tool_name, tool_input, path,"
        " happened_at) values (%s, %s, %s, %s, %s, %s, %s)",
        (name, line_id, number, tool, Jsonb(given), given.get("file_path"), at),
    )


async def answer(
    tx: SpaceTransaction, number: int, name: str, content: str, *, is_error: bool = False
) -> None:
    """What a call brought."""
    await tx.conn.execute(
        "insert into transcripts.tool_results (tool_call_id, line_id, session_id, content, is_error,"
        " happened_at) select id, line_id, session_id, %s, %s, happened_at from transcripts.tool_calls"
        " where session_id = %s and id = %s",
        (content, is_error, number, name),
    )


async def lesson(
    tx: SpaceTransaction,
    fact: str,
    *,
    category: str = "preferences",
    confidence: float = 0.9,
    project: str = PROJECT,
    days_ago: int = 0,
    status: str = "active",
) -> None:
    """A memory."""
    at = AT - timedelta(days=days_ago)
    await tx.conn.execute(
        "insert into transcripts.memories (fact, category, confidence, project_path, created_at,"
        " updated_at, status) values (%s, %s, %s, %s, %s, %s, %s)",
        (fact, category, confidence, project, at, at, status),
    )
