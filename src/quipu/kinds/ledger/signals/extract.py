"""From reviews to signals: the one door of this room."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

import numpy as np
from anyio import to_thread

from quipu.errors import BadInput
from quipu.kernel.base.text import ELLIPSIS, clean
from quipu.kernel.embedding.embedder import Embedder, Vectors
from quipu.kernel.embedding.prototypes import Prototypes, embed, listed, prototypes
from quipu.kinds.ledger.signals.complaints import Verdict, judge
from quipu.kinds.ledger.signals.model import THEMES, Review, ReviewEvidence, ReviewSignals, Theme, ThemeScore
from quipu.kinds.ledger.signals.words import SentenceSpan, sentences

WINDOW_DAYS: Final = 90
"""The evidence window of the seed's origin."""

_LONGEST_WINDOW_DAYS: Final = 32_767  # a smallint of the seed
_EARLIEST_YEAR: Final = 1900
_PLEASED: Final = 4
"""From this rating on only words count: what is not said is not read into a kind review."""

NEAR_ENOUGH: Final = 0.35
MARGIN: Final = 0.0
"""A theme must be so much nearer than what complains of nothing.

It and the two limits beside it were tuned with all-MiniLM-L6-v2 (docs/decisions/review-signals.md); a model
that spreads its cosines otherwise answers more or less often.
"""

TONE: Final = 0.04
"""A sentence must lean so far from the mean of what complains of nothing to the mean of what complains."""

_MOST_ASKED: Final = 32
"""So many sentences of one review at most are left to the embedding."""

_DOMINANT_COUNT: Final = 2
_DOMINANT_SHARE: Final = 0.30

_BEST: Final = 5
_UNRATED: Final = 3.0
_HALVINGS: Final = 3
_LEAST: Final = 0.001

LONGEST: Final = 160
_WORD = re.compile(r"\S+")


def excerpt(text: str, start: int, end: int, *, focus: tuple[int, int]) -> str:
    """Return the sentence ``text[start:end]`` around its characters ``focus``: at most 160 characters.

    White space is collapsed, and an ellipsis marks what is left out. If the sentence is the whole text, the
    outermost word farther from the focus is left out; of a text of one word only an ellipsis is shown.
    """
    matches = list(_WORD.finditer(text, start, end))
    words = [match[0] for match in matches]
    inside = [i for i, w in enumerate(matches) if w.end() - start > focus[0] and w.start() - start < focus[1]]
    low, high = 0, len(words)
    if not text[:start].strip() and not text[end:].strip():
        if len(words) == 1:
            return ELLIPSIS
        low, high = (1, high) if inside and inside[0] > high - 1 - inside[-1] else (0, high - 1)
    centre = min(max(inside[0] if inside else 0, low), high - 1)
    first, last = _window(words, centre, low, high - 1)
    return _fitting(words, first, last)


def _window(words: Sequence[str], centre: int, low: int, high: int) -> tuple[int, int]:
    """Return the widest part around a word that fits, first and last word, growing to both sides in turn."""
    first = last = centre
    growing = True
    while growing:
        growing = False
        if last < high and _length(words, first, last + 1) <= LONGEST:
            last, growing = last + 1, True
        if first > low and _length(words, first - 1, last) <= LONGEST:
            first, growing = first - 1, True
    return first, last


def _length(words: Sequence[str], first: int, last: int) -> int:
    letters = sum(len(word) + 1 for word in words[first : last + 1]) - 1
    return letters + (first > 0) + (last < len(words) - 1)


def _fitting(words: Sequence[str], first: int, last: int) -> str:
    before = ELLIPSIS if first > 0 else ""
    after = ELLIPSIS if last < len(words) - 1 else ""
    line = before + " ".join(words[first : last + 1]) + after
    # A single word may be longer than an excerpt; only then is a word cut.
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + ELLIPSIS


