"""Facts and assumptions: each write is one event, what stands after it and its row."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import psycopg
import pytest
from cases import case
from psycopg.rows import dict_row

from quipu import AsyncMemory
from quipu.errors import BadInput
from quipu.kernel.base.clock import FrozenClock
from quipu.kinds.ledger.ledger import AsyncLedger
from quipu.kinds.ledger.model import NAMESPACES, Correction
from quipu.kinds.ledger.rules import preference_place

pytestmark = pytest.mark.anyio

ALL = {"value": "all"}
LISBON = {"value": "single", "locationLabel": "Lisbon"}
HERE: dict[str, Any] = {"space": "cafe", "session": "s-1"}
DANA: dict[str, Any] = {"space": "cafe", "user": "dana"}


def rows(url: str, table: str) -> list[dict[str, Any]]:
    """All rows of a table, past row level security, in the order of their ids."""
    with psycopg.connect(url, row_factory=dict_row) as conn:
        return conn.execute(f"select * from ledger.{table} order by id".encode()).fetchall()


async def test_an_assumption_and_its_correction_are_two_events_and_one_row(
    ledger: AsyncLedger, clock: FrozenClock, url: str
) -> None:
    assumed = await ledger.assume("baseline.scope", ALL, **HERE)
    clock.advance(timedelta(minutes=5))
    corrected = await ledger.set("baseline.scope", LISBON, reason="she said so", actor="agent", **HERE)
    assert assumed.event is not None
    assert corrected.event is not None
    assert (assumed.event.event_type, assumed.stands, assumed.previous) == ("assumption_set", True, None)
    assert corrected.event.event_type == "assumption_corrected"
    assert (corrected.event.old, corrected.event.new) == (ALL, LISBON)
    assert corrected.previous == assumed.value
    first, second = rows(url, "chat_memory_events")
    assert (first["assumed"], first["confidence_cap"], first["value_source"]) == (True, "medium", "assumed")
    assert (second["old_value_json"], second["new_value_json"]) == (ALL, LISBON)
    assert (second["turn_index"], second["actor"], second["reason"]) == (2, "agent", "she said so")
    (row,) = rows(url, "chat_session_memory")
    assert (row["id"], row["source_event_id"]) == (first["id"], second["id"])
    assert (row["first_set_at"], row["last_updated_at"]) == (first["created_at"], clock.now())
    assert (row["value_json"], row["assumed"], row["confidence_cap"]) == (LISBON, False, "none")


async def test_what_is_said_again_in_the_same_way_is_no_event(ledger: AsyncLedger, url: str) -> None:
    first = await ledger.set("baseline.scope", ALL, **HERE)
    again = await ledger.set("baseline.scope", ALL, **HERE)
    assert again.event is None
    assert again.value == first.value
    assert len(rows(url, "chat_memory_events")) == 1


async def test_a_preference_said_again_the_same_day_is_no_event_and_lives_longer_after_that(
    ledger: AsyncLedger, clock: FrozenClock
) -> None:
    await ledger.set("ui.response_depth", {"value": "verbose"}, **DANA)
    clock.advance(timedelta(hours=23))
    assert (await ledger.set("ui.response_depth", {"value": "verbose"}, **DANA)).event is None
    clock.advance(timedelta(days=2))
    renewed = await ledger.set("ui.response_depth", {"value": "verbose"}, **DANA)
    assert renewed.event is not None
    assert renewed.event.event_type == "fact_set"
    assert renewed.event.expires_at == clock.now() + timedelta(days=90)


async def test_a_weaker_value_is_recorded_and_changes_nothing(ledger: AsyncLedger, url: str) -> None:
    said = await ledger.set("baseline.scope", LISBON, **HERE)
    for weaker in (
        await ledger.set("baseline.scope", ALL, source="inferred", **HERE),
        await ledger.assume("baseline.scope", ALL, **HERE),
        await ledger.set("baseline.scope", ALL, source="default", **HERE),
    ):
        assert weaker.event is not None
        assert (weaker.stands, weaker.event.old, weaker.value) == (False, None, said.value)
    assert len(rows(url, "chat_memory_events")) == 4
    assert [row["value_json"] for row in rows(url, "chat_session_memory")] == [LISBON]


async def test_correct_needs_something_to_correct(ledger: AsyncLedger, url: str) -> None:
    with pytest.raises(BadInput, match="Use set"):
        await ledger.correct("baseline.scope", ALL, **HERE)
    await ledger.set("baseline.scope", ALL, source="inferred", **HERE)
    corrected = await ledger.correct("baseline.scope", LISBON, **HERE)
    assert corrected.event is not None
    assert (corrected.event.event_type, corrected.event.old) == ("fact_corrected", ALL)
    assert len(rows(url, "chat_memory_events")) == 2


@pytest.mark.parametrize(("act", "event_type"), [("expire", "fact_expired"), ("delete", "fact_deleted")])
async def test_what_ends_leaves_its_history_and_no_row(
    ledger: AsyncLedger, url: str, act: str, event_type: str
) -> None:
    await ledger.set("ui.response_depth", {"value": "verbose"}, **DANA)
    ended = await getattr(ledger, act)("ui.response_depth", **DANA)
    assert (ended.value, ended.stands, ended.event.event_type) == (None, False, event_type)
    assert (ended.event.old, ended.event.new) == ({"value": "verbose"}, None)
    assert rows(url, "chat_user_preferences") == []
    assert [e.event_type for e in await ledger.history("ui.response_depth", **DANA)] == [
        "fact_set",
        event_type,
    ]
    with pytest.raises(BadInput, match="nothing stands"):
        await getattr(ledger, act)("ui.response_depth", **DANA)
    assert len(rows(url, "chat_memory_events")) == 2


async def test_a_preference_expires_after_ninety_days_and_then_anything_stands(
    ledger: AsyncLedger, clock: FrozenClock, url: str
) -> None:
    await ledger.set("ui.response_depth", {"value": "verbose"}, **DANA)
    clock.advance(timedelta(days=90, seconds=-1))
    assert "ui.response_depth" in await ledger.state(**DANA)
    clock.advance(timedelta(seconds=1))
    assert await ledger.state(**DANA) == {}
    weak = await ledger.assume("ui.response_depth", {"value": "balanced"}, **DANA)
    assert (weak.stands, weak.previous) == (True, None)
    (row,) = rows(url, "chat_user_preferences")
    assert (row["first_set_at"], row["value_source"], row["assumed"]) == (clock.now(), "default", True)
    assert (await ledger.rebuild(space="cafe")).changed == 0


async def test_what_belongs_to_a_session_expires_only_where_that_was_said(
    ledger: AsyncLedger, clock: FrozenClock
) -> None:
    await ledger.set("baseline.scope", ALL, **HERE)
    await ledger.set("note", 1, expires_at=clock.now() + timedelta(hours=1), **HERE)
    clock.advance(timedelta(days=3650))
    assert list(await ledger.state(**HERE)) == ["baseline.scope"]
    with pytest.raises(BadInput) as refusal:
        await ledger.set("note", 1, expires_at="2020-01-01", **HERE)
    assert refusal.value.field == "expires_at"


async def test_in_a_session_preferences_of_its_person_fill_the_gaps(ledger: AsyncLedger) -> None:
    await ledger.set("ui.response_depth", {"value": "verbose"}, **DANA)
    await ledger.set("tone", "dry", **DANA)
    assert await ledger.state(**HERE) == {}  # nobody has said whose session it is
    await ledger.set("tone", "warm", user="dana", **HERE)
    found = await ledger.state(**HERE)
    assert {key: (v.value, v.from_preference) for key, v in found.items()} == {
        "tone": ("warm", False),
        "ui.response_depth": ({"value": "verbose"}, True),
    }


async def test_the_scope_follows_from_the_key_then_from_what_is_given(ledger: AsyncLedger) -> None:
    await ledger.open_session(user="dana", **HERE)
    kept = [
        await ledger.set("ui.response_depth", {"value": "verbose"}, **HERE),
        await ledger.set("note", 1, **HERE),
        await ledger.set("note", 1, **DANA),
        await ledger.set("note", 2, scope="cross_session", **HERE),
    ]
    assert [c.event.scope for c in kept if c.event] == [
        "cross_session",
        "session",
        "cross_session",
        "cross_session",
    ]
    for wrong in ({"space": "cafe"}, DANA):
        with pytest.raises(BadInput) as refusal:
            await ledger.set("baseline.scope", ALL, **wrong)
        assert refusal.value.field == "session"


async def test_a_session_is_of_one_person(ledger: AsyncLedger, url: str) -> None:
    await ledger.set("note", 1, user="dana", **HERE)
    for act in (
        ledger.set("note", 2, user="bob", **HERE),
        ledger.open_session(user="bob", **HERE),
        ledger.state(user="bob", **HERE),
        ledger.history("note", user="bob", **HERE),
    ):
        with pytest.raises(BadInput) as refusal:
            await act
        assert refusal.value.field == "user"
    assert len(rows(url, "chat_memory_events")) == 1


BAD: list[Any] = [
    ("baseline.scope", {"value": "x"}, {}, "value.value"),
    ("locations.confirmed", {"items": [{"label": ""}]}, {}, "value.items.0.label"),
    ("baseline.mood", 1, {}, "key"),
    ("note", 1, {"namespace": "moods"}, "namespace"),
    ("note", 1, {"scope": "world"}, "scope"),
    ("note", 1, {"session": "unknown"}, "session"),
    ("note", 1, {"turn": 4}, "turn"),
    ("note", 1, {"turn": -1}, "turn"),
    ("note", "x" * 70_000, {}, "value"),
    ("note", "a\0b", {}, "value"),
    ("note", 1, {"source": "assumed"}, "source"),
    ("note", 1, {"reason": "a\0b"}, "reason"),
    ("note", 1, {"actor": ""}, "actor"),
    ("note", 1, {"correlation_id": "x" * 600}, "correlation_id"),
    ("note", 1, {"space": ""}, "space"),
    ("note", 1, {"expires_at": "soon"}, "expires_at"),
]


async def test_bad_input_names_the_field_and_nothing_is_written(ledger: AsyncLedger, url: str) -> None:
    for key, value, more, field in BAD:
        with case(key, value, more, field):
            with pytest.raises(BadInput) as refusal:
                await ledger.set(key, value, **{**HERE, **more})
            assert refusal.value.field == field
            assert rows(url, "chat_memory_events") == rows(url, "chat_session_memory") == []


async def test_the_session_of_another_space_is_unknown(ledger: AsyncLedger, url: str) -> None:
    for space in ("bar", "nowhere"):
        await ledger.set("note", 1, space="bar", user="dana")
        with pytest.raises(BadInput) as refusal:
            await ledger.set("note", 1, space=space, session="s-1")
        assert refusal.value.field == "session"
    assert await ledger.state(space="bar", session="s-1") == {}
    assert await ledger.history("note", space="bar", session="s-1") == []
    assert len(rows(url, "chat_memory_events")) == 1


async def test_the_turn_is_that_of_the_session_unless_it_is_said(
    ledger: AsyncLedger, cafe: AsyncMemory
) -> None:
    changes = [await ledger.set("note", 1, **HERE), await ledger.set("note", 2, turn=3, **HERE)]
    await cafe.observe([{"role": "user", "content": "And on Saturday?"}], space="cafe", session="s-1")
    changes += [await ledger.set("note", 3, **HERE), await ledger.set("note", 1, **DANA)]
    assert [change.event.turn for change in changes if change.event] == [2, 3, 3, 0]


async def test_an_opened_session_can_be_written_about_before_anything_is_said(
    ledger: AsyncLedger, url: str
) -> None:
    name = await ledger.open_session(space="cafe", user="dana", model="m-1", meta={"a": 1})
    await ledger.open_session(space="cafe", session=name, rule_version="r-2", meta={"b": 2})
    assert (await ledger.set("note", 1, space="cafe", session=name, turn=7)).stands
    await ledger.end_session(name, space="cafe", status="error")
    found = next(row for row in rows(url, "chat_sessions") if row["name"] == name)
    assert (found["model"], found["prompt_version"], found["rule_version"]) == ("m-1", "unknown", "r-2")
    assert (found["distinct_id"], found["status"], found["meta"]) == ("dana", "error", {"a": 1, "b": 2})
    assert found["ended_at"] == found["started_at"]
    with pytest.raises(BadInput):
        await ledger.end_session("unknown", space="cafe")


async def test_subscribers_are_told_of_corrections_and_cannot_lose_the_write(
    ledger: AsyncLedger, caplog: pytest.LogCaptureFixture
) -> None:
    told: list[tuple[str, object, object]] = []

    async def recompute(correction: Correction) -> None:
        told.append((correction.event.event_type, correction.old, correction.new))

    def break_down(correction: Correction) -> None:
        raise ValueError(correction.event.key)

    ledger.on_correction(break_down)
    ledger.on_correction(recompute)
    await ledger.assume("baseline.scope", ALL, **HERE)
    corrected = await ledger.set("baseline.scope", LISBON, **HERE)
    await ledger.set("note", 1, **HERE)
    assert told == [("assumption_corrected", ALL, LISBON)]
    assert corrected.hook_errors == ("ValueError: baseline.scope",)
    assert "baseline.scope" in caplog.text
    assert (await ledger.state(**HERE))["baseline.scope"].value == LISBON


async def test_open_assumptions_are_those_that_stand(ledger: AsyncLedger) -> None:
    await ledger.assume("baseline.scope", ALL, cap="low", **HERE)
    await ledger.assume("note", 1, **DANA)
    found = await ledger.assumptions(space="cafe")
    assert [(v.key, v.confidence_cap) for v in found] == [("baseline.scope", "low"), ("note", "medium")]
    await ledger.set("baseline.scope", ALL, **HERE)  # confirmed
    assert [v.key for v in await ledger.assumptions(**HERE)] == []
    assert [v.key for v in await ledger.assumptions(**DANA)] == ["note"]


async def test_secrets_are_cut_out_of_values_and_reasons(ledger: AsyncLedger, url: str) -> None:
    secret = "AKIAIOSFODNN7EXAMPLQ"
    await ledger.set("note", {"password": "hunter2hunter2"}, reason=f"the key is {secret}", **HERE)
    everything = str([rows(url, table) for table in ("chat_memory_events", "chat_session_memory")])
    assert secret not in everything
    assert "hunter2" not in everything


async def test_an_event_is_never_older_than_the_one_before(ledger: AsyncLedger, clock: FrozenClock) -> None:
    first = await ledger.set("note", 1, **HERE)
    clock.advance(timedelta(hours=-1))
    second = await ledger.set("note", 2, **HERE)
    assert first.event is not None
    assert second.event is not None
    assert second.event.created_at == first.event.created_at


@pytest.mark.parametrize("namespace", NAMESPACES)
async def test_sql_and_python_place_preferences_alike(ledger: AsyncLedger, url: str, namespace: Any) -> None:
    with psycopg.connect(url) as conn:
        for key in (
            "ui.x",
            "workflow.x",
            "ui/x",
            "workflow/y.z",
            "ui/",
            "baseline.x",
            "location.x",
            "constraint.x",
            "x",
            "uix",
            "preference.x",
        ):
            row = conn.execute("select ledger.preference_place(%s, %s)", [namespace, key]).fetchone()
            assert row is not None
            assert tuple(row[0]) == preference_place(namespace, key)
