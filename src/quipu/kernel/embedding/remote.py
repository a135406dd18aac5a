"""Embedding by any server that speaks OpenAI's ``/embeddings`` (OpenAI, Ollama, vLLM, TEI, LiteLLM ...)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from quipu.errors import EmbeddingError
from quipu.kernel.base.openai_client import open_client
from quipu.kernel.embedding.embedder import Vectors, prepare, unit
from quipu.kernel.embedding.prefixes import Role

_TEXTS_PER_REQUEST = 64
_TIMEOUT_SECONDS = 60.0
_MAX_TOKENS = 512


class RemoteEmbedder:
    """Vectors from a server. Failed requests are repeated with growing pauses by the SDK.

    The digest names the model and lengths, not the address: vectors stay when their server moves.
    """

    def __init__(
        self,
        model: str,
        *,
        url: str,
        dimensions: int,
        key: str | None = None,
        retries: int = 4,
    ) -> None:
        self.name = f"openai:{model}"
        self.dimensions = dimensions
        self.max_tokens = _MAX_TOKENS
        self.digest = f"{self.name}/{dimensions}/{_MAX_TOKENS}"
        self._model = model
        self._url = url
        self._client = open_client(
            url, key, what="Embedding by a server", retries=retries, timeout_seconds=_TIMEOUT_SECONDS
        )

    async def embed(self, texts: Sequence[str], *, role: Role = "passage") -> Vectors:  # noqa: ARG002
        """Return the vectors of the texts, in their order: shape (n, dimensions). See ``Embedder``.

        The role changes nothing: what a model expects before a text is for its server to add.
        """
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        prepared = [prepare(text, max_tokens=self.max_tokens) for text in texts]
        places: dict[str, list[int]] = {}
        for place, text in enumerate(prepared):
            if text:
                places.setdefault(text, []).append(place)
        for part in _requests(list(places)):
            for text, row in zip(part, await self._request(part), strict=True):
                rows[places[text]] = row
        return rows

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _request(self, texts: list[str]) -> Vectors:
        from openai import OpenAIError  # noqa: PLC0415 - the extra is there, or the client would not be

        try:
            answer = await self._client.embeddings.create(
                model=self._model, input=texts, encoding_format="float"
            )
        except OpenAIError as error:
            raise EmbeddingError(
                f"The embedding server at {self._url} did not answer for {self._model!r}: {error}.",
                hint="Check QUIPU_EMBEDDING_URL, QUIPU_EMBEDDING_KEY and QUIPU_EMBEDDING_MODEL.",
            ) from error
        vectors = sorted(answer.data, key=lambda item: item.index)
        return self._checked([item.embedding for item in vectors], len(texts))

    def _checked(self, rows: Sequence[Sequence[float]], expected: int) -> Vectors:
        lengths = {len(row) for row in rows}
        if len(rows) != expected:
            raise EmbeddingError(f"The embedding server returned {len(rows)} vectors for {expected} texts.")
        if lengths != {self.dimensions}:
            raise EmbeddingError(
                f"{self._model!r} returns vectors of {max(lengths)} numbers, not {self.dimensions}.",
                hint=f"Set QUIPU_EMBEDDING_DIMENSIONS={max(lengths)}, then run: quipu reembed",
            )
        return unit(np.array(rows, np.float32))


def _requests(texts: list[str]) -> Iterator[list[str]]:
    for start in range(0, len(texts), _TEXTS_PER_REQUEST):
        yield texts[start : start + _TEXTS_PER_REQUEST]
