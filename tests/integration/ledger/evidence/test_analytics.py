"""The views that answer how the agent works, without a word of what was said."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from quipu.kernel.base.clock import FrozenClock
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database, owner
from quipu.kinds.ledger.evidence.evidence import AsyncEvidence
from quipu.kinds.ledger.evidence.model import EvidenceReference
from quipu.kinds.ledger.evidence.policy import STALE_AFTER_SECONDS
from quipu.kinds.ledger.evidence.trace import AsyncTrace
from quipu.kinds.ledger.ledger import AsyncLedger
from quipu.recall.generations import Models

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
DAY = NOW.date()
WHERE: dict[str, Any] = {"space": "cafe", "session": "s-1"}
VIEWS = {
    "evidence_coverage",
    "evidence_recency",
    "assumption_friction",
    "source_reliability",
    "source_recency",
    "first_insight",
}

# The columns that a view reads, as the database keeps them with the view.
READ = """
select distinct v.relname::text as view, t.relname::text || '.' || a.attname::text as column
from pg_class v
    join pg_rewrite r on r.ev_class = v.oid
    join pg_depend d on d.objid = r.oid and d.refclassid = 'pg_class'::regclass and d.refobjsubid > 0
    join pg_class t on t.oid = d.refobjid and t.oid <> v.oid
    join pg_attribute a on a.attrelid = t.oid and a.attnum = d.refobjsubid
