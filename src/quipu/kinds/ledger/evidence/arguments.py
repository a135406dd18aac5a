"""Checks of callers' arguments before anything is written, and JSON made fit to be stored: pure."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final, cast

from quipu.errors import BadInput
from quipu.kernel.base import scope, text
from quipu.kernel.base.scope import check_name, optional_name
from quipu.kernel.redact import redact
from quipu.kinds.ledger.evidence.model import ENTITIES, EVIDENCE_SOURCES, LONGEST_EXCERPT, EvidenceReference
from quipu.kinds.ledger.signals.model import THEMES, ReviewEvidence, Theme
from quipu.kinds.ledger.values import prepare, storable

LONGEST_TEXT: Final = 4_000
MOST_WHOLE: Final = 2**31 - 1
_MOST_WEIGHT: Final = 999.999
_MOST_IMPACT: Final = 9_999.99
_MOST_RATING: Final = 5
_AHEAD: Final = timedelta(days=1)


def object_of(field: str, value: object, *, secrets: bool) -> dict[str, Any]:
    """Return an object as JSON that can be stored; an empty one if none is given.

    Raises:
        BadInput: it is no object, or no JSON; the field is the path to the fault.
    """
    made = prepare({} if value is None else value, field=field, secrets=secrets).value
    if not isinstance(made, dict):
        raise BadInput("give an object: names and values.", field=field)
    return cast("dict[str, Any]", made)


def theme_named(field: str, value: object) -> Theme:
    """Return the theme that is meant: ``wait_time``, also written as "wait time" or "Wait-Time"."""
    if isinstance(value, str):
        value = re.sub(r"[\s_-]+", "_", value.strip().lower())
    return scope.one_of(field, value, THEMES)


def line(field: str, value: object, *, secrets: bool, longest: int = LONGEST_TEXT) -> str:
    """Return a text that is not blank and can be stored; ``secrets`` cuts secrets out."""
    if not isinstance(value, str) or not value.strip():
        raise BadInput("a text is needed.", field=field)
    if len(value) > longest:
        raise BadInput(f"it has {len(value):,} characters; {longest:,} are the most.", field=field)
    storable(value, field)
    return redact(value).text if secrets else value


def optional_line(field: str, value: object, *, secrets: bool) -> str | None:
    """Return a text that can be stored, or None if none is given; ``secrets`` cuts secrets out."""
    return None if value is None else line(field, value, secrets=secrets)


def optional_whole(field: str, value: object) -> int | None:
    """Return a whole number from 0 on, or None if none is given."""
    return None if value is None else scope.whole(field, value, least=0, most=MOST_WHOLE)


def number(field: str, value: object, *, least: float, most: float) -> float:
    """Return a finite number within bounds."""
    good = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not good or not least <= cast("float", value) <= most:
        raise BadInput(f"a number from {least:g} to {most:g}.", field=field)
    return cast("float", value)


def impact(value: object) -> float | None:
    """Return an impact score: up to 9,999.99 either way, to the hundredth."""
    return None if value is None else number("impact_score", value, least=-_MOST_IMPACT, most=_MOST_IMPACT)


def moment(field: str, value: object, *, now: datetime) -> datetime:
    """Return an aware time in UTC that is not in the future."""
    if not isinstance(value, datetime) or value.utcoffset() is None:
        raise BadInput("a time with a zone is needed.", field=field, hint="2026-05-04T00:00:00Z")
    if value > now + _AHEAD:
        raise BadInput(f"{value:%Y-%m-%d} is in the future.", field=field)
    return value.astimezone(UTC)


def optional_moment(field: str, value: object, *, now: datetime) -> datetime | None:
    """Return an aware time in UTC that is not in the future, or None if none is given."""
    return None if value is None else moment(field, value, now=now)


def time(field: str, value: object, *, now: datetime) -> datetime | None:
    """Return a time, also read from text, that is not in the future; None if none is given."""
    read = scope.moment(value, now=now) if isinstance(value, str) else None
    if isinstance(read, str):
        raise BadInput(read, field=field)
    return optional_moment(field, value if read is None else read.at, now=now)


def references(given: object, *, now: datetime, secrets: bool) -> list[EvidenceReference]:
    """Return evidence that may be stored, in the order given.

    Raises:
        BadInput: naming the piece and the field, such as ``evidence[2].published_at``.
    """
    if isinstance(given, Mapping | str | bytes) or not isinstance(given, Iterable):
        raise BadInput("give a list of references.", field="evidence")
    checked: list[EvidenceReference] = []
    for place, one in enumerate(cast("Iterable[object]", given)):
        reference = referring(one) if isinstance(one, ReviewEvidence) else one
        if not isinstance(reference, EvidenceReference):
            raise BadInput(f"{type(one).__name__} is no EvidenceReference.", field=f"evidence[{place}]")
        checked.append(_checked(reference, f"evidence[{place}]", now=now, secrets=secrets))
    return checked


def referring(evidence: ReviewEvidence) -> EvidenceReference:
    """Return evidence from a reading of reviews as a reference to the review."""
    return EvidenceReference(
        theme=evidence.theme,
        place_id=evidence.place_id,
        review_id_hash=evidence.review_id_hash,
        published_at=evidence.published_at,
        rating=evidence.rating,
        excerpt=evidence.excerpt,
        weight=evidence.weight,
    )


def _checked(reference: EvidenceReference, field: str, *, now: datetime, secrets: bool) -> EvidenceReference:
    source = scope.one_of(f"{field}.source", reference.source, EVIDENCE_SOURCES)
    place = optional_name(f"{field}.place_id", reference.place_id)
    published = optional_moment(f"{field}.published_at", reference.published_at, now=now)
    if source == "reviews":
        place = check_name(f"{field}.place_id", place)
        if published is None:
            raise BadInput("a review has a date.", field=f"{field}.published_at")
    rating, weight = reference.rating, reference.weight
    return replace(
        reference,
        theme=theme_named(f"{field}.theme", reference.theme),
        source=source,
        entity=scope.one_of(f"{field}.entity", reference.entity, ENTITIES),
        place_id=place,
        review_id_hash=optional_name(f"{field}.review_id_hash", reference.review_id_hash),
        published_at=published,
        rating=None if rating is None else number(f"{field}.rating", rating, least=0, most=_MOST_RATING),
        weight=None if weight is None else number(f"{field}.weight", weight, least=0, most=_MOST_WEIGHT),
        meta=object_of(f"{field}.meta", reference.meta, secrets=secrets),
        excerpt=_excerpt(f"{field}.excerpt", reference.excerpt, secrets=secrets),
    )


def _excerpt(field: str, value: str | None, *, secrets: bool) -> str | None:
    if value is None:
        return None
    # Secrets first: a cut through the middle of one would hide it from those who look for it.
    return text.excerpt(line(field, value, secrets=secrets, longest=1_000_000), LONGEST_EXCERPT)
