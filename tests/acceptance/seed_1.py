"""What the acceptance of "Schema Changes for Memory Extraction" works with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
from psycopg import RawCursor
from psycopg.rows import dict_row

TEXTS = Path(__file__).resolve().parent.parent / "fixtures" / "seed_1"
NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)


def statements(name: str) -> list[str]:
    """The statements of a file, without its first comment."""
    text = (TEXTS / name).read_text("utf-8").split("\n\n", 1)[1]
    return [statement.strip() for statement in re.split(r";\s*(?:\n|\Z)", text) if statement.strip()]


UNPROCESSED, MARK, INSERT, BY_CATEGORY, BY_TEXT = statements("usage.sql")


@contextmanager
def entered(address: str, space: str) -> Iterator[psycopg.Connection[dict[str, Any]]]:
    """SQL as the application runs it: in the schema, in the space, with a question mark for parameters."""
    with psycopg.connect(address, cursor_factory=RawCursor, row_factory=dict_row) as conn:
        conn.execute("set local role quipu_app")
        conn.execute("set local search_path = transcripts")
        conn.execute(
            "insert into core.spaces (name) select $1 where set_config('quipu.space', $1, true) is not null"
            " on conflict do nothing",
            [space],
        )
        conn.execute("select core.enter($1)", [space])
        yield conn


def run(conn: psycopg.Connection[dict[str, Any]], statement: str, *values: object) -> list[dict[str, Any]]:
    """A statement of the text; its question marks are numbered as PostgreSQL writes them."""
    pieces = statement.split("?")
    numbered = "".join(piece + f"${place}" for place, piece in enumerate(pieces[:-1], 1)) + pieces[-1]
    cursor = conn.execute(numbered.encode(), values)
    return cursor.fetchall() if cursor.description else []


def record(conn: psycopg.Connection[dict[str, Any]], name: str, *, days: int) -> None:
    """A session that was recorded so many days after the first."""
    conn.execute("insert into core.sessions (space_id, name) values (core.current_space(), $1)", [name])
    conn.execute(
        "insert into transcripts.session_details (session_id, project_path, first_line_at, last_line_at)"
        " select id, '/home/ana/boats', $2, $2 from core.sessions where name = $1",
        [name, NOW + timedelta(days=days)],
    )
