"""Recommendations with their evidence, through the public methods, on a real database."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from cases import case

from quipu import AsyncMemory
from quipu.errors import BadInput, NotFound
from quipu.kernel.base.clock import FrozenClock
from quipu.kernel.db.database import Database
from quipu.kinds.ledger.evidence.evidence import AsyncEvidence
from quipu.kinds.ledger.evidence.model import EvidenceReference, Recommendation
from quipu.kinds.ledger.ledger import AsyncLedger
from quipu.kinds.ledger.model import Scope

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
SLOW = EvidenceReference(
    theme="wait_time",
    place_id="p1",
    review_id_hash="aa",
    published_at=NOW - timedelta(days=12, hours=1),
    rating=2.0,
    excerpt="We waited forty minutes for a table.",
    weight=0.6,
)
COLD = replace(SLOW, theme="kitchen_delay", review_id_hash="bb", published_at=NOW, weight=0.9, rating=1.0)
ADVICE: dict[str, Any] = {
    "space": "cafe",
    "session": "s-1",
    "location": "Lisbon",
    "time_window": "Friday 18:00 to 20:00",
    "confidence": "high",
    "source": "reviews",
}


async def advise(recommendations: AsyncEvidence, **changes: Any) -> Recommendation:
    return await recommendations.recommend("Add one person at the door.", **{**ADVICE, **changes})


async def believe(
    ledger: AsyncLedger,
    key: str,
    *,
    source: str,
    scope: Scope = "session",
    expires_at: datetime | None = None,
) -> None:
    """Set a baseline value in the session ``s-1`` of ``dana``, or assume it."""
    where: dict[str, Any] = {"space": "cafe", "session": "s-1", "user": "dana", "scope": scope}
    value = {"value": "all" if key.endswith("scope") else 4}
    if source == "assumed":
        await ledger.assume(key, value, **where, expires_at=expires_at)
    else:
        await ledger.set(key, value, source=source, **where, expires_at=expires_at)  # type: ignore[arg-type]


async def rows(database: Database, table: str, space: str = "cafe") -> int:
    async with database.transaction(space) as tx:
        assert tx is not None
        row = await (await tx.conn.execute(f"select count(*) from {table}".encode())).fetchone()
    assert row is not None
    return row[0]


async def test_a_recommendation_comes_back_as_it_was_written(recommendations: AsyncEvidence) -> None:
    made = await advise(
        recommendations,
        evidence=[SLOW, COLD],
        source_status="ok",
        freshness_seconds=60,
        rule_version="v1.1",
        impact_score=12.345,
        explanation={"why": ["Reviews complain of waiting."], "escalationTrigger": "a queue of ten"},
        meta={"card": "staffing"},
        message="a1",
    )
    assert (made.session, made.turn, made.location, made.confidence) == ("s-1", 2, "Lisbon", "high")
    assert (made.review_backed, made.evidence_count, made.recency_window_days) == (True, 2, 13)
    assert (made.freshness_seconds, made.rule_version, made.created_at) == (60, "v1.1", NOW)
    assert made.impact_score == pytest.approx(12.35, abs=0.006)
    assert made.explanation["escalationTrigger"] == "a queue of ten"
    assert made.meta == {"card": "staffing"}
    assert made.limits == ()
    assert await recommendations.get(made.id, space="cafe") == made
    assert await recommendations.list(space="cafe") == [made]


async def test_show_me_the_reviews(recommendations: AsyncEvidence) -> None:
    made = await advise(recommendations, evidence=[SLOW, COLD])
    shown = await recommendations.sources(made.id, space="cafe")
    assert [(piece.rank, piece.theme, piece.weight) for piece in shown.pieces] == [
        (1, "kitchen_delay", 0.9),
        (2, "wait_time", 0.6),
    ]
    slow = shown.pieces[1]
    assert (slow.published_at, slow.rating, slow.excerpt) == (SLOW.published_at, 2.0, SLOW.excerpt)
    assert shown.themes == {"kitchen_delay": 1, "wait_time": 1}
    assert (
        str(shown).splitlines()[1]
        == '2026-04-22, 2.0 stars, wait_time: "We waited forty minutes for a table."'
    )


async def test_evidence_of_a_theme_or_which_themes_have_any(recommendations: AsyncEvidence) -> None:
    made = await advise(recommendations, evidence=[SLOW, COLD])
    only = await recommendations.sources(made.id, space="cafe", theme="wait_time")
    assert [piece.theme for piece in only.pieces] == ["wait_time"]
    none = await recommendations.sources(made.id, space="cafe", theme="value")
    assert none.pieces == ()
    assert str(none) == "There is no evidence of value; there is of kitchen_delay (1), wait_time (1)."


async def test_evidence_is_found_by_session_and_by_place_and_a_review_shows_once(
    memory: AsyncMemory, recommendations: AsyncEvidence
) -> None:
    await memory.observe([{"content": "And in Porto?"}], space="cafe", session="s-2")
    porto = replace(SLOW, place_id="p2", review_id_hash="cc", published_at=NOW - timedelta(days=1))
    await advise(recommendations, evidence=[SLOW, COLD])
    await advise(recommendations, evidence=[SLOW])
    await advise(recommendations, session="s-2", location="Porto", evidence=[porto])

    async def found(**where: Any) -> list[str | None]:
        shown = await recommendations.search("wait_time", space="cafe", **where)
        assert shown.themes["wait_time"] == len(shown.pieces)
        return [piece.review_id_hash for piece in shown.pieces]

    assert await found() == ["cc", "aa"]
    assert await found(session="s-1") == ["aa"]
    assert await found(place="p2") == ["cc"]
    nothing = await recommendations.search("wait_time", space="cafe", session="s-1", place="p2")
    assert (nothing.pieces, nothing.themes) == ((), {})
    everything = await recommendations.search(space="cafe")
    assert everything.themes == {"wait_time": 2, "kitchen_delay": 1}
    assert [piece.theme for piece in everything.pieces] == ["kitchen_delay", "wait_time", "wait_time"]
    assert (await recommendations.search(space="cafe", limit=1)).themes == everything.themes


async def test_of_more_than_ten_pieces_the_heaviest_are_kept(recommendations: AsyncEvidence) -> None:
    pieces = [replace(SLOW, review_id_hash=f"r{n}", weight=n / 100) for n in range(25)]
    made = await advise(recommendations, evidence=pieces)
    shown = await recommendations.sources(made.id, space="cafe")
    assert (made.evidence_count, made.evidence_left_out) == (10, 15)
    assert await recommendations.get(made.id, space="cafe") == made
    assert [piece.review_id_hash for piece in shown.pieces] == [f"r{n}" for n in range(24, 14, -1)]
    assert [piece.rank for piece in shown.pieces] == list(range(1, 11))


async def test_without_evidence_nothing_is_claimed(recommendations: AsyncEvidence) -> None:
    made = await advise(recommendations)
    assert (made.review_backed, made.evidence_count, made.recency_window_days) == (False, 0, None)
    assert (await recommendations.sources(made.id, space="cafe")).pieces == ()


async def test_evidence_that_is_no_review_does_not_make_it_review_backed(
    recommendations: AsyncEvidence,
) -> None:
    rain = EvidenceReference(source="weather", entity="system", excerpt="Rain from six.", published_at=NOW)
    made = await advise(recommendations, source="weather", evidence=[rain])
    assert (made.review_backed, made.evidence_count, made.recency_window_days) == (False, 1, None)


@pytest.mark.parametrize("status", ["stale", "error", "timeout"])
async def test_a_source_that_failed_leaves_low_and_says_why(
    recommendations: AsyncEvidence, status: str
) -> None:
    made = await advise(recommendations, source_status=status)
    assert (made.asked_confidence, made.confidence) == ("high", "low")
    assert "reviews" in made.limits[0].because
    assert "quipu" not in made.meta


async def test_an_assumed_baseline_leaves_medium_until_it_is_confirmed(
    recommendations: AsyncEvidence, ledger: AsyncLedger
) -> None:
    await believe(ledger, "baseline.foh.Lisbon.dinner", source="assumed")
    made = await advise(recommendations)
    assert (made.confidence, made.limits[0].most) == ("medium", "medium")
    assert made.explanation["baselineAssumption"] == 'baseline.foh.Lisbon.dinner = {"value": 4}'
    assert (await advise(recommendations, location="Porto")).confidence == "high"
    await believe(ledger, "baseline.foh.Lisbon.dinner", source="explicit")
    assert (await advise(recommendations)).confidence == "high"


async def test_a_default_leaves_medium_until_it_is_confirmed(
    recommendations: AsyncEvidence, ledger: AsyncLedger
) -> None:
    await believe(ledger, "baseline.default_scope", source="default", scope="cross_session")
    made = await advise(recommendations)
    assert (made.confidence, made.limits[0].because) == (
        "medium",
        "baseline.default_scope is assumed, not confirmed.",
    )
    await believe(ledger, "baseline.scope", source="explicit")  # whoever has a scope needs no default one
    assert (await advise(recommendations)).confidence == "high"


async def test_what_the_person_prefers_fills_the_gaps_of_the_session(
    recommendations: AsyncEvidence, ledger: AsyncLedger
) -> None:
    await believe(ledger, "baseline.foh.Lisbon.dinner", source="assumed", scope="cross_session")
    assert (await advise(recommendations)).confidence == "medium"
    await believe(ledger, "baseline.foh.Lisbon.dinner", source="explicit")
    assert (await advise(recommendations)).confidence == "high"


async def test_an_assumption_that_expired_counts_no_more(
    recommendations: AsyncEvidence, ledger: AsyncLedger, clock: FrozenClock
) -> None:
    await believe(ledger, "baseline.foh.Lisbon.dinner", source="assumed", expires_at=NOW + timedelta(hours=1))
    assert (await advise(recommendations)).confidence == "medium"
    clock.advance(timedelta(hours=2))
    assert (await advise(recommendations)).confidence == "high"


BAD: list[Any] = [
    ("session", {"session": "s-9"}),
    ("space", {"space": " "}),
    ("turn", {"turn": 4}),
    ("turn", {"turn": -1}),
    ("message", {"message": "q9"}),
    ("confidence", {"confidence": "certain"}),
    ("source", {"source": "geocode"}),
    ("source_status", {"source_status": "fine"}),
    ("freshness_seconds", {"freshness_seconds": -1}),
    ("freshness_seconds", {"freshness_seconds": 2**31}),
    ("impact_score", {"impact_score": 10_000}),
    ("location", {"location": ""}),
    ("time_window", {"time_window": "a\0b"}),
    ("rule_version", {"rule_version": None}),
    ("explanation", {"explanation": ["why"]}),
    ("explanation.why.0", {"explanation": {"why": ["a\0b"]}}),
    ("meta", {"meta": {"a": "x" * 70_000}}),
    ("meta.quipu", {"meta": {"quipu": 1}}),
    ("evidence[1].rating", {"evidence": [SLOW, replace(SLOW, rating=6)]}),
    ("evidence[0].place_id", {"evidence": [replace(SLOW, place_id=None)]}),
]


async def test_bad_input_names_the_field_and_nothing_is_written(
    recommendations: AsyncEvidence, database: Database
) -> None:
    for field, changes in BAD:
        with case(field, changes):
            with pytest.raises(BadInput) as refused:
                await advise(recommendations, **changes)
            assert refused.value.field == field
            assert await rows(database, "ledger.chat_recommendations") == 0
            assert await rows(database, "ledger.chat_recommendation_evidence") == 0


async def test_a_space_that_is_not_there_is_not_made_by_a_refusal(
    recommendations: AsyncEvidence, database: Database
) -> None:
    with pytest.raises(BadInput, match=r"^session: "):
        await advise(recommendations, space="elsewhere")
    assert [space.name for space in await database.spaces()] == ["cafe"]


async def test_what_is_not_there_is_not_found(recommendations: AsyncEvidence) -> None:
    made = await advise(recommendations, evidence=[SLOW])
    for number, space in ((made.id + 1, "cafe"), (made.id, "elsewhere"), (2**63 - 1, "cafe")):
        with pytest.raises(NotFound, match="no recommendation"):
            await recommendations.sources(number, space=space)
        with pytest.raises(NotFound, match="no recommendation"):
            await recommendations.get(number, space=space)
    with pytest.raises(BadInput, match=r"^theme: "):
        await recommendations.search("parking", space="cafe")
    with pytest.raises(BadInput, match=r"^session: "):
        await recommendations.search("value", space="cafe", session="s-9")
    assert (await recommendations.search("value", space="elsewhere")).themes == {}


async def test_another_space_sees_nothing_of_it(memory: AsyncMemory, recommendations: AsyncEvidence) -> None:
    made = await advise(recommendations, evidence=[SLOW])
    await memory.observe([{"content": "Hello."}], space="bar", session="s-1")
    assert await recommendations.list(space="bar") == []
    assert (await recommendations.search(space="bar")).themes == {}
    assert (await recommendations.search(space="bar", session="s-1")).themes == {}
    with pytest.raises(NotFound):
        await recommendations.sources(made.id, space="bar")


async def test_recommendations_are_listed_by_session_the_latest_first(
    memory: AsyncMemory, recommendations: AsyncEvidence
) -> None:
    await memory.observe([{"content": "And in Porto?"}], space="cafe", session="s-2")
    first, second = await advise(recommendations), await advise(recommendations)
    other = await advise(recommendations, session="s-2")
    assert await recommendations.list(space="cafe") == [other, second, first]
    assert await recommendations.list(space="cafe", session="s-1", limit=1) == [second]
    assert await recommendations.list(space="cafe", session="s-1", offset=1) == [first]
    with pytest.raises(BadInput, match=r"^limit: "):
        await recommendations.list(space="cafe", limit=0)


async def test_secrets_are_cut_out_wherever_they_are(
    recommendations: AsyncEvidence, database: Database
) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    marked = replace(SLOW, excerpt=f"It said {token} here", meta={"note": token})
    made = await advise(
        recommendations, evidence=[marked], explanation={"why": [token]}, meta={"trace": {"key": token}}
    )
    shown = await recommendations.sources(made.id, space="cafe")
    assert token not in f"{made}{shown.pieces}"


async def test_evidence_is_recalled_with_its_session_and_goes_with_it(
    memory: AsyncMemory, recommendations: AsyncEvidence
) -> None:
    made = await advise(recommendations, evidence=[SLOW])
    piece = (await recommendations.sources(made.id, space="cafe")).pieces[0]
    hits = await memory.recall("How long did guests wait for a table?", space="cafe", kinds=["ledger"])
    assert [(hit.kind, hit.source.message, hit.source.session) for hit in hits] == [
        ("ledger", str(piece.id), "s-1")
    ]
    assert "forty minutes" in hits[0].text
    assert hits[0].happened_at == SLOW.published_at
    await memory.forget(space="cafe", session="s-1", confirm=True)
    assert await memory.recall("How long did guests wait for a table?", space="cafe") == []
    assert (await recommendations.search(space="cafe")).themes == {}
