"""Where words do not decide: the bundled model and the prototypes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from quipu.kernel.config import Settings
from quipu.kernel.embedding.choose import choose
from quipu.kernel.embedding.embedder import Embedder, Vectors
from quipu.kernel.embedding.hashing import HashEmbedder
from quipu.kernel.embedding.prefixes import Role
from quipu.kernel.embedding.prototypes import embed
from quipu.kinds.ledger.signals.complaints import judge
from quipu.kinds.ledger.signals.extract import decide, extract, theme_prototypes
from quipu.kinds.ledger.signals.model import THEMES, Review, ReviewSignals

NOW = datetime(2026, 3, 1, tzinfo=UTC)
UNSAID = "The hostess was busy, Instagram does not scroll itself."


@pytest.fixture
async def model() -> AsyncIterator[Embedder]:
    embedder = choose(Settings())
    yield embedder
    await embedder.aclose()


async def said_by(text: str, embedder: Embedder, *, rating: float | None) -> ReviewSignals:
    one = Review(text=text, rating=rating, published_at=NOW - timedelta(days=1), place_id="p")
    return await extract([one], embedder, now=NOW)


class Counting(HashEmbedder):
    """Remembers how many texts it was asked for at a time."""

    def __init__(self) -> None:
        super().__init__(dimensions=32)
        self.digest = "counting"
        self.asked: list[int] = []

    async def embed(self, texts: Sequence[str], *, role: Role = "passage") -> Vectors:
        self.asked.append(len(texts))
        return await super().embed(texts, role=role)


@pytest.mark.anyio
async def test_a_complaint_without_a_telling_word_is_found_by_what_it_is_near_to(model: Embedder) -> None:
    assert not judge(UNSAID).settled
    found = await said_by(f"We came on Sunday. {UNSAID}", model, rating=2)
    assert [(one.theme, one.excerpt) for one in found.evidence] == [("host_queue", UNSAID)]


@pytest.mark.anyio
async def test_nothing_is_read_into_a_kind_review(model: Embedder) -> None:
    assert (await said_by(UNSAID, model, rating=5)).evidence == ()


@pytest.mark.anyio
async def test_a_neutral_sentence_is_near_to_no_complaint(model: Embedder) -> None:
    known = await theme_prototypes(model)
    neutral = [
        "The museum is across the street.",
        "We ordered two teas and a scone.",
        "They are open on Monday.",
    ]
    assert not any(judge(text).settled for text in neutral)
    assert decide(known, await embed(model, neutral)) == [None, None, None]


@pytest.mark.anyio
async def test_every_theme_is_found_by_its_own_prototypes(model: Embedder) -> None:
    known = await theme_prototypes(model)
    found = decide(known, known.rows)
    for place, theme in enumerate(THEMES):
        own = [one for one, of in zip(found, known.places, strict=True) if of == place and one]
        assert own.count(theme) > len(own) / 2, theme


@pytest.mark.anyio
async def test_a_vector_without_direction_belongs_to_no_theme() -> None:
    known = await theme_prototypes(HashEmbedder())
    assert decide(known, np.zeros((2, 384), np.float32)) == [None, None]
    assert decide(known, np.empty((0, 384), np.float32)) == []


@pytest.mark.anyio
async def test_texts_are_asked_for_in_batches_and_prototypes_once() -> None:
    embedder = Counting()
    await embed(embedder, ["a"] * 600)
    assert embedder.asked == [256, 256, 88]
    embedder.asked.clear()
    await said_by(UNSAID, embedder, rating=None)
    await said_by(UNSAID, embedder, rating=None)
    assert embedder.asked[-2:] == [1, 1]
    assert len(embedder.asked) == 3


@pytest.mark.anyio
async def test_an_embedder_is_not_asked_when_words_decide() -> None:
    embedder = Counting()
    await said_by("The soup was bland.", embedder, rating=1)
    assert embedder.asked == []
