"""From reviews to signals."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import anyio
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from quipu.errors import BadInput
from quipu.kernel.embedding.hashing import HashEmbedder
from quipu.kinds.ledger.signals.extract import extract
from quipu.kinds.ledger.signals.model import THEMES, Review, ReviewSignals

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def review(text: str, *, rating: float | None = 2, days: float = 1, name: str | None = None) -> Review:
    return Review(
        text=text, rating=rating, published_at=NOW - timedelta(days=days), place_id="p1", review_id=name
    )


def ticking(*seconds: float) -> Callable[[], float]:
    moments = iter(seconds)
    return lambda: next(moments)


async def signals(reviews: Sequence[Review], *, window_days: int = 90) -> ReviewSignals:
    return await extract(
        reviews, HashEmbedder(), now=NOW, window_days=window_days, clock=ticking(5.0, 5.0121)
    )


REVIEWS = [
    review("Lovely room. We waited an hour for a table.", rating=1, days=2, name="a"),
    review("The wait was endless. Also overpriced.", rating=2, days=30, name="b"),
    review("Great food, quick service!", rating=5, days=3, name="c"),
    review("The soup was cold and bland.", rating=3, days=60, name="d"),
    review("Waited forty minutes to be seated.", rating=1, days=200, name="old"),
]


@pytest.mark.anyio
async def test_signals_count_weigh_and_name_what_dominates() -> None:
    found = await signals(REVIEWS)
    assert found.dominant_theme == "wait_time"
    assert found.themes_detected == ("wait_time", "value", "food_quality")
    assert (found.sample_count, found.evidence_count, found.window_days) == (4, 4, 90)
    assert tuple(found.scores) == THEMES
    assert found.scores["wait_time"].count == 2
    assert found.scores["wait_time"].weight == round(
        sum(one.weight for one in found.evidence if one.theme == "wait_time"), 3
    )
    assert found.scores_json()["kitchen_delay"] == {"count": 0, "weight": 0}
    assert (found.status, found.latency_ms) == ("ok", 13)


@pytest.mark.anyio
async def test_evidence_is_dated_rated_short_and_the_heaviest_first() -> None:
    found = await signals(REVIEWS)
    first = found.evidence[0]
    assert first.excerpt == "We waited an hour for a table."
    assert (first.theme, first.place_id, first.rating) == ("wait_time", "p1", 1)
    assert first.published_at == REVIEWS[0].published_at
    assert first.review_id_hash == REVIEWS[0].id_hash
    weights = [one.weight for one in found.evidence]
    assert weights == sorted(weights, reverse=True)


@pytest.mark.anyio
async def test_no_reviews_are_fine_and_only_old_ones_are_stale() -> None:
    none, old = await signals([]), await signals(REVIEWS[-1:])
    assert (none.status, none.sample_count, none.dominant_theme) == ("ok", 0, None)
    assert (old.status, old.sample_count, old.evidence_count) == ("stale", 0, 0)


@pytest.mark.anyio
async def test_one_complaint_or_a_small_share_does_not_dominate() -> None:
    assert (await signals(REVIEWS[3:4])).dominant_theme is None
    assert (await signals([review(f"Rude staff {i}.", name=str(i)) for i in range(9)])).dominant_theme is None
    crowd = [review(f"{what} {i}.", name=f"{what}{i}") for what in _FOUR for i in range(2)]
    assert (await signals(crowd)).dominant_theme is None


_FOUR = ("Overpriced", "Bland", "Slow service", "The hostess was rude")


@pytest.mark.anyio
async def test_a_review_given_twice_counts_once_in_its_newest_form() -> None:
    older = review("Overpriced and bland.", days=9, name="a")
    found = await signals([older, review("Bland, honestly.", days=1, name="a"), older])
    assert found.sample_count == 1
    assert found.themes_detected == ("food_quality",)


@pytest.mark.anyio
async def test_a_theme_counts_once_for_each_review() -> None:
    found = await signals([review("Bland soup. Stale bread. Burnt toast.")])
    assert found.scores["food_quality"].count == 1


@pytest.mark.anyio
async def test_what_postgresql_cannot_store_is_not_in_an_excerpt() -> None:
    (evidence,) = (await signals([review("Bland\0 soup\ud800 here. Bye.")])).evidence
    assert evidence.excerpt == "Bland\ufffd soup\ufffd here."


def test_the_hash_of_a_review_without_an_id_does_not_depend_on_the_zone() -> None:
    here = review("Bland.")
    there = replace(here, published_at=here.published_at.astimezone(timezone(timedelta(hours=5))))
    assert here.id_hash == there.id_hash
    assert len(here.id_hash) == 16
    assert here.id_hash != review("Bland!").id_hash


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("bad", "field"),
    [
        (review(" ... "), "reviews[1].text"),
        (review("Bland.", rating=0.9), "reviews[1].rating"),
        (review("Bland.", rating=5.1), "reviews[1].rating"),
        (review("Bland.", rating=float("nan")), "reviews[1].rating"),
        (review("Bland.", days=-1), "reviews[1].published_at"),
        (replace(review("Bland."), published_at=datetime(2026, 1, 1)), "reviews[1].published_at"),
        (replace(review("Bland."), published_at=datetime(1, 1, 1, tzinfo=UTC)), "reviews[1].published_at"),
        (replace(review("Bland."), place_id=" "), "reviews[1].place_id"),
    ],
)
async def test_bad_input_is_refused_by_field(bad: Review, field: str) -> None:
    with pytest.raises(BadInput) as refused:
        await signals([review("Fine."), bad])
    assert refused.value.field == field


@pytest.mark.anyio
async def test_a_moment_without_a_zone_and_an_impossible_window_are_refused() -> None:
    with pytest.raises(BadInput) as refused:
        await extract([], HashEmbedder(), now=datetime(2026, 1, 1))
    assert refused.value.field == "now"
    for days in (0, 32_768):
        with pytest.raises(BadInput) as refused:
            await signals([], window_days=days)
        assert refused.value.field == "window_days"


known = st.sampled_from(["slow", "service.", "bland", "not", "wait", "an hour", "food", "but"])
texts = st.one_of(
    st.text(min_size=1, max_size=200), st.lists(known, min_size=1, max_size=40).map(" ".join)
).filter(lambda text: any(character.isalnum() for character in text))
reviews_of_any_kind = st.lists(
    st.builds(
        Review,
        text=texts,
        rating=st.one_of(st.none(), st.floats(1, 5)),
        published_at=st.datetimes(datetime(2025, 10, 1), datetime(2026, 3, 1), timezones=st.just(UTC)),
        place_id=st.sampled_from(["p1", "p2"]),
        review_id=st.one_of(st.none(), st.sampled_from(["a", "b", "c"])),
    ),
    max_size=8,
)


@settings(max_examples=50)
@given(reviews_of_any_kind, st.integers())
@example(
    [
        Review(
            text="slow slow service.",
            rating=None,
            published_at=datetime(2025, 10, 1, tzinfo=UTC),
            place_id="p1",
        ),
        Review(
            text="slow slow service. 0",
            rating=None,
            published_at=datetime(2026, 1, 1, tzinfo=UTC),
            place_id="p1",
        ),
    ],
    0,
)
def test_the_order_of_the_reviews_does_not_matter(reviews: list[Review], seed: int) -> None:
    shuffled = random.Random(seed).sample(reviews, len(reviews))
    found = anyio.run(signals, reviews)
    assert found == anyio.run(signals, shuffled)
    assert found.evidence_count == len(found.evidence) == sum(score.count for score in found.scores.values())
    for shown in found.evidence:  # less than the body it was cut from; it may well be the whole of another
        assert len(shown.excerpt) <= 160
        assert any(one.id_hash == shown.review_id_hash and one.text != shown.excerpt for one in reviews)
    assert all(0 <= one.weight <= 999.999 for one in found.evidence)