def evidence_weight(
    rating: float | None, published_at: datetime, *, now: datetime, window_days: int
) -> float:
    """Return the weight of a complaint: 0.001 to 1, three decimals, as ``numeric(6,3)`` of the seed holds it.

    severity * freshness, where severity = (6 - rating) / 5, so 1 star is 1 and 5 stars are 0.2 (no rating
    counts as 3), and freshness = 0.5 ** (3 * age / window): it halves three times over the window, so 90
    days have a half-life of 30. The seed (section 2, table 8) has the column and its origin never filled
    it; window and precision are theirs, the formula is ours.
    """
    age = max(now - published_at, timedelta()) / timedelta(days=window_days)
    severity = (_BEST + 1 - (_UNRATED if rating is None else rating)) / _BEST
    return max(_LEAST, round(severity * 0.5 ** (_HALVINGS * age), 3))


@dataclass(frozen=True, slots=True)
class _Judged:
    """A sentence of a review and what its words say."""

    review: Review
    sentence: SentenceSpan
    verdict: Verdict


async def extract(
    reviews: Sequence[Review],
    embedder: Embedder,
    *,
    now: datetime,
    window_days: int = WINDOW_DAYS,
    clock: Callable[[], float] = time.monotonic,
) -> ReviewSignals:
    """Extract the complaints in reviews of the last ``window_days``, and the sentences that show them.

    The same reviews give the same signals in any order; a review given twice counts once (its newest form).
    A theme dominates with two pieces of evidence or more and 30 % of all: the rule of the seed's origin.
    ``clock``: seconds, monotonic. Raises ``BadInput`` naming the field, and ``EmbeddingError``.
    """
    begun = clock()
    _check(reviews, now, window_days)
    cleaned = [replace(review, text=clean(review.text).text) for review in reviews]
    sample = _distinct(
        review for review in cleaned if now - review.published_at <= timedelta(days=window_days)
    )
    judged = await to_thread.run_sync(_judge, sample)
    themes = await _ask(judged, embedder)
    evidence = await to_thread.run_sync(_evidence, judged, themes, now, window_days)
    scores: dict[Theme, ThemeScore] = {theme: _score(theme, evidence) for theme in THEMES}
    return ReviewSignals(
        scores=scores,
        dominant_theme=_dominant(scores, len(evidence)),
        themes_detected=_detected(scores),
        evidence=tuple(evidence),
        sample_count=len(sample),
        evidence_count=len(evidence),
        window_days=window_days,
        status="stale" if reviews and not sample else "ok",
        latency_ms=max(0, math.ceil((clock() - begun) * 1000)),
    )


def _check(reviews: Sequence[Review], now: datetime, window_days: int) -> None:
    if now.tzinfo is None:
        raise BadInput("needs a time zone.", field="now", hint="Give a time with a zone.")
    if not 1 <= window_days <= _LONGEST_WINDOW_DAYS:
        raise BadInput(f"must be 1 to {_LONGEST_WINDOW_DAYS}, not {window_days}.", field="window_days")
    for at, review in enumerate(reviews):
        _check_review(review, f"reviews[{at}]", now)


def _check_review(review: Review, field: str, now: datetime) -> None:
    if not any(character.isalnum() for character in review.text):
        raise BadInput("has no words.", field=f"{field}.text")
    if not review.place_id.strip():
        raise BadInput("is empty.", field=f"{field}.place_id")
    if review.rating is not None and not 1 <= review.rating <= 5:
        raise BadInput(f"must be 1 to 5 or None, not {review.rating}.", field=f"{field}.rating")
    if review.published_at.tzinfo is None:
        raise BadInput("needs a time zone.", field=f"{field}.published_at")
    if review.published_at.year < _EARLIEST_YEAR:
        raise BadInput(f"is before {_EARLIEST_YEAR}.", field=f"{field}.published_at")
    if review.published_at > now:
        raise BadInput("lies in the future.", field=f"{field}.published_at")


def _distinct(reviews: Iterable[Review]) -> list[Review]:
    """Return one review of each id, its newest form; newest first, whatever the order of the input."""
    by_age = sorted(
        reviews, key=lambda r: (r.published_at, r.text, r.rating or 0, r.place_id, r.review_id or "")
    )
    return list(reversed({review.id_hash: review for review in by_age}.values()))


def _judge(reviews: Sequence[Review]) -> list[_Judged]:
    return [_Judged(review, part, judge(part.text)) for review in reviews for part in sentences(review.text)]


