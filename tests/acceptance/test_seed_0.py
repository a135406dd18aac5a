"""What "Memory + Review Evidence DB Schema (v1.1)" asks for, section by section, through the public doors.

Its tables are compared with ours in ``test_seed_0_schema.py``; what follows is what they are for.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import psycopg
import pytest
from seed_0 import NOW, SESSION, advise, counts, entered, rows, statements, tell_much

from quipu import Memory
from quipu.errors import BadInput, DatabaseError
from quipu.kernel.base.clock import FrozenClock
from quipu.kinds.ledger.model import Correction

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


def test_defaults_are_assumed_and_capped_until_somebody_confirms_them(
    memory: Memory, address: str, space: str
) -> None:
    here: dict[str, Any] = {"space": space, "session": SESSION}
    memory.ledger.set("baseline.scope", {"value": "all"}, source="default", **here)
    (event,) = rows(address, space, "select * from chat_memory_events")
    (row,) = rows(address, space, "select * from chat_session_memory")
    for kept in (event, row):
        assert (kept["assumed"], kept["confidence_cap"], kept["value_source"]) == (True, "medium", "default")
    assert [value.key for value in memory.ledger.assumptions(**here)] == ["baseline.scope"]
    advised = memory.evidence.get(advise(memory, space), space=space)
    assert (advised.asked_confidence, advised.confidence) == ("high", "medium")
    memory.ledger.set("baseline.scope", {"value": "all"}, **here)
    assert memory.ledger.assumptions(**here) == []
    assert memory.evidence.get(advise(memory, space), space=space).confidence == "high"


# 5) Retention Jobs and 6) Deletion Operations, as they are written

EXPIRED = "delete from chat_user_preferences where expires_at < now();"
HARD_DELETE_SESSION = "delete from chat_sessions where id = $1;"
HARD_DELETE_IDENTITY = (
    "delete from chat_user_preferences where distinct_id = $1;",
    "delete from chat_memory_events where distinct_id = $1;",
)


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
    assert [value.key for value in memory.ledger.assumptions(**here)] == ["baseline.scope"]
    assert memory.ledger.state(**here)["ui.response_depth"].from_preference
    (advice,) = memory.evidence.list(**here)
    assert (advice.review_backed, advice.evidence_count) == (True, 1)
    assert len(memory.evidence.sources(advice.id, space=space).pieces) == 1


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
    assert [value.key for value in memory.ledger.assumptions(**here)] == [key]
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
    assert memory.ledger.assumptions(**here) == []
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
    made = memory.evidence.get(number, space=space)
    assert (made.review_backed, made.evidence_count, made.recency_window_days) == (True, 3, 40)
    assert (made.asked_confidence, made.confidence) == ("high", "medium")  # the baseline is only assumed
    shown = memory.evidence.sources(number, space=space)
    assert [(p.rank, p.published_at, p.rating, p.theme) for p in shown.pieces] == [
        (1, NOW - timedelta(days=3), 2.0, "wait_time"),
        (2, NOW - timedelta(days=20), 1.0, "wait_time"),
        (3, NOW - timedelta(days=40), 3.0, "food_quality"),
    ]
    assert all(piece.excerpt and len(piece.excerpt) <= 160 for piece in shown.pieces)
    (cold,) = memory.evidence.search("food_quality", space=space, session=SESSION).pieces
    assert cold.excerpt == "The soup was cold."
    none = memory.evidence.search("kitchen_delay", space=space, session=SESSION)
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
