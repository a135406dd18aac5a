"""What the database says of sessions, in the form of the truth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import psycopg
from coding_sessions import Truth, World
from psycopg.rows import dict_row

_TABLES = """
select n.nspname || '.' || c.relname as name, c.oid::regclass::text as quoted
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind = 'r' and n.nspname in ('core', 'transcripts')
"""
_SESSIONS = """
select s.id, s.project_path, s.first_timestamp, s.last_timestamp, s.title, s.parent_session, s.agent_type,
    d.tool_use_id, l.lines, l.prompts, c.calls, r.results, r.errors, m.said
from transcripts.sessions s
join transcripts.session_details d on d.session_id = s.session_number
cross join lateral (
    select count(*) as lines, count(*) filter (where is_prompt) as prompts
    from transcripts.lines where session_id = s.session_number
) l
cross join lateral (
    select count(*) as calls from transcripts.tool_calls where session_id = s.session_number
) c
cross join lateral (
    select count(*) as results, count(*) filter (where is_error) as errors
    from transcripts.tool_results where session_id = s.session_number
) r
cross join lateral (
    select coalesce(json_agg(json_build_array(role, content) order by id), '[]') as said
    from core.messages where session_id = s.session_number
) m
"""


def sessions(url: str) -> dict[str, Truth]:
    with psycopg.connect(url, row_factory=dict_row) as conn:
        return {row["id"]: _truth(row) for row in conn.execute(_SESSIONS).fetchall()}


def _truth(row: Mapping[str, Any]) -> Truth:
    return Truth(
        lines=row["lines"],
        said=[(role, content) for role, content in row["said"]],
        prompts=row["prompts"],
        calls=row["calls"],
        results=row["results"],
        errors=row["errors"],
        first=row["first_timestamp"],
        last=row["last_timestamp"],
        title=row["title"],
        parent=row["parent_session"],
        agent_type=row["agent_type"],
        tool_use_id=row["tool_use_id"],
        project=row["project_path"],
    )


def expected(made: World) -> dict[str, Truth]:
    """The truth by session."""
    return {name: replace(truth) for name, truth in made.sessions.items()}


def tokens(url: str) -> Counter[tuple[str, str]]:
    """Tokens by model and day."""
    with psycopg.connect(url) as conn:
        rows = conn.execute(
            "select model, to_char(happened_at, 'YYYY-MM-DD'), sum(input_tokens + output_tokens"
            " + cache_read_tokens + cache_creation_tokens)::int from transcripts.responses group by 1, 2"
        ).fetchall()
    return Counter({(model, day): count for model, day, count in rows})


def everything(url: str) -> dict[str, list[str]]:
    """Every row of every table, as text; what only says when it was done is left out."""
    found: dict[str, list[str]] = {}
    with psycopg.connect(url) as conn:
        for name, quoted in conn.execute(_TABLES).fetchall():
            rows = conn.execute(f"select to_jsonb(t)::text from {quoted} t".encode()).fetchall()
            found[name] = sorted(row[0] for row in rows)
    return found
