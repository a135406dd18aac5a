"""Texts with their vectors, made before a transaction is open and used in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kernel.embedding.model import Vectors
from quipu.recall.generations import Models
from quipu.recall.model import GenerationChanged


class Unprepared(Exception):
    """A text is to be filed that no vector was made for: make one and begin the transaction again.

    A signal inside a kind; no caller ever sees it.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        super().__init__("a text has no vector yet")


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """Vectors by text, shape (d,), and the generation that they are of; None where there are none."""

    generation: int | None
    vectors: Mapping[str, Vectors]

    def check(self, tx: SpaceTransaction) -> None:
        """Raise unless the vectors are of the space's model.

        Raises:
            GenerationChanged: the space is searched by the vectors of another model by now.
        """
        current = tx.space.generation
        if self.generation is not None and current is not None and current != self.generation:
            raise GenerationChanged(current)

    def of(self, texts: Sequence[str]) -> tuple[Vectors, int]:
        """Return the vectors of one or more texts, in order: shape (n, d), and their generation.

        Raises:
            Unprepared: one of them has none.
        """
        for text in texts:
            if self.generation is None or text not in self.vectors:
                raise Unprepared(text)
        assert self.generation is not None
        return np.stack([self.vectors[text] for text in texts]), self.generation


async def prepare(database: Database, models: Models, space: str, texts: Sequence[str]) -> Prepared:
    """Embed texts with the model of the space, each text once."""
    distinct = list(dict.fromkeys(texts))
    if not distinct:
        return NOTHING
    async with database.snapshot_read(space) as tx:
        generation = None if tx is None else tx.space.generation
    embedded = await models.embed(distinct, generation=generation)
    return Prepared(embedded.generation, dict(zip(distinct, embedded.vectors, strict=True)))


NOTHING: Final = Prepared(None, {})
"""Where nothing is to be filed."""
