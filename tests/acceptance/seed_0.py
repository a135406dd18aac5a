"""What the acceptance of "Memory + Review Evidence DB Schema (v1.1)" works with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
from psycopg import RawCursor
from psycopg.rows import dict_row

from quipu import Memory
from quipu.kinds.ledger.evidence.model import EvidenceReference

NOW = datetime(2026, 2, 25, 9, 30, tzinfo=UTC)
TEXTS = Path(__file__).resolve().parent.parent / "fixtures" / "seed_0"
SESSION = "3f2b8c1e-6d4a-4b7e-9c55-0a1d2e3f4b5c"


@contextmanager
def entered(address: str, space: str, *, role: str = "quipu_app") -> Iterator[psycopg.Connection[Any]]:
    """SQL as the application runs it: in the schema, in the space, with $1 for parameters."""
    with psycopg.connect(address, cursor_factory=RawCursor, row_factory=dict_row) as conn:
        conn.execute(f"set local role {role}".encode())
        conn.execute("set local search_path = ledger")
        conn.execute("select core.enter($1)", [space])
        yield conn


def rows(address: str, space: str, query: str) -> list[dict[str, Any]]:
    with entered(address, space) as conn:
        return conn.execute(query.encode()).fetchall()


def counts(address: str, space: str) -> dict[str, int]:
    """How many rows of the space each table and view of the original has."""
    tables = (
        "chat_sessions",
        "chat_messages",
        "chat_tool_calls",
        "chat_memory_events",
        "chat_session_memory",
        "chat_user_preferences",
        "chat_recommendations",
        "chat_recommendation_evidence",
        "chat_competitor_checks",
        "chat_review_signal_runs",
        "chat_fallbacks",
    )
    found = {table: rows(address, space, f"select count(*) as n from {table}")[0]["n"] for table in tables}
    return {table: n for table, n in found.items() if n}


def advise(memory: Memory, space: str) -> int:
    """A review-backed recommendation with three dated references."""
    reviews = [
        EvidenceReference(
            theme=theme,
            place_id="place-1",
            review_id_hash=f"{days:016x}",
            published_at=NOW - timedelta(days=days),
            rating=rating,
            excerpt=excerpt,
            weight=weight,
        )
        for theme, days, rating, excerpt, weight in (
            ("wait_time", 3, 2.0, "We waited forty minutes for a table.", 0.9),
            ("wait_time", 20, 1.0, "The wait was endless, and nobody told us why.", 0.7),
            ("food_quality", 40, 3.0, "The soup was cold.", 0.4),
        )
    ]
    made = memory.evidence.recommend(
        "Add one person at the door on Friday.",
        space=space,
        session=SESSION,
        location="Lisbon",
        time_window="Friday 19-22",
        confidence="high",
        source="reviews",
        evidence=reviews,
        explanation={"why": ["waiting is what guests complain of most"]},
    )
    return made.id


def tell_much(memory: Memory, space: str) -> None:
    """Something in every table of the session and of its person."""
    here: dict[str, Any] = {"space": space, "session": SESSION}
    memory.ledger.assume("baseline.foh.Lisbon.dinner", {"value": 3}, **here)
    memory.ledger.set("baseline.foh.Lisbon.dinner", {"value": 4}, **here)
    memory.ledger.set("boat", "green", **here)
    memory.ledger.set("ui.response_depth", {"value": "verbose"}, **here)
    advise(memory, space)
    memory.trace.tool_call("look", source="reviews", latency_ms=12, **here)
    memory.trace.competitor_check("next door", status="not_found", **here)
    memory.trace.signal_run(None, status="timeout", place="place-1", **here)
    memory.trace.fallback("timeout", reason="slow", response="Without reviews today.", **here)
    memory.recall("boat", space=space)


def statements(name: str) -> list[str]:
    """The statements of a file, without its comment."""
    text = (TEXTS / name).read_text("utf-8").split("\n\n", 1)[1]
    return [statement.strip() for statement in text.split(";\n") if statement.strip()]
