from __future__ import annotations

import asyncio
import itertools
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import cast

import numpy as np
import pytest
from patience import PATIENCE_SECONDS

from quipu.kernel.embedding.embedder import LocalEmbedder, Vectors
from quipu.kernel.embedding.runtime import Encoder
from quipu.kernel.embedding.stored import find_model

HERE = Path(__file__).parent
SENTENCES = (HERE / "sentences.txt").read_text("utf-8").splitlines()


def fresh(*, threads: int = 2, cached_texts: int = 2048) -> LocalEmbedder:
    model = find_model("all-MiniLM-L6-v2", home=Path("nowhere"))
    return LocalEmbedder(model, threads=threads, cached_texts=cached_texts)


def cosine(embedder: LocalEmbedder, one: str, other: str) -> float:
    return float(embedder.embed_now(one) @ embedder.embed_now(other))


def test_the_bundled_model_is_near_its_full_precision_original(bundled: LocalEmbedder) -> None:
    reference: Vectors = np.load(HERE / "fp32_vectors.npy").astype(np.float32)
    rows = np.stack([bundled.embed_now(sentence) for sentence in SENTENCES])
    cosines = (rows * reference).sum(axis=1)
    assert cosines.mean() >= 0.99
    assert cosines.min() >= 0.95


def test_it_ranks_as_its_full_precision_original_does(bundled: LocalEmbedder) -> None:
    """For nearly every sentence the nearest other one is the same, or as good as the same."""
    reference: Vectors = np.load(HERE / "fp32_vectors.npy").astype(np.float32)
    rows = np.stack([bundled.embed_now(sentence) for sentence in SENTENCES])
    exact = reference @ reference.T - 2 * np.eye(len(rows))
    chosen = (rows @ rows.T - 2 * np.eye(len(rows))).argmax(axis=1)
    lost = exact.max(axis=1) - exact[np.arange(len(rows)), chosen]
    assert (lost < 0.03).mean() >= 0.95


@pytest.mark.parametrize(
    ("text", "nearer", "farther"),
    [
        ("a cat sat", "the kitten was sitting", "stock prices fell"),
        ("Where does Ana live?", "Ana moved to Lisbon in May.", "The build takes eleven minutes."),
        (
            "How do I get into the production database?",
            "Use the bastion host and a read-only role.",
            "I like dogs.",
        ),
        ("my knee hurts", "the doctor says the leg needs rest", "flour, eggs and a pinch of salt"),
    ],
)
def test_what_means_nearly_the_same_lies_nearer(
    bundled: LocalEmbedder, text: str, nearer: str, farther: str
) -> None:
    assert cosine(bundled, text, nearer) > cosine(bundled, text, farther) + 0.1


async def test_vectors_are_the_same_from_every_thread_and_in_every_run() -> None:
    one, other = fresh(threads=1, cached_texts=0), fresh(threads=4, cached_texts=0)
    assert (await one.embed(SENTENCES) == await other.embed(SENTENCES)).all()


async def test_many_callers_at_once_get_their_own_vectors() -> None:
    embedder = fresh(cached_texts=0)
    expected = {sentence: embedder.embed_now(sentence) for sentence in SENTENCES[:30]}
    parts = [SENTENCES[start : start + 6] for start in range(0, 30, 6)] + [[text] for text in SENTENCES[:10]]
    answers = await asyncio.gather(*(embedder.embed(part) for part in parts))
    for part, rows in zip(parts, answers, strict=True):
        assert (rows == np.stack([expected[text] for text in part])).all()


def test_the_first_texts_may_come_from_several_threads() -> None:
    embedder = fresh()
    with ThreadPoolExecutor(6) as pool:
        rows = list(pool.map(embedder.embed_now, ["the first words"] * 6))
    assert all((row == rows[0]).all() for row in rows)


async def test_one_embedder_serves_several_event_loops() -> None:
    embedder = fresh()
    here = await embedder.embed(SENTENCES[:8])
    there = await asyncio.to_thread(lambda: asyncio.run(embedder.embed(SENTENCES[:8])))
    assert (here == there).all()


async def test_a_repeated_text_is_encoded_once() -> None:
    embedder = fresh()
    rows = await embedder.embed(["a cat"] * 400 + ["  a   cat "] * 100)
    assert (rows == rows[0]).all()
    assert len(embedder._readings["passage"].cache) == 1


