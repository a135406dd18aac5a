"""What tools and sources did, through the public methods, on a real database."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from cases import case

from quipu import AsyncMemory
from quipu.errors import BadInput, EmbeddingError
from quipu.kernel.base.clock import FrozenClock
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kernel.embedding.hashing import HashEmbedder
from quipu.kinds.ledger.evidence.evidence import AsyncEvidence
from quipu.kinds.ledger.evidence.trace import AsyncTrace
from quipu.kinds.ledger.signals.model import Review
from quipu.recall.generations import Models

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
WHERE: dict[str, Any] = {"space": "cafe", "session": "s-1"}
ADVICE: dict[str, Any] = {
    **WHERE,
    "location": "Lisbon",
    "time_window": "Friday",
    "confidence": "high",
    "source": "reviews",
}
REVIEWS = [
    Review(
        text=f"{text} The room was nice.",
        rating=2.0,
        published_at=NOW - timedelta(days=days),
        place_id="p1",
    )
    for days, text in enumerate([
        "We waited an hour for a table.",
        "The wait was endless.",
        "They took our name and we queued for forty minutes.",
    ])
]  # fmt: skip


@pytest.fixture
async def trace(
    recommendations: AsyncEvidence, database: Database, settings: Settings, clock: FrozenClock
) -> AsyncIterator[AsyncTrace]:
    """What writes down in the space ``cafe``, whose session ``s-1`` is at turn 2."""
    del recommendations  # which has made the session
    async with Models.open(database, settings) as models:
        yield AsyncTrace(database, models, clock=clock, redact=True)


async def all_of(database: Database, table: str) -> list[dict[str, Any]]:
    async with database.transaction("cafe") as tx:
        assert tx is not None
        found = await tx.conn.execute(f"select to_jsonb(t) from {table} t order by id".encode())
        return [row[0] for row in await found.fetchall()]


async def test_a_tool_call_is_kept_with_its_message_and_shows_in_the_view(
    trace: AsyncTrace, database: Database
) -> None:
    number = await trace.tool_call(
        "get_weather",
        **WHERE,
        source="weather",
        args={"city": "Lisbon"},
        result=[{"rain": 0.7}],
        latency_ms=120,
        freshness_seconds=60,
        message="a1",
    )
    row = (await all_of(database, "ledger.chat_tool_calls"))[0]
    assert (row["id"], row["turn_index"], row["tool_name"]) == (number, 2, "get_weather")
    assert (row["args_json"], row["result_json"]) == ({"city": "Lisbon"}, [{"rain": 0.7}])
    assert (row["status"], row["latency_ms"], row["source_freshness_seconds"]) == ("ok", 120, 60)


async def test_a_call_is_forgotten_with_the_message_that_made_it(
    memory: AsyncMemory, trace: AsyncTrace, database: Database
) -> None:
    await trace.tool_call("grep", **WHERE, latency_ms=1, message="a1")
    await trace.tool_call("grep", **WHERE, latency_ms=1)
    await memory.forget(space="cafe", message="a1", confirm=True)
    assert len(await all_of(database, "core.tool_calls")) == 1
    await memory.forget(space="cafe", session="s-1", confirm=True)
    assert await all_of(database, "core.tool_calls") == []


async def test_secrets_leave_a_call_before_it_is_kept(trace: AsyncTrace, database: Database) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    await trace.tool_call(
        "fetch", **WHERE, latency_ms=1, args={"headers": [f"Bearer {token}"]}, result={"echo": token}
    )
    assert token not in str(await all_of(database, "core.tool_calls"))


@pytest.mark.parametrize(
    ("call", "limit"),
    [
        ({"status": "error", "error_code": "HTTP 500"}, "failed"),
        ({"status": "timeout"}, "in time"),
        ({"status": "stale"}, "stale"),
        ({"freshness_seconds": 73 * 3600}, "stale"),
    ],
)
async def test_a_recommendation_knows_how_its_source_did_in_its_turn(
    trace: AsyncTrace, recommendations: AsyncEvidence, call: dict[str, Any], limit: str
) -> None:
    await trace.tool_call("get_reviews", **WHERE, source="reviews", latency_ms=5, turn=1, status="error")
    assert (await recommendations.recommend("Add one.", **ADVICE)).confidence == "high"  # another turn
    await trace.tool_call("get_reviews", **WHERE, source="reviews", latency_ms=5, **call)
    made = await recommendations.recommend("Add one.", **ADVICE)
    assert made.confidence == "low"
    assert limit in made.limits[0].because
    await trace.tool_call("get_reviews", **WHERE, source="reviews", latency_ms=5, freshness_seconds=30)
    made = await recommendations.recommend("Add one.", **ADVICE)  # the last call counts
    assert (made.confidence, made.freshness_seconds) == ("high", 30)


async def test_where_every_source_was_down_the_system_recommends_and_is_not_sure(
    trace: AsyncTrace, recommendations: AsyncEvidence, database: Database
) -> None:
    await trace.fallback(
        "all_sources_down",
        **WHERE,
        reason="No network.",
        response="I cannot look that up now.",
        sources_down=["weather", "reviews"],
    )
    made = await recommendations.recommend("Keep the usual team.", **ADVICE)
    assert (made.confidence, made.source) == ("low", "system")
    row = (await all_of(database, "ledger.chat_fallbacks"))[0]
    assert (row["fallback_type"], row["sources_down"]) == ("all_sources_down", ["weather", "reviews"])
    async with database.transaction("cafe") as tx:
        assert tx is not None
        fell = await tx.conn.execute("select had_fallback from ledger.chat_sessions where name = 's-1'")
        assert await fell.fetchone() == (True,)


async def test_reviews_are_read_kept_and_recommended_from(
    trace: AsyncTrace, recommendations: AsyncEvidence, database: Database
) -> None:
    reading = await trace.read_reviews(REVIEWS, **WHERE, place="p1", freshness_seconds=60)
    row = (await all_of(database, "ledger.chat_review_signal_runs"))[0]
    assert row["id"] == reading.run_id
    assert row["sample_review_count"] == len(REVIEWS)
    assert row["evidence_count"] == reading.signals.evidence_count == len(reading.evidence) >= 2
    assert row["latency_ms"] == reading.signals.latency_ms > 0
    assert "wait_time" in row["themes_detected"]
    assert row["signal_scores_json"]["wait_time"]["count"] >= 2
    made = await recommendations.recommend("Add one at the door.", **ADVICE, evidence=reading.evidence)
    assert (made.confidence, made.review_backed, made.evidence_count) == ("high", True, len(reading.evidence))
    shown = await recommendations.sources(made.id, space="cafe", theme="wait_time")
    assert shown.pieces
    bodies = {review.text for review in REVIEWS}
    assert not bodies & {piece.excerpt for piece in shown.pieces}


async def test_signals_are_evidence_as_they_are(trace: AsyncTrace, recommendations: AsyncEvidence) -> None:
    reading = await trace.read_reviews(REVIEWS, **WHERE, place="p1", entity="competitor")
    assert {one.entity for one in reading.evidence} == {"competitor"}
    made = await recommendations.recommend("Watch them.", **ADVICE, evidence=reading.signals.evidence)
    assert made.evidence_count == reading.signals.evidence_count


async def test_a_reading_that_fails_is_kept_as_one_that_failed(
    trace: AsyncTrace, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(self: HashEmbedder, texts: object) -> None:
        raise EmbeddingError("The model is gone.")

    monkeypatch.setattr(HashEmbedder, "embed", broken)
    monkeypatch.setattr("quipu.kernel.embedding.prototypes._made", {})
    unclear = [Review(text="Purple elephants sang.", rating=1.0, published_at=NOW, place_id="p1")]
    with pytest.raises(EmbeddingError):
        await trace.read_reviews(unclear, **WHERE, place="p1")
    row = (await all_of(database, "ledger.chat_review_signal_runs"))[0]
    assert (row["status"], row["error_code"], row["evidence_count"]) == ("error", "EmbeddingError", 0)


async def test_a_run_that_got_no_reviews_says_what_happened(trace: AsyncTrace, database: Database) -> None:
    await trace.signal_run(None, **WHERE, place="p1", status="timeout", latency_ms=800)
    row = (await all_of(database, "ledger.chat_review_signal_runs"))[0]
    assert (row["status"], row["latency_ms"], row["themes_detected"]) == ("timeout", 800, [])
    with pytest.raises(BadInput, match=r"^status: "):
        await trace.signal_run(None, **WHERE, place="p1")


async def test_a_look_up_of_a_competitor_says_what_came_of_it(trace: AsyncTrace) -> None:
    await trace.competitor_check("the ramen bar", **WHERE, status="not_found")
    await trace.competitor_check("Ramen Zen", **WHERE, status="resolved", place="p1", name="Ramen Zen")
    assert [check.outcome for check in await trace.competitor_checks(**WHERE)] == [
        "resolved_no_recent_reviews",
        "not_found",
    ]
    await trace.read_reviews(REVIEWS, **WHERE, place="p1", entity="competitor")
    latest = (await trace.competitor_checks(**WHERE))[0]
    assert (latest.outcome, latest.query, latest.turn) == ("resolved_with_reviews", "Ramen Zen", 2)


async def test_a_run_of_a_source_is_kept(trace: AsyncTrace, database: Database) -> None:
    await trace.source_run(
        "weather",
        space="cafe",
        started_at=NOW - timedelta(seconds=3),
        finished_at=NOW,
        status="partial",
        items=12,
        latest_record_at=NOW - timedelta(hours=1),
        error="two stations are silent",
    )
    row = (await all_of(database, "ledger.source_runs"))[0]
    assert (row["source_name"], row["status"], row["items_fetched"]) == ("weather", "partial", 12)


BAD: list[tuple[str, str, tuple[Any, ...], dict[str, Any]]] = [
    ("tool", "tool_call", ("",), {"latency_ms": 1}),
    ("latency_ms", "tool_call", ("grep",), {"latency_ms": -1}),
    ("args", "tool_call", ("grep",), {"latency_ms": 1, "args": [1]}),
    ("args.a", "tool_call", ("grep",), {"latency_ms": 1, "args": {"a": "\0"}}),
    ("result", "tool_call", ("grep",), {"latency_ms": 1, "result": object()}),
    ("source", "tool_call", ("grep",), {"latency_ms": 1, "source": "system"}),
    ("status", "tool_call", ("grep",), {"latency_ms": 1, "status": "fine"}),
    ("message", "tool_call", ("grep",), {"latency_ms": 1, "message": "q9"}),
    ("turn", "tool_call", ("grep",), {"latency_ms": 1, "turn": 9}),
    ("session", "tool_call", ("grep",), {"latency_ms": 1, "session": "s-9"}),
    ("query", "competitor_check", (" ",), {"status": "not_found"}),
    ("status", "competitor_check", ("Zen",), {"status": "ok"}),
    ("place", "competitor_check", ("Zen",), {"status": "resolved"}),
    ("kind", "fallback", ("bad_luck",), {"reason": "x", "response": "y"}),
    ("sources_down", "fallback", ("timeout",), {"reason": "x", "response": "y", "sources_down": ["moon"]}),
    ("reviews[0].place_id", "read_reviews", (REVIEWS,), {"place": "p2"}),
    ("entity", "signal_run", (None,), {"place": "p1", "status": "error", "entity": "system"}),
    ("window_days", "signal_run", (None,), {"place": "p1", "status": "error", "window_days": 40_000}),
    ("finished_at", "source_run", ("weather",), {"started_at": NOW, "finished_at": NOW - timedelta(days=1)}),
    ("started_at", "source_run", ("weather",), {"started_at": NOW + timedelta(days=9)}),
    ("source", "source_run", ("system",), {"started_at": NOW}),
]


async def test_bad_input_names_the_field_and_nothing_is_written(
    trace: AsyncTrace, database: Database
) -> None:
    for field, method, given, options in BAD:
        with case(field, method, given, options):
            where = {"space": "cafe"} if method == "source_run" else WHERE
            with pytest.raises(BadInput) as refused:
                await getattr(trace, method)(*given, **{**where, **options})
            assert refused.value.field == field
            for table in ("core.tool_calls", "ledger.chat_competitor_checks", "ledger.chat_fallbacks"):
                assert await all_of(database, table) == []
            for table in ("ledger.chat_review_signal_runs", "ledger.source_runs"):
                assert await all_of(database, table) == []