where v.relkind = 'v' and v.relnamespace = 'ledger'::regnamespace and v.relname = any(%s)
"""
# Two values are compared, and neither is shown: whether an assumption was found right.
COMPARED = {"chat_memory_events.old_value_json", "chat_memory_events.new_value_json"}
SAYS_SOMETHING = {
    "content", "content_text", "excerpt", "query_text", "reason", "response_text", "action", "args_json",
    "result_json", "explanation_json", "meta", "error_message", "value_json", "old_value_json",
    "new_value_json",
}  # fmt: skip


async def seen(database: Database, view: str, space: str = "cafe") -> list[dict[str, Any]]:
    async with database.transaction(space) as tx:
        assert tx is not None
        cursor = await tx.conn.execute(f"select * from ledger.{view} order by day, 3, 4".encode())
        names = [column.name for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in await cursor.fetchall()]


async def test_no_view_reads_what_was_said_found_or_answered(database: Database) -> None:
    async with owner(database.url, Settings()) as conn:
        rows = await (await conn.execute(READ.encode(), [list(VIEWS)])).fetchall()
    assert {view for view, _ in rows} == VIEWS
    telling = {column for _, column in rows if column.split(".")[1] in SAYS_SOMETHING}
    assert telling <= COMPARED
    assert telling == COMPARED  # else the test reads the wrong catalogue


async def test_coverage_counts_recommendations_by_day_source_and_rules(
    recommendations: AsyncEvidence, database: Database, clock: FrozenClock
) -> None:
    review = EvidenceReference(
        place_id="p1", published_at=NOW - timedelta(days=4), theme="wait_time", excerpt="Slow."
    )
    advice: dict[str, Any] = {
        **WHERE,
        "location": "Lisbon",
        "time_window": "Friday",
        "source": "reviews",
        "rule_version": "v1",
    }
    await recommendations.recommend("Add one.", **advice, confidence="medium", evidence=[review, review])
    await recommendations.recommend("Add two.", **advice, confidence="low")
    clock.advance(timedelta(days=1))
    await recommendations.recommend("Add none.", **{**advice, "source": "weather"}, confidence="high")
    first, second = await seen(database, "evidence_coverage")
    assert (first["day"], first["source_name"], first["recommendations"]) == (DAY, "reviews", 2)
    assert (first["review_backed"], first["evidence"], first["coverage"]) == (1, 2, Decimal("0.500"))
    assert (first["medium"], first["low"], first["high"]) == (1, 1, 0)
    assert (second["source_name"], second["coverage"]) == ("weather", 0)
    recent = (await seen(database, "evidence_recency"))[0]
    assert (recent["theme"], recent["reviews"], recent["median_age_days"]) == ("wait_time", 2, 4)


async def test_friction_is_corrections_for_each_assumption(ledger: AsyncLedger, database: Database) -> None:
    for place in ("Lisbon", "Porto", "Faro", "Braga"):
        await ledger.assume(f"baseline.foh.{place}.dinner", {"value": 4}, **WHERE)
    await ledger.set("baseline.foh.Lisbon.dinner", {"value": 6}, **WHERE)
    await ledger.set("baseline.foh.Porto.dinner", {"value": 4}, **WHERE)  # as assumed
    await ledger.assume("baseline.scope", {"value": "all"}, **WHERE)
    scope, value = await seen(database, "assumption_friction")
    assert (scope["assumption_type"], scope["assumed"], scope["friction"]) == ("baseline_scope", 1, 0)
    assert (value["assumption_type"], value["assumed"]) == ("baseline_value", 4)
    assert (value["corrected"], value["confirmed"], value["friction"]) == (1, 1, Decimal("0.250"))


async def test_reliability_and_recency_of_sources(
    ledger: AsyncLedger, database: Database, settings: Settings, clock: FrozenClock
) -> None:
    del ledger  # which has made the session
    async with Models.open(database, settings) as models:
        trace = AsyncTrace(database, models, clock=clock, redact=True)
        for latency, status in ((100, "ok"), (200, "ok"), (900, "timeout"), (300, "stale")):
            await trace.tool_call("w", **WHERE, source="weather", latency_ms=latency, status=status)  # pyright: ignore[reportArgumentType]
        await trace.tool_call("grep", **WHERE, latency_ms=1)
        await trace.signal_run(None, **WHERE, place="p1", status="error", latency_ms=5)
        await trace.source_run("doe", space="cafe", started_at=NOW, finished_at=NOW, latest_record_at=NOW)
        await trace.fallback("timeout", **WHERE, reason="slow", response="Later.")
    rows = {row["source_name"]: row for row in await seen(database, "source_reliability")}
    assert set(rows) == {"weather", "reviews", "doe"}
    weather = rows["weather"]
    assert (weather["runs"], weather["ok"], weather["stale"], weather["timeout"]) == (4, 2, 1, 1)
    assert (weather["p50_latency_ms"], weather["p95_latency_ms"]) == (200, 900)
    assert weather["reliability"] == Decimal("0.500")
    assert (rows["reviews"]["asked_by"], rows["reviews"]["reliability"]) == ("signal_run", 0)
    async with database.transaction("cafe") as tx:
        assert tx is not None
        recency = await tx.conn.execute(
            "select source_name, latest_record_at, stale from ledger.source_recency order by 1"
        )
        # The frozen clock stands in the past of the database's, or in its future.
        old = datetime.now(UTC) - NOW
        assert await recency.fetchall() == [
            ("doe", NOW, old.total_seconds() > STALE_AFTER_SECONDS["doe"]),
            ("reviews", None, True),
            ("weather", NOW, old.total_seconds() > STALE_AFTER_SECONDS["weather"]),
        ]
        insight = await tx.conn.execute(
            "select sessions, with_fallback, fallback_rate from ledger.first_insight"
        )
        assert await insight.fetchall() == [(1, 1, Decimal("1.000"))]


async def test_the_views_and_the_policy_know_the_same_times(
    ledger: AsyncLedger, database: Database, clock: FrozenClock
) -> None:
    del ledger
    async with database.write("cafe") as tx:
        for source in STALE_AFTER_SECONDS:
            await tx.conn.execute(
                "insert into ledger.source_runs (source_name, run_started_at, status) values (%s, %s, 'ok')",
                [source, clock.now()],
            )
        rows = await tx.conn.execute("select source_name, stale_after_seconds from ledger.source_recency")
        assert dict(await rows.fetchall()) == STALE_AFTER_SECONDS


async def test_each_space_sees_its_own_figures(ledger: AsyncLedger, database: Database) -> None:
    await ledger.assume("baseline.scope", {"value": "all"}, **WHERE)
    await ledger.open_session(space="bar", session="s-1")
    assert len(await seen(database, "assumption_friction")) == 1
    assert await seen(database, "assumption_friction", "bar") == []
