"""``quipu evidence`` over a real database."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cli_process import CommandLine

from quipu import Memory
from quipu.kernel.config import Settings
from quipu.kinds.ledger.evidence.model import EvidenceReference, Recommendation

NOW = datetime.now(UTC)
SLOW = EvidenceReference(
    theme="wait_time",
    place_id="p1",
    review_id_hash="aa",
    published_at=NOW - timedelta(days=3, hours=1),
    rating=2.0,
    excerpt="We waited forty minutes \x1b[31mfor a table.",
    weight=0.6,
)


@pytest.fixture
def quipu(url: str, tmp_path: Path) -> CommandLine:
    return CommandLine(
        tmp_path, {"QUIPU_DATABASE_URL": url, "QUIPU_EMBEDDING_MODEL": "hashing", "QUIPU_SPACE": "cafe"}
    )


@pytest.fixture
def advice(settings: Settings) -> Recommendation:
    """A recommendation in the session ``s-1`` of the space ``cafe``, with one review."""
    with Memory(settings=settings) as memory:
        memory.ledger.open_session(space="cafe", session="s-1")
        return memory.evidence.recommend(
            "Add one person at the door.",
            space="cafe",
            session="s-1",
            location="Lisbon",
            time_window="Friday",
            confidence="high",
            source="reviews",
            source_status="stale",
            evidence=[SLOW],
        )


def test_recommendations_are_listed(quipu: CommandLine, advice: Recommendation) -> None:
    shown = quipu.text("evidence", "list")
    assert "Add one person" in shown
    assert "low (not high)" in shown
    assert "4 days" in shown
    listed = quipu.json("evidence", "list", "--session", "s-1")["items"]
    assert [one["id"] for one in listed] == [advice.id]
    assert listed[0]["limits"] == [{"most": "low", "because": "What the source reviews gave is stale."}]
    assert quipu.json("evidence", "list", "--session", "s-2")["items"] == []


def test_the_reviews_are_shown_with_what_limits_the_recommendation(
    quipu: CommandLine, advice: Recommendation
) -> None:
    assert "at most low: What the source reviews gave is stale." in quipu.text(
        "evidence", "get", str(advice.id)
    )
    shown = quipu.text("evidence", "sources", str(advice.id))
    assert "2.0 stars  wait_time  weight 0.600" in shown
    assert "We waited forty minutes" in shown
    assert "\x1b" not in shown
    piece = quipu.json("evidence", "sources", str(advice.id))["pieces"][0]
    assert (piece["rank"], piece["theme"], piece["rating"], piece["weight"]) == (1, "wait_time", 2.0, 0.6)


def test_a_theme_without_evidence_is_answered_with_those_that_have_some(
    quipu: CommandLine, advice: Recommendation
) -> None:
    of_it = ("sources", str(advice.id), "--theme")
    for asked in (of_it, ("search", "--session", "s-1"), ("search", "--place", "p1"), ("search",)):
        shown = quipu.text("evidence", *asked, "value")
        assert shown.endswith("There is no evidence of value; there is of wait_time (1).\n")
        assert "forty minutes" in quipu.text("evidence", *asked, "wait time")
    assert "forty minutes" in quipu.text("evidence", "search")


@pytest.mark.usefixtures("advice")
def test_themes_are_counted(quipu: CommandLine) -> None:
    assert quipu.json("evidence", "themes")["items"] == [{"theme": "wait_time", "count": 1}]
    assert quipu.text("evidence", "themes").split() == ["theme", "evidence", "wait_time", "1"]
    assert quipu.text("evidence", "themes", "--place", "p2") == "There is no evidence.\n"


@pytest.mark.usefixtures("advice")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["get", "99999"], "no recommendation 99999"),
        (["sources", "99999"], "no recommendation 99999"),
        (["search", "parking"], "theme: 'parking' is none of wait_time"),
        (["sources", "1", "--place", "p1"], "--place"),
        (["search", "--session", "s-9"], "session: "),
        (["list", "--limit", "0"], "0 is not in the range"),
    ],
)
def test_what_cannot_be_answered_is_said(quipu: CommandLine, arguments: list[str], said: str) -> None:
    done = quipu.run("evidence", *arguments)
    assert done.returncode != 0
    assert said in done.stderr
    assert done.stdout == ""


def test_evidence_beyond_what_is_kept_is_told(quipu: CommandLine, settings: Settings) -> None:
    with Memory(settings=settings) as memory:
        memory.ledger.open_session(space="cafe", session="s-1")
        memory.evidence.recommend(
            "Rest.",
            space="cafe",
            session="s-1",
            location="Lisbon",
            time_window="Friday",
            confidence="high",
            source="reviews",
            evidence=[replace(SLOW, review_id_hash=str(number)) for number in range(12)],
        )
    (listed,) = quipu.json("evidence", "list")["items"]
    assert (listed["evidence_count"], listed["evidence_left_out"]) == (10, 2)