async def test_a_returned_vector_can_be_changed_without_harm() -> None:
    embedder = fresh()
    for _ in range(2):
        rows = await embedder.embed(["a cat"])
        assert np.linalg.norm(rows) == pytest.approx(1, abs=1e-6)
        rows[:] = 0
    embedder.embed_now("a cat")[:] = 0
    assert np.linalg.norm(embedder.embed_now("a cat")) == pytest.approx(1, abs=1e-6)


async def test_of_a_text_of_ten_megabytes_no_more_is_encoded_or_copied_than_of_two_kilobytes() -> None:
    embedder = fresh(cached_texts=0)
    short = "knots on a cord " * 130
    long = "knots on a cord " * 650_000
    expected = await embedder.embed([short])
    encoder = Noting(cast(Encoder, embedder._encoder))
    embedder._encoder = cast(Encoder, encoder)
    tracemalloc.start()
    try:
        found = embedder.embed_now(long)
        _, most_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (found == expected[0]).all()
    assert most_bytes < 1_000_000
    embedder.embed_now(short)
    assert encoder.texts[0] == encoder.texts[1]
    assert len(encoder.texts[0]) <= 8 * embedder.max_tokens


class Noting:
    """An encoder that notes what it is given."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self.texts: list[str] = []

    def encode(self, text: str, *, prefix: str = "", alone: bool = False) -> Vectors:
        self.texts.append(prefix + text)
        return self._encoder.encode(text, prefix=prefix, alone=alone)


async def test_after_closing_the_weights_are_gone_and_come_back_when_needed() -> None:
    embedder = fresh()
    before = await embedder.embed(["a cat"])
    await embedder.aclose()
    await embedder.aclose()
    assert embedder._encoder is None
    assert (await embedder.embed(["a cat"]) == before).all()


@pytest.mark.parametrize("text", ["", "   \n", "\x00", "\ud800", "😀😀", "🧶 🪢"])
def test_a_text_without_a_known_word_has_no_direction(bundled: LocalEmbedder, text: str) -> None:
    assert not bundled.embed_now(text).any()


def test_nul_and_surrogates_do_not_hide_the_words_around_them(bundled: LocalEmbedder) -> None:
    assert (bundled.embed_now("a \x00cat\ud800 sat") == bundled.embed_now("a cat sat")).all()


async def test_a_text_that_comes_alone_gets_the_vector_that_it_has_among_many() -> None:
    long_ones = [f"{first} {second}" for first, second in itertools.pairwise(SENTENCES)][:12]
    among_many = await fresh().embed(long_ones)
    embedder = fresh()
    alone = [(await embedder.embed([text]))[0] for text in long_ones]
    np.testing.assert_array_equal(np.stack(alone), among_many)


class Held:
    """An encoder that notes which texts may take two cores, and holds one of them until it is let go."""

    def __init__(self) -> None:
        self.alone: dict[str, bool] = {}
        self.begun, self.go = Event(), Event()

    def encode(self, text: str, *, prefix: str = "", alone: bool = False) -> Vectors:
        self.alone[text] = alone
        if text == "held":
            self.begun.set()
            assert self.go.wait(PATIENCE_SECONDS)
        return np.ones(384, np.float32)


async def test_a_text_takes_two_cores_only_while_it_is_the_only_one() -> None:
    embedder, encoder = fresh(), Held()
    embedder._encoder = cast(Encoder, encoder)
    first = asyncio.ensure_future(embedder.embed(["held"]))
    await asyncio.to_thread(encoder.begun.wait, PATIENCE_SECONDS)
    await embedder.embed(["beside it"])
    encoder.go.set()
    await first
    await embedder.embed(["after it"])
    await embedder.embed(["one", "two"])  # one after the other
    assert encoder.alone == {"held": True, "beside it": False, "after it": True, "one": True, "two": True}


async def test_with_one_core_a_text_never_takes_two() -> None:
    embedder, encoder = fresh(threads=1), Held()
    embedder._encoder = cast(Encoder, encoder)
    await embedder.embed(["a text"])
    await embedder.embed([str(number) for number in range(9)])
    assert not any(encoder.alone.values())
    assert len(encoder.alone) == 10
