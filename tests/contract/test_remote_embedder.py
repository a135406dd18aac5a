"""What is particular to embedding by a server: requests, failures, and answers that do not fit."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import numpy as np
import pytest
from embedding_server import KEY, EmbeddingServer

from quipu.errors import EmbeddingError
from quipu.kernel.embedding.remote import RemoteEmbedder


@asynccontextmanager
async def client(
    server: EmbeddingServer, *, dimensions: int = 64, key: str = KEY, retries: int = 2
) -> AsyncIterator[RemoteEmbedder]:
    made = RemoteEmbedder("hashed", url=server.url, key=key, dimensions=dimensions, retries=retries)
    try:
        yield made
    finally:
        await made.aclose()


async def test_many_texts_go_in_few_requests_and_repeated_ones_once() -> None:
    texts = [f"text {number}" for number in range(150)]
    with EmbeddingServer() as server:
        async with client(server) as embedder:
            rows = await embedder.embed(texts + texts)
    assert [len(request["input"]) for request in server.requests] == [64, 64, 22]
    assert {request["model"] for request in server.requests} == {"hashed"}
    assert (rows[:150] == rows[150:]).all()


async def test_blank_texts_are_not_sent() -> None:
    with EmbeddingServer() as server:
        async with client(server) as embedder:
            rows = await embedder.embed(["", " "])
    assert server.requests == []
    assert not rows.any()


async def test_long_texts_are_cut_before_they_are_sent() -> None:
    with EmbeddingServer() as server:
        async with client(server) as embedder:
            await embedder.embed(["word " * 1_000_000])
    assert len(server.requests[0]["input"][0]) <= 8 * 512


async def test_a_server_that_is_busy_is_asked_again() -> None:
    with EmbeddingServer(failures=[503, 429]) as server:
        async with client(server) as embedder:
            rows = await embedder.embed(["a cat"])
    assert len(server.requests) == 3
    assert np.allclose(rows[0], server.words.embed_now("a cat"), atol=1e-6)


async def test_a_server_that_stays_busy_is_an_error_with_its_words() -> None:
    with EmbeddingServer(failures=[500] * 9) as server:
        async with client(server, retries=1) as embedder:
            with pytest.raises(EmbeddingError, match=r"not now.*QUIPU_EMBEDDING_URL"):
                await embedder.embed(["a cat"])
    assert len(server.requests) == 2


async def test_a_wrong_key_is_not_tried_again() -> None:
    with EmbeddingServer() as server:
        async with client(server, key="wrong") as embedder:
            with pytest.raises(EmbeddingError, match=r"key is not known.*QUIPU_EMBEDDING_KEY"):
                await embedder.embed(["a cat"])
    assert len(server.requests) == 1


async def test_nobody_at_the_address_is_an_error_that_names_it() -> None:
    with EmbeddingServer() as server:
        pass
    async with client(server, retries=0) as embedder:
        with pytest.raises(EmbeddingError, match=server.url):
            await embedder.embed(["a cat"])


async def test_vectors_of_another_length_are_refused_with_both_numbers() -> None:
    with EmbeddingServer(dimensions=48) as server:
        async with client(server, dimensions=64) as embedder:
            with pytest.raises(EmbeddingError, match=r"48 numbers, not 64.*QUIPU_EMBEDDING_DIMENSIONS=48"):
                await embedder.embed(["a cat"])


async def test_fewer_vectors_than_texts_are_refused() -> None:
    with EmbeddingServer(answers=1) as server:
        async with client(server) as embedder:
            with pytest.raises(EmbeddingError, match="1 vectors for 2 texts"):
                await embedder.embed(["a cat", "a dog"])


def test_the_digest_names_the_model_and_not_the_address() -> None:
    here = RemoteEmbedder("m", url="http://here.test/v1", dimensions=8)
    there = RemoteEmbedder("m", url="http://there.test/v1", dimensions=8)
    assert here.digest == there.digest
    assert here.digest != RemoteEmbedder("m", url="http://here.test/v1", dimensions=16).digest
    assert here.digest != RemoteEmbedder("other", url="http://here.test/v1", dimensions=8).digest
