"""What cannot be taken is refused with the name of the field, and the database stays as it was."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from cases import case
from psycopg import sql

from quipu import AsyncMemory
from quipu.errors import BadInput, QuipuError
from quipu.kinds.ledger.evidence.evidence import AsyncEvidence
from quipu.kinds.ledger.evidence.model import EvidenceReference
from quipu.kinds.ledger.ledger import AsyncLedger

pytestmark = pytest.mark.anyio

HERE: dict[str, Any] = {"space": "cafe", "session": "s-1"}
NEW: dict[str, Any] = {"space": "new", "user": "dana"}
DEEP: Any = 1
for _ in range(40):
    DEEP = [DEEP]
TABLES = (
    "select oid::regclass::text from pg_class where relkind = 'r'"
    " and relnamespace::regnamespace::text in ('core', 'ledger') order by 1"
)
WRITES = ("set", "assume", "correct", "expire", "delete")
# Arguments that no write takes -> the field that is named.
ALWAYS: list[tuple[dict[str, Any], str]] = [
    ({"key": ""}, "key"),
    ({"key": " note"}, "key"),
    ({"key": 7}, "key"),
    ({"key": "x" * 201}, "key"),
    ({"key": "a\0b"}, "key"),
    ({"key": "no;te"}, "key"),
    ({"key": "baseline.unheard"}, "key"),
    ({"namespace": "moods"}, "namespace"),
    ({"namespace": "baseline"}, "key"),
    ({"key": "baseline.scope", "namespace": "other"}, "namespace"),
    ({"space": ""}, "space"),
    ({"space": "a\0b"}, "space"),
    ({"space": None}, "space"),
    ({"space": "bar"}, "session"),
    ({"session": "of bar"}, "session"),
    ({"session": ""}, "session"),
    ({"session": "x" * 513}, "session"),
    ({"session": None}, "user"),
    ({"session": None, "scope": "session"}, "session"),
    ({"user": "a\0b"}, "user"),
    ({"scope": "world"}, "scope"),
    ({"scope": "cross_session"}, "user"),
    ({"turn": 4, "user": "dana"}, "turn"),
    ({"turn": -1}, "turn"),
    ({"turn": 1.0}, "turn"),
    ({"turn": True}, "turn"),
    ({"turn": 2**31}, "turn"),
    ({"reason": "a\0b"}, "reason"),
    ({"reason": "x" * 5000}, "reason"),
    ({"reason": 5}, "reason"),
    ({"actor": "\n"}, "actor"),
    ({"correlation_id": "x" * 513}, "correlation_id"),
]
VALUES: list[tuple[Any, str]] = [
    ("x" * 65_600, "value"),
    ({"big": ["é" * 33_000]}, "value"),
    ({"deep": {"er": "a\0b"}}, "value.deep.er"),
    ({"a\0b": 1}, "value"),
    (["ok", "\ud800"], "value.1"),
    (float("nan"), "value"),
    ([float("inf")], "value.0"),
    ({1: 2}, "value"),
    ({"at": object()}, "value.at"),
    (b"bytes", "value"),
    (DEEP, "value"),
]
SHAPES: list[tuple[str, Any, str]] = [
    ("baseline.scope", "all", "value"),
    ("baseline.scope", {}, "value.value"),
    ("baseline.scope", {"value": "none"}, "value.value"),
    ("baseline.scope", {"value": "all", "more": 1}, "value.more"),
    ("baseline.foh.Lisbon.dinner", {"value": "4"}, "value.value"),
    ("baseline.foh.Lisbon.dinner", {"value": -1}, "value.value"),
    ("baseline.foh.Lisbon.dinner", {"value": True}, "value.value"),
    ("locations.confirmed", {"items": "Lisbon"}, "value.items"),
    ("locations.confirmed", {"items": ["Lisbon", {"name": "Porto"}]}, "value.items.1.label"),
    ("assumption.last", [], "value"),
    ("ui.response_depth", {"value": "chatty"}, "value.value"),
    ("baseline.default_scope", {"value": "both"}, "value.value"),
    ("workflow.default_card", {"value": "weather"}, "value.value"),
]


def everything(url: str) -> dict[str, list[str]]:
    """Every row of every table of ours."""
    with psycopg.connect(url) as conn:
        return {
            name: sorted(
                row
                for (row,) in conn.execute(sql.SQL("select t::text from {} t").format(sql.SQL(name)))  # pyright: ignore[reportArgumentType]
            )
            for (name,) in conn.execute(TABLES.encode()).fetchall()
        }


@pytest.fixture
async def told(cafe: AsyncMemory, ledger: AsyncLedger, url: str) -> dict[str, list[str]]:
    """A space ``cafe`` with a session of nobody at turn 2 that knows a note; another space ``bar``."""
    await ledger.set("note", "as it was", **HERE)
    await cafe.observe([{"content": "Hello."}], space="bar", session="of bar")
    return everything(url)


async def call(ledger: AsyncLedger, method: str, given: dict[str, Any], value: Any = "new") -> Any:
    arguments = {"key": "note", **HERE, **given}
    key = arguments.pop("key")
    positional = (key,) if method in ("expire", "delete") else (key, value)
    return await getattr(ledger, method)(*positional, **arguments)


@pytest.mark.parametrize("method", WRITES)
async def test_no_write_takes_these_arguments(
    ledger: AsyncLedger, told: dict[str, list[str]], url: str, method: str
) -> None:
    for given, field in ALWAYS:
        with pytest.raises(BadInput) as refusal:
            await call(ledger, method, given)
        assert refusal.value.field == field, given
        assert field in str(refusal.value)
    assert everything(url) == told


@pytest.mark.parametrize("method", ["set", "assume", "correct"])
async def test_no_write_takes_these_values(
    ledger: AsyncLedger, told: dict[str, list[str]], url: str, method: str
) -> None:
    for value, field in VALUES:
        with pytest.raises(BadInput) as refusal:
            await call(ledger, method, {}, value)
        assert refusal.value.field == field, repr(value)[:80]
    for key, value, field in SHAPES:
        with pytest.raises(BadInput) as refusal:
            await call(ledger, method, {"key": key, "user": "dana"}, value)
        assert refusal.value.field == field, (key, value)
    assert everything(url) == told


NOT_THERE: list[Any] = [{"key": "nothing"}, {"key": "nothing", "user": "dana"}, {**NEW, "session": None}]


async def test_what_is_not_there_cannot_be_changed_and_leaves_no_mark(
    ledger: AsyncLedger, told: dict[str, list[str]], url: str
) -> None:
    for given in NOT_THERE:
        for method in ["correct", "expire", "delete"]:
            with case(given, method):
                with pytest.raises(BadInput) as refusal:
                    await call(ledger, method, given)
                assert refusal.value.field == "key"
                assert everything(url) == told


async def test_an_expiry_that_is_no_time_to_come_is_refused(
    ledger: AsyncLedger, told: dict[str, list[str]], url: str
) -> None:
    for expires_at in ["soon", "2001-01-01T00:00Z", 5, object()]:
        for method in ["set", "assume", "correct"]:
            with case(expires_at, method):
                with pytest.raises(BadInput) as refusal:
                    await call(ledger, method, {"expires_at": expires_at})
                assert refusal.value.field == "expires_at"
                assert everything(url) == told


async def test_the_other_methods_refuse_what_they_cannot_take(
    ledger: AsyncLedger, told: dict[str, list[str]], url: str
) -> None:
    refused: list[tuple[Any, str]] = [
        (ledger.set("note", 1, source="assumed", **HERE), "source"),  # type: ignore[arg-type]
        (ledger.set("note", 1, source="said", **HERE), "source"),  # type: ignore[arg-type]
        (ledger.assume("note", 1, cap="none", **HERE), "cap"),  # type: ignore[arg-type]
        (ledger.state(space="cafe"), "session"),
        (ledger.state(as_of="then", **HERE), "as_of"),
        (ledger.diff("then", "2026-01-01T00:00Z", **HERE), "since"),
        (ledger.history("", **HERE), "key"),
        (ledger.history("note", space="cafe"), "session"),
        (ledger.open_session(space="cafe", session="a\0b"), "session"),
        (ledger.open_session(space="cafe", card_type="menu"), "card_type"),  # type: ignore[arg-type]
        (ledger.open_session(space="cafe", location_count=4), "location_count"),
        (ledger.open_session(space="cafe", meta={"a": "b\0c"}), "meta.a"),
        (ledger.open_session(space="cafe", meta=[1]), "meta"),  # type: ignore[arg-type]
        (ledger.end_session("nowhere", space="cafe"), "session"),
        (ledger.end_session("s-1", space="cafe", status="over"), "status"),  # type: ignore[arg-type]
        (ledger.retention(space="", confirm=True), "space"),
    ]
    for act, field in refused:
        with pytest.raises(BadInput) as refusal:
            await act
        assert refusal.value.field == field
    assert everything(url) == told


async def test_no_event_of_another_space_and_none_that_never_was_can_be_undone(
    ledger: AsyncLedger, told: dict[str, list[str]], url: str
) -> None:
    (event,) = await ledger.history("note", **HERE)
    for number, space in (
        (event.id, "bar"),
        (event.id, "nowhere"),
        (10**12, "cafe"),
        (-1, "cafe"),
        (2**63, "cafe"),
    ):
        with pytest.raises(QuipuError, match="no event"):
            await ledger.undo(number, space=space)
    for wrong in ("1", 1.5, None, True):
        with pytest.raises(BadInput) as refusal:
            await ledger.undo(wrong, space="cafe")  # type: ignore[arg-type]
        assert refusal.value.field == "event_id"
    assert everything(url) == told


async def test_a_recommendation_that_cannot_be_taken_leaves_nothing(
    evidence: AsyncEvidence, told: dict[str, list[str]], url: str
) -> None:
    advice: dict[str, Any] = {
        **HERE,
        "location": "Lisbon",
        "time_window": "Friday",
        "confidence": "high",
        "source": "reviews",
    }
    undated = EvidenceReference(theme="wait_time", place_id="p")
    for given, field in [
        ({"session": "of bar"}, "session"),
        ({"turn": 4}, "turn"),
        ({"confidence": "sure"}, "confidence"),
        ({"evidence": [undated]}, "evidence[0].published_at"),
        ({"explanation": {"why": "a\0b"}}, "explanation.why"),
        ({"location": ""}, "location"),
    ]:
        with pytest.raises(BadInput) as refusal:
            await evidence.recommend("Open a second till.", **{**advice, **given})
        assert refusal.value.field == field, given
    assert everything(url) == told
