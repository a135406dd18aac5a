from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.kernel.embedding.hashing import HashEmbedder

SIGNS_OF_QUIPU = [-1, 1, 1, 1, -1, -1, -1, -1, 1, 1, -1, -1, -1, 1, -1, -1]


def test_shared_words_make_texts_near() -> None:
    embedder = HashEmbedder()
    question, answer, other = map(embedder.embed_now, ("where is Ana", "Ana is in Lisbon", "prices fell"))
    assert question @ answer > 0.4
    assert abs(question @ other) < 0.3


def test_the_vector_of_a_text_is_the_same_for_ever() -> None:
    """Another platform or a later version must not change stored test vectors unnoticed."""
    signs = np.sign(HashEmbedder(dimensions=16).embed_now("quipu")).astype(int).tolist()
    assert signs == SIGNS_OF_QUIPU


def test_case_order_and_repetition_do_not_count() -> None:
    embedder = HashEmbedder()
    assert np.allclose(embedder.embed_now("A cat sat"), embedder.embed_now("sat CAT cat a"), atol=1e-6)


def test_words_beyond_the_limit_are_not_read() -> None:
    embedder = HashEmbedder(max_tokens=2)
    assert (embedder.embed_now("a cat sat") == embedder.embed_now("a cat")).all()


@pytest.mark.parametrize("dimensions", [8, 100, 384, 1536, 4000])
def test_any_length_of_vector_can_be_had(dimensions: int) -> None:
    row = HashEmbedder(dimensions=dimensions).embed_now("some words here")
    assert row.shape == (dimensions,)
    assert np.linalg.norm(row) == pytest.approx(1, abs=1e-5)


@given(st.text(st.characters(codec=None)))
def test_every_text_has_a_vector_of_length_one_or_zero(text: str) -> None:
    length = np.linalg.norm(HashEmbedder(dimensions=32).embed_now(text))
    assert length == pytest.approx(1, abs=1e-5) or length == 0
