"""Vectors of rows that are being inserted, made while PostgreSQL takes the rows in.

Which columns are embedded is guessed from the last time, so that this can begin at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from anyio import to_thread
from numpy.typing import NDArray

from quipu.kinds.tables.access import SchemaPlace
from quipu.kinds.tables.embedding.model import Relation, RowChange, Values, Written
from quipu.kinds.tables.embedding.rules import wanted
from quipu.recall.generations import Embedded, Models

FEW_TEXTS: Final = 8
"""So many are embedded sooner than looked up among those that the index has."""

_MOST: Final = 1_000


@dataclass(frozen=True, slots=True)
class Habit:
    """Columns of a table that were embedded, and the embedding model of the space, when last looked at."""

    fields: Sequence[str]
    generation: int | None


class Habits:
    """Habits by table, for each who may write there. A wrong one costs the time of an embedding, no more."""

    def __init__(self) -> None:
        self._habits: dict[tuple[SchemaPlace, str], Habit] = {}

    def of(self, place: SchemaPlace, table: object) -> Habit | None:
        """Return the habit of a table, if it is known."""
        return self._habits.get((place, table)) if isinstance(table, str) else None

    def learn(self, place: SchemaPlace, table: object, habit: Habit) -> None:
        """Remember it until there are too many."""
        if isinstance(table, str):
            if len(self._habits) >= _MOST:
                self._habits.clear()
            self._habits[place, table] = habit


class Ahead:
    """Vectors made while the rows are being written; used if the rows turn out to have the same texts."""

    def __init__(self, models: Models, rows: Sequence[Mapping[str, Any]]) -> None:
        self._models = models
        self._rows = rows
        self._texts: dict[str, str] = {}
        self._embedding: asyncio.Future[Embedded] | None = None
        self._written: dict[str, Written] = {}

    @property
    def begun(self) -> bool:
        """True if vectors are on their way."""
        return self._embedding is not None

    @property
    def count(self) -> int:
        """Number of vectors on their way."""
        return len(self._texts)

    async def begin(self, fields: Sequence[str], *, generation: int | None) -> None:
        """Begin with the vectors of these fields, unless they are on their way or too many to be so soon."""
        if self._embedding is None and 0 < len(texts := _texts(fields, self._rows)) <= FEW_TEXTS:
            self._texts = texts
            embedding = self._models.embed(list(texts.values()), generation=generation)
            self._embedding = asyncio.ensure_future(embedding)
            # The thread that embeds needs the interpreter's lock, which we would hold until we wait for the
            # server. Waiting for another thread releases it at once.
            await asyncio.sleep(0)
            await to_thread.run_sync(_nothing)

    def take(self, written: Sequence[Written]) -> None:
        """Take what the statement wrote that inserted the rows."""
        self._written = {one.source_id: one for one in written}

    def values(self, relation: Relation, changes: Sequence[RowChange]) -> Values | None:
        """Return the content of changed rows without reading them; None if the table must be read.

        What an insert returned is the content of a row if its transaction made the only change noted: any
        other change, by a trigger of the agent or by somebody else, would have been noted as well. A row
        without text is not noted when it is inserted, and in a table with rules a statement may return
        anything.
        """
        values: dict[str, Mapping[str, str]] = {}
        for change in changes:
            row = self._written.get(change.source_id or "")
            if row is None or row.source_id in values or not _is_of(row, relation, change):
                return None
            values[row.source_id] = {name: text for name, text in row.fields.items() if text}
        return None if relation.ruled else values

    async def vectors(self, texts: Collection[str], *, generation: int) -> dict[str, NDArray[np.float32]]:
        """Return the vectors by the hash of their text; none if ``texts`` (hashes) or the model differ.

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
        """Cancel vectors that are still being made, and wait until that is done."""
        if self._embedding is not None:
            self._embedding.cancel()
            await asyncio.wait([self._embedding])
            if not self._embedding.cancelled():
                self._embedding.exception()


@asynccontextmanager
async def embedding_ahead(models: Models, rows: Sequence[Mapping[str, Any]]) -> AsyncGenerator[Ahead]:
    """Prepare vectors of ``rows`` that can be begun inside the block."""
    ahead = Ahead(models, rows)
    try:
        yield ahead
    finally:
        await ahead.aclose()


def _nothing() -> None:
    pass


def _is_of(row: Written, relation: Relation, change: RowChange) -> bool:
    """Return True if a change belongs to a row as it was written."""
    same = (row.oid, row.transaction) == (relation.oid, change.transaction)
    return same and set(row.fields) == set(relation.fields) and any(row.fields.values())


def _texts(fields: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the texts to embed, by hash, as far as the table will have what is written."""
    if len(rows) > FEW_TEXTS:
        return {}
    given = {
        str(number): {name: text for name in fields if isinstance(text := row.get(name), str) and text}
        for number, row in enumerate(rows)
    }
    return {one.content_hash: one.content for one in wanted(given).values()}
