"""What sentences mean where no word says it: by the model that comes along, and by one without any."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest

from quipu.kernel.config import Settings
from quipu.kernel.embedding.choose import choose
from quipu.kernel.embedding.embedder import Embedder
from quipu.kernel.embedding.hashing import HashEmbedder
from quipu.kinds.episodes.building import emotion
from quipu.kinds.episodes.building.builders import RuleBuilder
from quipu.kinds.episodes.building.model import Material, Utterance
from quipu.kinds.episodes.building.prototypes import meaning
from quipu.kinds.episodes.chunking.chunkers import chunk
from quipu.kinds.episodes.chunking.model import Talk, Turn
from quipu.kinds.episodes.shapes import Condensed, Feelings

pytestmark = pytest.mark.anyio
THEN = datetime(2026, 3, 2, 10, tzinfo=UTC)


@pytest.fixture
async def embedder() -> AsyncIterator[Embedder]:
    made = choose(Settings())
    yield made
    await made.aclose()


async def built(embedder: Embedder, *texts: str) -> Condensed:
    """An episode of a user and an assistant who speak in turn, two messages an exchange."""
    said = [
        Utterance(
            id=n, role=("user", "assistant")[n % 2], speaker=None, text=text, at=THEN + timedelta(minutes=n)
        )
        for n, text in enumerate(texts)
    ]
    chunks = [
        chunk(Talk([Turn(None, one.text, one.role == "user") for one in said[n : n + 2]]))
        for n in range(0, len(said), 2)
    ]
    material = Material(utterances=said, chunks=chunks, topic="", ends=list(range(1, len(said), 2)))
    return await RuleBuilder().build(material, embedder)


PAGE = (
    "The page does not load, there is an error.",
    "Which message does the browser show?",
    "Server busy, but nobody else is on it. How can I repair this?",
    "Empty the cache and take the other address.",
)


async def test_how_it_ended_is_told_by_what_was_meant(embedder: Embedder) -> None:
    solved = await built(embedder, *PAGE, "The page loads normally now.", "Good to hear.")
    assert solved.outcome == "Solved. the user: The page loads normally now."
    failed = await built(embedder, *PAGE, "Unfortunately the same message comes up again.", "Strange.")
    assert failed.outcome == "Unsolved. the user: Unfortunately the same message comes up again."


async def test_only_what_was_to_be_solved_ends_so(embedder: Embedder) -> None:
    made = await built(
        embedder,
        "We played cards on the beach and watched a film.",
        "That sounds like fun.",
        "The bakery next door makes its bread without any yeast.",
        "Interesting, I like bread.",
    )
    assert not made.outcome.startswith(("Solved", "Unsolved"))


async def test_what_no_word_says_is_felt_faintly(embedder: Embedder) -> None:
    sad = await built(embedder, "Since the diagnosis I lie awake at night.", "I see.")
    assert (sad.emotion.valence, sad.emotion.intensity) == ("negative", "low")
    assert sad.salience_factors.emotional > 0
    calm = await built(embedder, "The museum has three floors and a courtyard.", "I see.")
    assert (calm.emotion.type, calm.salience_factors.emotional) == ("neutral", 0)


async def test_a_model_without_meaning_finds_neither() -> None:
    hashing = HashEmbedder()
    known = await meaning(hashing)
    texts = ["It works now.", "My grandfather died last night."]
    assert not known.knows
    assert known.endings(texts, await hashing.embed(texts)) == {}
    assert known.moods(texts, await hashing.embed(texts)) == {}


def test_what_words_say_counts_more_than_what_sentences_mean() -> None:
    angry, calm = Feelings(anger=8), Feelings()
    assert emotion.with_moods([angry, calm], [["joy"], []]) == [angry, calm]
    (faint,) = emotion.with_moods([calm], [["fear", "fear"]])
    assert (faint.fear, emotion.emotion([faint]).type) == (emotion.FAINT, "fear")
    assert emotion.with_moods([calm], [["joy", "sadness"]]) == [calm]
