"""Vectors of rows that are being inserted, made while PostgreSQL takes the rows in."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from quipu.kinds.tables.embedding.rules import wanted
from quipu.recall.generations import Embedded, Models

FEW_TEXTS: Final = 8
"""So many are embedded sooner than looked up among those that the index has."""


class Ahead:
    """Vectors on their way. They are of use where the rows turn out to have the texts that were handed in:
    that is seen when the rows are read."""

    def __init__(self, models: Models, rows: Sequence[Mapping[str, Any]]) -> None:
        self._models = models
        self._rows = rows
        self._texts: dict[str, str] = {}
        self._embedding: asyncio.Future[Embedded] | None = None

    def begin(self, fields: Sequence[str], *, generation: int | None) -> None:
        """Begin with the vectors of these fields, unless they are on their way or too many to be so soon."""
        texts = _texts(fields, self._rows)
        if self._embedding is None and 0 < len(texts) <= FEW_TEXTS:
            self._texts = texts
            embedding = self._models.embed(list(texts.values()), generation=generation)
            self._embedding = asyncio.ensure_future(embedding)

    async def vectors(self, texts: Collection[str], *, generation: int) -> dict[str, NDArray[np.float32]]:
        """The vectors by the hash of their text; none if ``texts`` (hashes) are others, or the model is.

        Raises:
            ModelMissing, EmbeddingError: they could not be made.
        """
        if self._embedding is None or not any(one in texts for one in self._texts):
            return {}
        embedded = await self._embedding
        if embedded.generation != generation:
            return {}
        return dict(zip(self._texts, embedded.vectors, strict=True))

    async def aclose(self) -> None:
        """Wait for what is on its way; what became of it is of no account any more."""
        if self._embedding is not None:
            self._embedding.cancel()
            await asyncio.wait([self._embedding])
            if not self._embedding.cancelled():
                self._embedding.exception()


@asynccontextmanager
async def embedding_ahead(models: Models, rows: Sequence[Mapping[str, Any]]) -> AsyncGenerator[Ahead]:
    """Vectors of ``rows`` that can be begun with inside of the block."""
    ahead = Ahead(models, rows)
    try:
        yield ahead
    finally:
        await ahead.aclose()


def _texts(fields: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """What is to be embedded, by its hash, as far as what is written is what the table will have."""
    if len(rows) > FEW_TEXTS:
        return {}
    given = {
        str(number): {name: text for name in fields if isinstance(text := row.get(name), str) and text}
        for number, row in enumerate(rows)
    }
    return {one.content_hash: one.content for one in wanted(given).values()}
