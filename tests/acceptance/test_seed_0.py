"""What "Memory + Review Evidence DB Schema (v1.1)" asks for, section by section, through the public doors.

Its tables are compared with ours in ``test_seed_0_schema.py``; what follows is what they are for.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import RawCursor
from psycopg.rows import dict_row

from quipu import Memory
from quipu.errors import BadInput, DatabaseError
from quipu.kernel.base.clock import FrozenClock
from quipu.kernel.config import Settings
from quipu.kinds.ledger.evidence.model import Reference
from quipu.kinds.ledger.model import Correction

NOW = datetime(2026, 2, 25, 9, 30, tzinfo=UTC)
TEXTS = Path(__file__).resolve().parent.parent / "fixtures" / "seed_0"
SESSION = "3f2b8c1e-6d4a-4b7e-9c55-0a1d2e3f4b5c"


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(NOW)


@pytest.fixture
def memory(accepting: Settings, address: str, clock: FrozenClock, space: str) -> Iterator[Memory]:
    """A memory in whose space the operator dana has asked twice, in one session."""
    with Memory(settings=accepting, clock=clock) as opened:
        said = [
            {"role": "user", "content": "Staffing for Friday at Lisbon, Rua Augusta 1?"},
            {"role": "assistant", "content": "Assuming the usual team size."},
            {"role": "user", "content": "We are four at dinner."},
        ]
        opened.observe(said, space=space, session=SESSION, user="dana")
        opened.ledger.open_session(
            space=space, session=SESSION, user="dana", model="m-1", prompt_version="p-1"
        )
        yield opened


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
        Reference(
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
    made = memory.ledger.recommend(
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


# 3) Canonical Memory Keys

CANONICAL = [
    ("baseline.scope", {"value": "single", "locationLabel": "Lisbon"}, "chat_session_memory", "baseline"),
    ("baseline.foh.Lisbon.dinner", {"value": 4}, "chat_session_memory", "baseline"),
    ("locations.confirmed", {"items": [{"label": "Lisbon"}]}, "chat_session_memory", "location"),
    (
        "assumption.last",
        {"type": "baseline_value", "assumption": "the usual team"},
        "chat_session_memory",
        "system",
    ),
    ("ui.response_depth", {"value": "verbose"}, "chat_user_preferences", "ui"),
    ("baseline.default_scope", {"value": "all"}, "chat_user_preferences", "baseline"),
    ("workflow.default_card", {"value": "staffing"}, "chat_user_preferences", "workflow"),
]


@pytest.mark.parametrize(("key", "value", "table", "namespace"), CANONICAL)
def test_each_canonical_key_is_kept_where_the_text_says(
    memory: Memory, address: str, space: str, key: str, value: object, table: str, namespace: str
) -> None:
    memory.ledger.set(key, value, space=space, session=SESSION)
    (row,) = rows(address, space, f"select * from {table}")
    prefix = "memory" if table == "chat_session_memory" else "preference"
    assert (row[f"{prefix}_namespace"], row[f"{prefix}_key"], row["value_json"]) == (namespace, key, value)
    state = memory.ledger.state(space=space, session=SESSION)
    assert state[key].value == value


@pytest.mark.parametrize("key", [key for key, *_ in CANONICAL])
def test_no_canonical_key_takes_another_shape(memory: Memory, address: str, space: str, key: str) -> None:
    with pytest.raises(BadInput) as refusal:
        memory.ledger.set(key, [1], space=space, session=SESSION)
    assert (refusal.value.field or "").startswith("value")
    assert "chat_memory_events" not in counts(address, space)


# 4) Write Semantics


def test_event_and_projection_are_one_transaction_the_event_first(
    memory: Memory, address: str, space: str
) -> None:
    change = memory.ledger.set("baseline.foh.Lisbon.dinner", {"value": 4}, space=space, session=SESSION)
    assert change.event is not None
    (event,) = rows(
        address, space, "select xmin::text, cmin::text::int, id, turn_index from chat_memory_events"
    )
    (row,) = rows(
        address, space, "select xmin::text, cmin::text::int, source_event_id from chat_session_memory"
    )
    assert event["xmin"] == row["xmin"]
    assert event["cmin"] < row["cmin"]
    assert event["id"] == row["source_event_id"] == change.event.id
    assert event["turn_index"] == 2


def test_where_the_projection_cannot_be_written_there_is_no_event(
    memory: Memory, address: str, space: str
) -> None:
    with psycopg.connect(address) as conn:
        conn.execute(
            "create function public.refuse() returns trigger language plpgsql"
            " as $$ begin raise exception 'the disk is on fire'; end $$"
        )
        conn.execute(
            "create trigger refuse before insert on ledger.chat_session_memory"
            " for each row when (new.memory_key = 'boat') execute function public.refuse()"
        )
    try:
        with pytest.raises(DatabaseError):
            memory.ledger.set("boat", "green", space=space, session=SESSION)
        assert "chat_memory_events" not in counts(address, space)
    finally:
        with psycopg.connect(address) as conn:
            conn.execute("drop function public.refuse() cascade")


def test_explicit_beats_inferred_beats_default_whatever_came_first(memory: Memory, space: str) -> None:
    orders = (
        ("explicit", "inferred", "default"),
        ("default", "explicit", "inferred"),
        ("inferred", "default", "explicit"),
    )
    for n, order in enumerate(orders):
        for source in order:
            memory.ledger.set(f"boat {n}", source, source=source, space=space, session=SESSION)  # type: ignore[arg-type]
        memory.ledger.assume(f"boat {n}", "assumed", space=space, session=SESSION)
    state = memory.ledger.state(space=space, session=SESSION)
    assert {value.value for value in state.values()} == {"explicit"}
    memory.ledger.set("boat 0", "again", space=space, session=SESSION)
    assert memory.ledger.state(space=space, session=SESSION)["boat 0"].value == "again"


# 5) Retention Jobs and 6) Deletion Operations, as they are written

EXPIRED = "delete from chat_user_preferences where expires_at < now();"
HARD_DELETE_SESSION = "delete from chat_sessions where id = $1;"
HARD_DELETE_IDENTITY = (
    "delete from chat_user_preferences where distinct_id = $1;",
    "delete from chat_memory_events where distinct_id = $1;",
)


def statements(name: str) -> list[str]:
    """The statements of a file, without its comment."""
    text = (TEXTS / name).read_text("utf-8").split("\n\n", 1)[1]
    return [statement.strip() for statement in text.split(";\n") if statement.strip()]


def test_an_application_that_knows_the_tables_writes_and_reads_them(
    memory: Memory, address: str, space: str
) -> None:
    with entered(address, space) as conn:
        conn.execute(
            "insert into chat_sessions (model, prompt_version, rule_version, distinct_id)"
            " values ('m', 'p', 'r', 'eve')"
        )
        (session,) = conn.execute("select id from chat_sessions where distinct_id = 'eve'").fetchall()
        for statement in statements("inserts.sql"):
            assert conn.execute(statement.encode(), [session["id"]]).rowcount == 1
    here = {"space": space, "session": str(session["id"])}
    assert [value.key for value in memory.ledger.open_assumptions(**here)] == ["baseline.scope"]
    assert memory.ledger.state(**here)["ui.response_depth"].from_preference
    (advice,) = memory.ledger.recommendations(**here)
    assert (advice.review_backed, advice.evidence_count) == (True, 1)
    assert len(memory.ledger.evidence(advice, space=space).pieces) == 1


@pytest.mark.parametrize("broken", statements("forbidden.sql"))
def test_what_the_checks_forbid_cannot_be_written_by_anybody(
    memory: Memory, address: str, space: str, broken: str
) -> None:
    with pytest.raises(psycopg.errors.CheckViolation), entered(address, space) as conn:
        conn.execute(broken.encode())


def test_a_preference_expires_after_ninety_days_and_is_purged_as_written(
    memory: Memory, address: str, space: str
) -> None:
    for user in ("dana", "bob"):
        memory.ledger.set("ui.response_depth", {"value": "verbose"}, space=space, user=user)
    for row in rows(address, space, "select expires_at, last_updated_at from chat_user_preferences"):
        assert row["expires_at"] - row["last_updated_at"] == timedelta(days=90)
    with entered(address, space) as conn:
        conn.execute("update chat_user_preferences set expires_at = now() + interval '1 day'")
        conn.execute(
            "update chat_user_preferences set expires_at = now() - interval '1 day' where distinct_id = 'bob'"
        )
        assert conn.execute(EXPIRED.encode()).rowcount == 1
    assert [row["distinct_id"] for row in rows(address, space, "select * from chat_user_preferences")] == [
        "dana"
    ]


def test_a_session_is_hard_deleted_as_written(memory: Memory, address: str, space: str) -> None:
    tell_much(memory, space)
    before = counts(address, space)
    assert set(before) >= {
        "chat_sessions",
        "chat_messages",
        "chat_tool_calls",
        "chat_memory_events",
        "chat_fallbacks",
    }
    with entered(address, space) as conn:
        conn.execute(HARD_DELETE_SESSION.encode(), [SESSION])
    # What was said of the person across sessions belongs to the person and stays.
    assert counts(address, space) == {"chat_memory_events": 1, "chat_user_preferences": 1}
    assert memory.sessions(space=space) == []
    assert {hit.text for hit in memory.recall("Friday boat verbose", space=space)} <= {
        "ui.response_depth: verbose"
    }


def test_an_identity_is_hard_deleted_as_written(memory: Memory, address: str, space: str) -> None:
    tell_much(memory, space)
    memory.ledger.set("ui.response_depth", {"value": "balanced"}, space=space, user="bob")
    with entered(address, space, role="quipu_eraser") as conn:
        for statement in HARD_DELETE_IDENTITY:
            conn.execute(statement.encode(), ["dana"])
    assert [row["distinct_id"] for row in rows(address, space, "select * from chat_memory_events")] == ["bob"]
    assert "chat_session_memory" not in counts(address, space)
    assert memory.ledger.rebuild(space=space).changed == 0


def test_the_application_itself_may_not_delete_events(memory: Memory, address: str, space: str) -> None:
    tell_much(memory, space)
    with pytest.raises(psycopg.errors.InsufficientPrivilege), entered(address, space) as conn:
        conn.execute(HARD_DELETE_IDENTITY[1].encode(), ["dana"])


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


# 7) The three fixtures


def test_fixture_an_assumption_is_set_disclosed_and_corrected(
    memory: Memory, address: str, space: str, clock: FrozenClock
) -> None:
    here: dict[str, Any] = {"space": space, "session": SESSION}
    key = "baseline.foh.Lisbon.dinner"
    recomputed: list[Correction] = []
    memory.ledger.on_correction(recomputed.append)

    memory.ledger.assume(key, {"value": 3}, turn=1, **here)
    (row,) = rows(address, space, "select * from chat_session_memory")
    assert (row["assumed"], row["confidence_cap"], row["value_source"]) == (True, "medium", "assumed")
    assert [value.key for value in memory.ledger.open_assumptions(**here)] == [key]
    assert recomputed == []
    assumed_at = clock.now()

    clock.advance(timedelta(minutes=2))
    change = memory.ledger.set(key, {"value": 4}, correlation_id="turn-2", **here)
    assert change.previous is not None
    assert change.previous.value == {"value": 3}
    (row,) = rows(address, space, "select * from chat_session_memory")
    assert (row["assumed"], row["confidence_cap"], row["value_source"]) == (False, "none", "explicit")
    assert (row["value_json"], row["source_turn_index"]) == ({"value": 4}, 2)
    assert (row["first_set_at"], row["last_updated_at"]) == (assumed_at, clock.now())
    assert memory.ledger.open_assumptions(**here) == []
    assert [(c.old, c.new) for c in recomputed] == [({"value": 3}, {"value": 4})]

    clock.advance(timedelta(minutes=2))
    memory.ledger.correct(key, {"value": 5}, **here)
    memory.ledger.assume(key, {"value": 9}, **here)  # memory does not forget what was said
    events = rows(address, space, "select * from chat_memory_events order by id")
    assert [(e["event_type"], e["old_value_json"], e["new_value_json"], e["turn_index"]) for e in events] == [
        ("assumption_set", None, {"value": 3}, 1),
        ("assumption_corrected", {"value": 3}, {"value": 4}, 2),
        ("fact_corrected", {"value": 4}, {"value": 5}, 2),
        ("assumption_set", None, {"value": 9}, 2),
    ]
    assert events[1]["correlation_id"] == "turn-2"
    assert memory.ledger.state(**here)[key].value == {"value": 5}
    assert memory.ledger.state(as_of=assumed_at, **here)[key].value == {"value": 3}


def test_fixture_a_review_backed_recommendation_shows_its_dated_evidence(
    memory: Memory, address: str, space: str
) -> None:
    here: dict[str, Any] = {"space": space, "session": SESSION}
    memory.ledger.assume("baseline.foh.Lisbon.dinner", {"value": 3}, **here)
    number = advise(memory, space)
    made = memory.ledger.recommendation(number, space=space)
    assert (made.review_backed, made.evidence_count, made.recency_window_days) == (True, 3, 40)
    assert (made.asked_confidence, made.confidence) == ("high", "medium")  # the baseline is only assumed
    shown = memory.ledger.evidence(number, space=space)
    assert [(p.rank, p.published_at, p.rating, p.theme) for p in shown.pieces] == [
        (1, NOW - timedelta(days=3), 2.0, "wait_time"),
        (2, NOW - timedelta(days=20), 1.0, "wait_time"),
        (3, NOW - timedelta(days=40), 3.0, "food_quality"),
    ]
    assert all(piece.excerpt and len(piece.excerpt) <= 160 for piece in shown.pieces)
    (cold,) = memory.ledger.evidence_of("food_quality", space=space, session=SESSION).pieces
    assert cold.excerpt == "The soup was cold."
    none = memory.ledger.evidence_of("kitchen_delay", space=space, session=SESSION)
    assert (none.pieces, dict(none.themes)) == ((), {"wait_time": 2, "food_quality": 1})
    kept = rows(address, space, "select * from chat_recommendation_evidence order by evidence_rank")
    assert {row["recommendation_id"] for row in kept} == {number}
    assert [float(row["evidence_weight"]) for row in kept] == [0.9, 0.7, 0.4]


def test_fixture_retention_and_hard_delete_leave_nothing(
    memory: Memory, address: str, space: str, clock: FrozenClock
) -> None:
    tell_much(memory, space)
    clock.advance(timedelta(days=31))
    memory.ledger.retention(space=space, confirm=True)
    cut = rows(address, space, "select excerpt, review_rating from chat_recommendation_evidence")
    assert [row["excerpt"] for row in cut] == [None] * 3
    assert all(row["review_rating"] for row in cut)

    clock.advance(timedelta(days=60))
    before = counts(address, space)
    planned = memory.ledger.retention(space=space)
    assert counts(address, space) == before
    done = memory.ledger.retention(space=space, confirm=True)
    assert (done.sessions, done.expired, done.counts) == (1, 1, planned.counts)
    # Only the history of what dana said of herself across sessions is left, and goes with her.
    assert counts(address, space) == {"chat_memory_events": 2}
    assert memory.recall("boat verbose Friday", space=space) == []
    memory.forget(space=space, user="dana", confirm=True)
    assert counts(address, space) == {}
