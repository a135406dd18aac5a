"""Writing made-up sessions into the tables, as a sync leaves them: lines are there, their index is not."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

import psycopg

from sessions.made_up import Step, steps

START = datetime(2026, 1, 1, tzinfo=UTC)
_LINES_OF_A_SESSION = 200
_BATCH = 20_000


def fill(url: str, space: str, *, messages: int, seed: int = 7) -> int:
    """So many messages with their tool calls into a new space; the bytes of text that they have."""
    with psycopg.connect(url) as conn:
        number = _space(conn, space)
        _sessions(conn, number, messages)
        written, found = 0, steps(messages, seed=seed)
        while batch := [*islice(found, _BATCH)]:
            written += _write(conn, number, batch)
        conn.commit()
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute("vacuum analyze")
    return written


def _space(conn: psycopg.Connection[Any], space: str) -> int:
    row = conn.execute("insert into core.spaces (name) values (%s) returning id", [space]).fetchone()
    assert row is not None
    return row[0]


def _sessions(conn: psycopg.Connection[Any], number: int, messages: int) -> None:
    count = -(-messages // _LINES_OF_A_SESSION)
    conn.execute(
        "insert into core.sessions (space_id, name) select %s, 'session-' || n from generate_series(1, %s) n",
        [number, count],
    )
    conn.execute(
        "insert into transcripts.session_details (space_id, session_id, project_path)"
        " select %s, id, '/home/ana/project-' || id %% 7 from core.sessions where space_id = %s",
        [number, number],
    )


def _write(conn: psycopg.Connection[Any], number: int, batch: Sequence[Step]) -> int:
    first = _first_session(conn, number)
    line = _next(conn, "transcripts.lines")
    rows = [
        (step, first + step.number // _LINES_OF_A_SESSION, line + 3 * at) for at, step in enumerate(batch)
    ]
    _copy(
        conn,
        "core.messages",
        "space_id, id, session_id, external_id, role, happened_at, recorded_at, content",
        (
            (
                number,
                session << 24 | step.number % _LINES_OF_A_SESSION,
                session,
                f"m{step.number}",
                step.role,
                _at(step),
                _at(step),
                step.text,
            )
            for step, session, _ in rows
        ),
    )
    _copy(
        conn,
        "transcripts.lines",
        "space_id, id, session_id, uuid, type, happened_at, message_id, thinking",
        (one for step, session, id in rows for one in _lines(number, step, session, id)),
    )
    _copy(
        conn,
        "transcripts.tool_calls",
        "space_id, id, line_id, session_id, tool_name, tool_input, path, happened_at",
        (
            (
                number,
                f"t{step.number}",
                id + 1,
                session,
                step.tool,
                json.dumps({"command" if step.tool == "Bash" else "file_path": step.given}),
                step.given,
                _at(step),
            )
            for step, session, id in rows
            if step.tool
        ),
    )
    _copy(
        conn,
        "transcripts.tool_results",
        "space_id, tool_call_id, line_id, session_id, content, happened_at",
        (
            (number, f"t{step.number}", id + 2, session, step.answer, _at(step))
            for step, session, id in rows
            if step.tool
        ),
    )
    conn.execute(
        "select setval(pg_get_serial_sequence('transcripts.lines', 'id'), %s)", [line + 3 * len(batch)]
    )
    return sum(
        len(step.text) + len(step.thinking or "") + len(step.given) + len(step.answer) for step in batch
    )


def _lines(number: int, step: Step, session: int, id: int) -> Iterator[tuple[Any, ...]]:
    message = session << 24 | step.number % _LINES_OF_A_SESSION
    yield number, id, session, f"u{step.number}", step.role, _at(step), message, step.thinking
    if step.tool:
        yield number, id + 1, session, f"c{step.number}", "assistant", _at(step), None, None
        yield number, id + 2, session, f"r{step.number}", "user", _at(step), None, None


def _at(step: Step) -> datetime:
    return START + timedelta(seconds=20 * step.number)


def _first_session(conn: psycopg.Connection[Any], number: int) -> int:
    row = conn.execute("select min(id) from core.sessions where space_id = %s", [number]).fetchone()
    assert row is not None
    return row[0]


def _next(conn: psycopg.Connection[Any], table: str) -> int:
    row = conn.execute("select nextval(pg_get_serial_sequence(%s, 'id'))", [table]).fetchone()
    assert row is not None
    return row[0]


def _copy(conn: psycopg.Connection[Any], table: str, columns: str, rows: Iterator[tuple[Any, ...]]) -> None:
    with conn.cursor().copy(f"copy {table} ({columns}) from stdin".encode()) as copy:
        for row in rows:
            copy.write_row(row)
