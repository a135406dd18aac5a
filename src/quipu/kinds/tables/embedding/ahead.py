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
    """Vectors on their way, by the hashes of their texts.

    They are of use where the rows turn out to have these texts: that is seen when the rows are read.
    """

    def __init__(self, hashes: Sequence[str], embedding: asyncio.Future[Embedded]) -> None:
        self._hashes = hashes
        self._embedding = embedding

    async def vectors(
        self, wanted: Collection[str], *, generation: int | None
    ) -> tuple[dict[str, NDArray[np.float32]], int | None]:
        """The vectors of those that are ``wanted``, and their generation; none where that is another one.

        Raises:
            ModelMissing, EmbeddingError: they could not be made.
        """
        if not any(one in self._hashes for one in wanted):
            return {}, generation
        embedded = await self._embedding
        if embedded.generation != (generation or embedded.generation):
            return {}, generation
        return dict(zip(self._hashes, embedded.vectors, strict=True)), embedded.generation


@asynccontextmanager
async def embedding_ahead(
    models: Models, fields: Sequence[str], rows: Sequence[Mapping[str, Any]], *, generation: int | None
) -> AsyncGenerator[Ahead | None]:
    """Begin with the vectors of ``fields`` of a few rows; None where there are none, or many."""
    texts = _texts(fields, rows)
    if not 0 < len(texts) <= FEW_TEXTS:
        yield None
        return
    embedding = asyncio.ensure_future(models.embed(list(texts.values()), generation=generation))
    try:
        yield Ahead(list(texts), embedding)
    finally:
        embedding.cancel()
        await asyncio.wait([embedding])
        if not embedding.cancelled():
            embedding.exception()  # was raised where it was waited for; where nobody waits it is of no account


def _texts(fields: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """What is to be embedded, by its hash, as far as what is written is what the table will have."""
    if len(rows) > FEW_TEXTS:
        return {}
    given = {
        str(number): {name: text for name in fields if isinstance(text := row.get(name), str) and text}
        for number, row in enumerate(rows)
    }
    return {one.content_hash: one.content for one in wanted(given).values()}