async def _ask(judged: Sequence[_Judged], embedder: Embedder) -> dict[int, Theme]:
    """Ask the embedder for themes that words did not settle; return them by their place in ``judged``."""
    questions: list[int] = []
    of_review: dict[str, int] = {}
    for at, one in enumerate(judged):
        pleased = one.review.rating is not None and one.review.rating >= _PLEASED
        if one.verdict.settled or pleased or of_review.get(one.review.id_hash, 0) >= _MOST_ASKED:
            continue
        of_review[one.review.id_hash] = of_review.get(one.review.id_hash, 0) + 1
        questions.append(at)
    if not questions:
        return {}
    known = await theme_prototypes(embedder)
    vectors = await embed(embedder, [judged[at].sentence.text for at in questions])
    decided = zip(questions, decide(known, vectors), strict=True)
    return {at: theme for at, theme in decided if theme is not None}


async def theme_prototypes(embedder: Embedder) -> Prototypes:
    """Return ``prototypes.toml`` as the embedder sees it, made once. Raises ``EmbeddingError``."""
    return await prototypes("ledger", embedder, *listed(__file__, THEMES))


def decide(known: Prototypes, vectors: Vectors) -> list[Theme | None]:
    """Return the theme of each vector, for vectors (n, d); None if it seems to complain of nothing."""
    complains = np.array(known.places) < known.none
    tone = known.rows[complains].mean(axis=0) - known.rows[~complains].mean(axis=0)
    places = known.decide(vectors, near_enough=NEAR_ENOUGH, margin=MARGIN)
    leans = vectors @ tone >= TONE
    return [THEMES[p] if p is not None and yes else None for p, yes in zip(places, leans, strict=True)]


def _evidence(
    judged: Sequence[_Judged], themes: Mapping[int, Theme], now: datetime, window_days: int
) -> list[ReviewEvidence]:
    """Return one piece for each theme of each review, words before embedding; heaviest first, then newest."""
    shown: dict[tuple[str, Theme], ReviewEvidence] = {}
    for one in judged:
        for complaint in one.verdict.complaints:
            key = (one.review.id_hash, complaint.theme)
            if key not in shown:
                shown[key] = _shown(one, complaint.theme, (complaint.start, complaint.end), now, window_days)
    for at, theme in themes.items():
        one = judged[at]
        key = (one.review.id_hash, theme)
        if key not in shown:
            shown[key] = _shown(one, theme, (0, 0), now, window_days)
    return sorted(
        shown.values(),
        key=lambda e: (-e.weight, -e.published_at.timestamp(), e.review_id_hash, THEMES.index(e.theme)),
    )


def _shown(
    one: _Judged, theme: Theme, focus: tuple[int, int], now: datetime, window_days: int
) -> ReviewEvidence:
    review, sentence = one.review, one.sentence
    return ReviewEvidence(
        theme=theme,
        place_id=review.place_id,
        review_id_hash=review.id_hash,
        published_at=review.published_at,
        rating=review.rating,
        excerpt=excerpt(review.text, sentence.start, sentence.end, focus=focus),
        weight=evidence_weight(review.rating, review.published_at, now=now, window_days=window_days),
    )


def _score(theme: Theme, evidence: Sequence[ReviewEvidence]) -> ThemeScore:
    weights = [one.weight for one in evidence if one.theme == theme]
    return ThemeScore(len(weights), round(math.fsum(weights), 3))


def _detected(scores: Mapping[Theme, ThemeScore]) -> tuple[Theme, ...]:
    themes: list[Theme] = [theme for theme in THEMES if scores[theme].count]
    return tuple(sorted(themes, key=lambda theme: -scores[theme].weight))


def _dominant(scores: Mapping[Theme, ThemeScore], evidence_count: int) -> Theme | None:
    """Return the most frequent theme but ``other``, if frequent enough; the heavier in a tie."""
    theme = max(THEMES[:-1], key=lambda theme: (scores[theme].count, scores[theme].weight))
    count = scores[theme].count
    return theme if count >= max(_DOMINANT_COUNT, _DOMINANT_SHARE * evidence_count) else None
