"""How sure a recommendation may be, and which evidence it keeps."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.kinds.ledger.evidence.model import (
    CONFIDENCES,
    SOURCE_STATUSES,
    Confidence,
    EvidenceReference,
    EvidenceSource,
    SourceStatus,
)
from quipu.kinds.ledger.evidence.policy import (
    STALE_AFTER_SECONDS,
    Baseline,
    Conditions,
    clamp,
    concerns,
    explained,
    joined,
    limits,
    ranked,
)

ASSUMED = Baseline("baseline.foh.Lisbon.dinner", {"value": 4}, assumed=True, cap="medium")
SAID = Baseline("baseline.foh.Lisbon.dinner", {"value": 4}, assumed=False, cap="none")
MAY = datetime(2026, 5, 4, tzinfo=UTC)


def confidence(
    asked: Confidence, conditions: Conditions, *, source: EvidenceSource = "events", location: str = "Lisbon"
) -> Confidence:
    return clamp(asked, limits(source, location, conditions))


def test_nothing_known_against_it_leaves_the_confidence_as_asked() -> None:
    for asked in CONFIDENCES:
        assert confidence(asked, Conditions()) == asked
        assert confidence(asked, Conditions("ok", 60, baselines=[SAID])) == asked


@pytest.mark.parametrize("status", ["stale", "error", "timeout"])
def test_a_source_that_is_stale_or_failed_leaves_low(status: SourceStatus) -> None:
    for asked in CONFIDENCES:
        assert confidence(asked, Conditions(status)) == "low"


@pytest.mark.parametrize("source", STALE_AFTER_SECONDS)
def test_a_source_is_stale_a_second_after_its_time(source: EvidenceSource) -> None:
    limit = STALE_AFTER_SECONDS[source]
    assert confidence("high", Conditions("ok", limit), source=source) == "high"
    assert confidence("high", Conditions("ok", limit + 1), source=source) == "low"
    assert confidence("high", Conditions(None, limit + 1), source=source) == "low"


def test_the_system_itself_does_not_age() -> None:
    assert confidence("high", Conditions("ok", 10**9), source="system") == "high"


def test_an_assumed_baseline_leaves_medium_at_most() -> None:
    assert confidence("high", Conditions(baselines=[ASSUMED])) == "medium"
    assert confidence("medium", Conditions(baselines=[ASSUMED])) == "medium"
    assert confidence("low", Conditions(baselines=[ASSUMED])) == "low"


def test_a_baseline_that_caps_at_low_leaves_low() -> None:
    low = Baseline("baseline.foh.Lisbon.dinner", {"value": 4}, assumed=True, cap="low")
    assert confidence("high", Conditions(baselines=[ASSUMED, low])) == "low"


def test_an_assumption_about_another_place_changes_nothing() -> None:
    assert confidence("high", Conditions(baselines=[ASSUMED]), location="Porto") == "high"


def test_every_source_down_leaves_low() -> None:
    assert confidence("high", Conditions("ok", all_sources_down=True)) == "low"


@pytest.mark.parametrize(
    ("key", "value", "location", "expected"),
    [
        ("baseline.foh.Lisbon.dinner", {"value": 4}, "Lisbon", True),
        ("baseline.foh.Lisbon", {"value": 4}, "Lisbon", True),
        ("baseline.foh.St. Mary's.lunch", {"value": 4}, "St. Mary's", True),
        ("baseline.foh.Lisbon Docks.dinner", {"value": 4}, "Lisbon", False),
        ("baseline.foh.Lisbon.dinner", {"value": 4}, "Lis", False),
        ("baseline.scope", {"value": "all"}, "Lisbon", True),
        ("baseline.scope", {"value": "single", "locationLabel": "Lisbon"}, "Lisbon", True),
        ("baseline.scope", {"value": "single", "locationLabel": "Porto"}, "Lisbon", False),
        ("baseline.scope", "all", "Lisbon", True),
        ("baseline.hours", {"value": 4}, "Lisbon", False),
    ],
)
def test_a_baseline_concerns_the_place_in_its_key_or_value(
    key: str, value: object, location: str, expected: bool
) -> None:
    assert concerns(Baseline(key, value, assumed=True, cap="medium"), location) is expected


@given(
    asked=st.sampled_from(CONFIDENCES),
    status=st.none() | st.sampled_from(SOURCE_STATUSES),
    freshness=st.none() | st.integers(0, 10**7),
    baselines=st.lists(st.sampled_from([ASSUMED, SAID]), max_size=3),
    down=st.booleans(),
)
def test_the_policy_only_ever_lowers_and_says_why(
    asked: Confidence,
    status: SourceStatus | None,
    freshness: int | None,
    baselines: list[Baseline],
    down: bool,
) -> None:
    found = limits("weather", "Lisbon", Conditions(status, freshness, down, baselines))
    got = clamp(asked, found)
    assert CONFIDENCES.index(got) <= CONFIDENCES.index(asked)
    assert got == asked or found[0].most == got
    assert all(limit.because.endswith(".") for limit in found)


def test_what_the_caller_says_of_the_source_comes_before_what_is_known_of_it() -> None:
    known = Conditions("error", 9_999, all_sources_down=True, baselines=[ASSUMED])
    assert joined(Conditions(), known) == known
    assert joined(Conditions("ok", 0), known) == Conditions("ok", 0, True, [ASSUMED])
    assert joined(Conditions(freshness_seconds=5), known).status == "error"


def test_the_assumption_is_named_in_the_explanation_unless_it_is_already() -> None:
    told = Baseline("baseline.foh.Lisbon", {"assumption": "the usual team"}, assumed=True, cap="medium")
    under = Conditions(baselines=[told])
    assert explained({"why": ["rain"]}, under, "Lisbon") == {
        "why": ["rain"],
        "baselineAssumption": "the usual team",
    }
    assert explained({"baselineAssumption": "mine"}, under, "Lisbon") == {"baselineAssumption": "mine"}
    assert explained({}, under, "Porto") == {}
    assert explained({}, Conditions(baselines=[ASSUMED]), "Lisbon") == {
        "baselineAssumption": 'baseline.foh.Lisbon.dinner = {"value": 4}'
    }


def test_the_heaviest_evidence_ranks_first_then_the_newest_whatever_the_order() -> None:
    heavy = EvidenceReference(weight=0.9, published_at=MAY.replace(day=1))
    new = EvidenceReference(weight=0.5, published_at=MAY)
    old = EvidenceReference(weight=0.5, published_at=MAY.replace(year=2025))
    undated = EvidenceReference(weight=0.5)
    bare = EvidenceReference()
    for order in permutations([heavy, new, old, undated, bare]):
        assert ranked(order) == [heavy, new, old, undated, bare]


@given(st.lists(st.floats(0, 999), max_size=25))
def test_ten_pieces_are_kept_and_none_that_is_left_out_is_heavier(weights: list[float]) -> None:
    kept = ranked(EvidenceReference(weight=weight) for weight in weights)
    assert len(kept) == min(10, len(weights))
    assert [reference.weight for reference in kept] == sorted(weights, reverse=True)[:10]
