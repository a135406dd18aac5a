"""What every embedder promises, asked of each of them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import numpy as np
import pytest
from embedding_server import KEY, EmbeddingServer

from quipu.kernel.embedding.embedder import Embedder, LocalEmbedder
from quipu.kernel.embedding.hashing import HashEmbedder
from quipu.kernel.embedding.remote import RemoteEmbedder
from quipu.kernel.embedding.stored import find_model

TEXTS = [
    "A cat sat on the mat.",
    "x",
    "The build takes eleven minutes on the old runner. " * 30,
    "日本語を勉強しています",
    "select count(*) from messages",
    "Grandmother turns ninety in November.",
    "tail -f server.log | grep ERROR",
    "Where does Ana live?",
]


@pytest.fixture(scope="module")
def server() -> Iterator[EmbeddingServer]:
    with EmbeddingServer(dimensions=64) as running:
        yield running


@pytest.fixture(params=["hashing", "local", "remote"])
async def embedder(request: pytest.FixtureRequest, server: EmbeddingServer) -> AsyncIterator[Embedder]:
    made: Embedder
    match request.param:
        case "hashing":
            made = HashEmbedder()
        case "local":
            made = LocalEmbedder(find_model("all-MiniLM-L6-v2", home=Path("nowhere")))
        case _:
            made = RemoteEmbedder("hashed", url=server.url, key=KEY, dimensions=64)
    yield made
    await made.aclose()


async def test_it_says_what_it_is(embedder: Embedder) -> None:
    assert isinstance(embedder, Embedder)
    assert embedder.name
    assert embedder.digest
    assert embedder.dimensions >= 8
    assert embedder.max_tokens >= 8


async def test_there_is_one_row_of_unit_length_for_every_text(embedder: Embedder) -> None:
    rows = await embedder.embed(TEXTS)
    assert rows.shape == (len(TEXTS), embedder.dimensions)
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1, abs=1e-5)


async def test_no_texts_give_no_rows(embedder: Embedder) -> None:
    assert (await embedder.embed([])).shape == (0, embedder.dimensions)


async def test_the_order_of_the_texts_is_kept(embedder: Embedder) -> None:
    rows = await embedder.embed(TEXTS)
    assert (await embedder.embed(TEXTS[::-1]) == rows[::-1]).all()


async def test_a_vector_does_not_depend_on_its_neighbours(embedder: Embedder) -> None:
    together = await embedder.embed(TEXTS)
    alone = np.concatenate([await embedder.embed([text]) for text in TEXTS])
    assert (together == alone).all()


async def test_repeated_texts_have_the_same_vector(embedder: Embedder) -> None:
    rows = await embedder.embed([TEXTS[0], TEXTS[1], TEXTS[0]])
    assert (rows[0] == rows[2]).all()
    assert (rows[0] != rows[1]).any()


async def test_different_texts_have_different_vectors(embedder: Embedder) -> None:
    rows = await embedder.embed(TEXTS)
    assert (rows @ rows.T - np.eye(len(TEXTS))).max() < 0.9


@pytest.mark.parametrize("text", ["", "  \n\t "])
async def test_a_text_without_words_has_no_direction(embedder: Embedder, text: str) -> None:
    rows = await embedder.embed([text, TEXTS[0]])
    assert not rows[0].any()
    assert rows[1].any()


@pytest.mark.parametrize(
    "text", ["nul \x00 inside", "half \ud83d a pair", "wool 🧶 words", "x" * 3_000_000, "\ufeffmark"]
)
async def test_odd_texts_have_finite_vectors(embedder: Embedder, text: str) -> None:
    rows = await embedder.embed([text])
    assert np.isfinite(rows).all()
    assert np.linalg.norm(rows) == pytest.approx(1, abs=1e-5) or not rows.any()


async def test_hundreds_of_texts_come_back_in_place(embedder: Embedder) -> None:
    texts = [f"number {number} of many" for number in range(300)]
    rows = await embedder.embed(texts)
    for place in (0, 63, 64, 150, 255, 256, 299):
        assert (rows[place] == (await embedder.embed([texts[place]]))[0]).all()


async def test_closing_twice_is_fine(embedder: Embedder) -> None:
    await embedder.aclose()
    await embedder.aclose()
