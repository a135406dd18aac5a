"""Checks of callers' arguments before anything is written, and JSON made fit to be stored: pure."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final, TypeAlias, TypeVar, cast

from quipu.errors import BadInput
from quipu.kernel.base import scope as moments
from quipu.kernel.base import text
from quipu.kernel.base.scope import check_name, optional_name
from quipu.kernel.redact import redact
from quipu.kinds.ledger.evidence.model import ENTITIES, EVIDENCE_SOURCES, LONGEST_EXCERPT, EvidenceReference
from quipu.kinds.ledger.signals.model import THEMES, ReviewEvidence, Theme

Word = TypeVar("Word", bound=str)

LONGEST_TEXT: Final = 4_000
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
MOST_WHOLE: Final = 2**31 - 1
_MOST_WEIGHT: Final = 999.999
_MOST_IMPACT: Final = 9_999.99
_MOST_RATING: Final = 5
_AHEAD: Final = timedelta(days=1)


Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"

LONGEST_BYTES: Final = 64 * 1024
DEEPEST: Final = 32
_NOT_IN_JSON: Final = re.compile("[\x00\ud800-\udfff]")


def document(field: str, value: object, *, secrets: bool, longest_bytes: int = LONGEST_BYTES) -> Json:
    """Return the value as JSON that can be stored; ``secrets`` cuts secrets out.

    Raises:
        BadInput: it is no JSON, or too long or too deep, or has a NUL in it; the field is the path to it,
            such as ``args.items.0.label``.
    """
    made = _made(field, value, secrets=secrets, depth=0)
    try:
        size = len(json.dumps(made, ensure_ascii=False).encode())
    except ValueError:  # longer in decimal than Python agrees to print
        raise BadInput("a number in it is too long.", field=field) from None
    if size > longest_bytes:
        raise BadInput(f"it has {size:,} bytes as JSON; {longest_bytes:,} are the most.", field=field)
    return made


def object_of(field: str, value: object, *, secrets: bool) -> dict[str, Json]:
    """Return an object as JSON that can be stored; an empty one if none is given."""
    made = document(field, {} if value is None else value, secrets=secrets)
    if not isinstance(made, dict):
        raise BadInput("give an object: names and values.", field=field)
    return made


def _made(path: str, value: object, *, secrets: bool, depth: int) -> Json:
    if depth > DEEPEST:
        raise BadInput(f"it is nested more than {DEEPEST} deep.", field=path.split(".", 1)[0])
    match value:
        case str():
            return _text(path, value, secrets=secrets)
        case float() if not math.isfinite(value):
            raise BadInput(f"{value} has no form in JSON.", field=path)
        case None | bool() | int() | float():
            return value
        case Mapping():
            return _object(path, cast("Mapping[object, object]", value), secrets=secrets, depth=depth)
        case Sequence() if not isinstance(value, bytes | bytearray | memoryview):
            items = enumerate(cast("Sequence[object]", value))
            return [_made(f"{path}.{at}", item, secrets=secrets, depth=depth + 1) for at, item in items]
        case _:
            raise BadInput(f"a {type(value).__name__} has no form in JSON.", field=path)


def _object(path: str, value: Mapping[object, object], *, secrets: bool, depth: int) -> dict[str, Json]:
    made: dict[str, Json] = {}
    for name, item in value.items():
        if not isinstance(name, str):
            raise BadInput(f"the name {name!r} of a value is no text.", field=path)
        inner = f"{path}.{name}"
        made[_text(path, name, secrets=secrets)] = _made(inner, item, secrets=secrets, depth=depth + 1)
    return made


def _text(path: str, value: str, *, secrets: bool) -> str:
    if _NOT_IN_JSON.search(value):
        raise BadInput("it has a NUL or half a character in it.", field=path)
    return redact(value).text if secrets else value


def one_of(field: str, value: object, words: Sequence[Word]) -> Word:
    """Return the word that ``value`` is.

    Raises:
        BadInput: it is none of them; the message lists them.
    """
    for word in words:
        if value == word:
            return word
    raise BadInput(f"{_shown(value)} is none of {', '.join(words)}.", field=field)


def theme_named(field: str, value: object) -> Theme:
    """Return the theme that is meant: ``wait_time``, also written as "wait time" or "Wait-Time"."""
    if isinstance(value, str):
        value = re.sub(r"[\s_-]+", "_", value.strip().lower())
    return one_of(field, value, THEMES)


def line(field: str, value: object, *, secrets: bool, longest: int = LONGEST_TEXT) -> str:
    """Return a text that is not blank and can be stored; ``secrets`` cuts secrets out."""
    if not isinstance(value, str) or not value.strip():
        raise BadInput("a text is needed.", field=field)
    if len(value) > longest:
        raise BadInput(f"it has {len(value):,} characters; {longest:,} are the most.", field=field)
    if _UNSTORABLE.search(value):
        raise BadInput("it has a NUL or half a character in it.", field=field)
    return redact(value).text if secrets else value


def optional_line(field: str, value: object, *, secrets: bool) -> str | None:
    """Return a text that can be stored, or None if none is given; ``secrets`` cuts secrets out."""
    return None if value is None else line(field, value, secrets=secrets)


def whole(field: str, value: object, *, most: int = MOST_WHOLE) -> int:
    """Return a whole number from 0 on."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise BadInput(f"{_shown(value)} is no whole number from 0 to {most:,}.", field=field)
    return value


def optional_whole(field: str, value: object) -> int | None:
    """Return a whole number from 0 on, or None if none is given."""
    return None if value is None else whole(field, value)


def number(field: str, value: object, *, least: float, most: float) -> float:
    """Return a finite number within bounds."""
    good = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not good or not least <= cast("float", value) <= most:
        raise BadInput(f"{_shown(value)} is no number from {least:g} to {most:g}.", field=field)
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
    read = moments.moment(value, now=now) if isinstance(value, str) else None
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
    found: list[EvidenceReference] = []
    for place, one in enumerate(cast("Iterable[object]", given)):
        reference = referring(one) if isinstance(one, ReviewEvidence) else one
        if not isinstance(reference, EvidenceReference):
            raise BadInput(f"{type(one).__name__} is no EvidenceReference.", field=f"evidence[{place}]")
        found.append(_checked(reference, f"evidence[{place}]", now=now, secrets=secrets))
    return found


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
    source = one_of(f"{field}.source", reference.source, EVIDENCE_SOURCES)
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
        entity=one_of(f"{field}.entity", reference.entity, ENTITIES),
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


def _shown(value: object) -> str:
    if isinstance(value, str | int | float | None):
        return repr(value)[:80]
    return f"a {type(value).__name__}"
