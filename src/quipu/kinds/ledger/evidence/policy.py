"""Policy of recommendations: how sure one may be, and which evidence it keeps. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, cast

from quipu.kinds.ledger.evidence.model import (
    CONFIDENCES,
    MOST_PIECES,
    Confidence,
    ConfidenceLimit,
    EvidenceReference,
    EvidenceSource,
    SourceStatus,
)
from quipu.kinds.ledger.model import Cap

STALE_AFTER_SECONDS: Final[Mapping[EvidenceSource, int]] = {
    "weather": 6 * 3600,
    "events": 24 * 3600,
    "closures": 12 * 3600,
    "reviews": 72 * 3600,
    "doe": 7 * 86_400,
}
"""From which age on what a source gave is stale: the alerts of the seed's origin."""

_ASSUMPTION: Final = "baselineAssumption"
_HEAD_COUNT: Final = "baseline.foh."
_SCOPE: Final = "baseline.scope"
_DEFAULT_SCOPE: Final = "baseline.default_scope"


@dataclass(frozen=True, slots=True)
class Baseline:
    """A baseline value that stands: ``assumed`` and ``cap`` as they were when it was set."""

    key: str
    value: object
    assumed: bool
    cap: Cap


@dataclass(frozen=True, slots=True)
class Conditions:
    """Conditions of a recommendation.

    ``status`` and ``freshness_seconds`` are of its source, in this turn. ``all_sources_down``: nothing could
    be asked. ``baselines`` are the baseline values of its session.
    """

    status: SourceStatus | None = None
    freshness_seconds: int | None = None
    all_sources_down: bool = False
    baselines: Sequence[Baseline] = ()


def joined(given: Conditions, known: Conditions) -> Conditions:
    """Join what the caller says of the source with what is known of the rest."""
    fresh = given.freshness_seconds
    return replace(
        known,
        status=given.status or known.status,
        freshness_seconds=known.freshness_seconds if fresh is None else fresh,
    )


def limits(source: EvidenceSource, location: str, conditions: Conditions) -> list[ConfidenceLimit]:
    """Return why a recommendation for ``location`` from ``source`` may not be surer, hardest limit first.

    The policy of the seed's origin: a source that is stale, failed or timed out leaves low; a baseline that
    is assumed for the location leaves medium at most (low where its cap says so); no source at all, low.
    """
    ceilings = list(_of_source(source, conditions))
    for baseline in conditions.baselines:
        if (baseline.assumed or baseline.cap != "none") and concerns(baseline, location):
            most: Confidence = "low" if baseline.cap == "low" else "medium"
            ceilings.append(ConfidenceLimit(most=most, because=f"{baseline.key} is assumed, not confirmed."))
    return sorted(ceilings, key=lambda limit: CONFIDENCES.index(limit.most))


def _of_source(source: EvidenceSource, conditions: Conditions) -> Iterable[ConfidenceLimit]:
    if conditions.all_sources_down:
        yield ConfidenceLimit(most="low", because="Every source was down.")
    match conditions.status:
        case "error":
            yield ConfidenceLimit(most="low", because=f"The source {source} failed.")
        case "timeout":
            yield ConfidenceLimit(most="low", because=f"The source {source} did not answer in time.")
        case "stale":
            yield ConfidenceLimit(most="low", because=f"What the source {source} gave is stale.")
        case "ok" | None:
            if is_stale(source, conditions.freshness_seconds):
                yield ConfidenceLimit(most="low", because=f"What the source {source} gave is stale.")


def is_stale(source: EvidenceSource, freshness_seconds: int | None) -> bool:
    """Return True if what a source gave is too old; False for an unknown age."""
    after = STALE_AFTER_SECONDS.get(source)
    return after is not None and freshness_seconds is not None and freshness_seconds > after


def clamp(wanted: Confidence, ceilings: Iterable[ConfidenceLimit]) -> Confidence:
    """Return the confidence that was asked for, or less if a limit says so."""
    possible: list[Confidence] = [wanted, *(limit.most for limit in ceilings)]
    return min(possible, key=CONFIDENCES.index)


def concerns(baseline: Baseline, location: str) -> bool:
    """Return True if a baseline value is about a location.

    ``baseline.foh.{locationLabel}.{daypart}`` (or without a daypart) is about its own; the scope is about
    all, or about the one that its value names.
    """
    if baseline.key in {_SCOPE, _DEFAULT_SCOPE}:
        named = _part(baseline.value, "locationLabel")
        return named is None or named == location
    if not baseline.key.startswith(_HEAD_COUNT):
        return False
    label = baseline.key.removeprefix(_HEAD_COUNT)
    return location in {label, label.rpartition(".")[0]}


def explained(
    explanation: Mapping[str, object], conditions: Conditions, location: str
) -> Mapping[str, object]:
    """Add the assumption behind the recommendation to its explanation, unless it is there."""
    assumed = [b for b in conditions.baselines if b.assumed and concerns(b, location)]
    if not assumed or _ASSUMPTION in explanation:
        return explanation
    return {_ASSUMPTION: "; ".join(map(_told, assumed)), **explanation}


def _told(baseline: Baseline) -> str:
    words = _part(baseline.value, "assumption")
    return words or f"{baseline.key} = {json.dumps(baseline.value, ensure_ascii=False)}"


def _part(value: object, name: str) -> str | None:
    """Return a text inside a value, if it has one of that name."""
    if not isinstance(value, Mapping):
        return None
    text = cast("Mapping[str, object]", value).get(name)
    return text if isinstance(text, str) and text else None


def ranked(references: Iterable[EvidenceReference]) -> list[EvidenceReference]:
    """Return at most ten references, heaviest first, then newest; ties keep the order given."""
    return sorted(references, key=_heaviest_first)[:MOST_PIECES]


def _heaviest_first(reference: EvidenceReference) -> tuple[float, float]:
    published = reference.published_at
    return -(reference.weight or 0), -(published.timestamp() if published else float("-inf"))
