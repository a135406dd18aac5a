"""A space as a transaction found it, and whether something was erased in it since."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple


class ErasedMeanwhile(Exception):
    """Something was erased in the space since it was read: what was made of that may repeat it.

    A signal to whoever reads first and writes later; nothing was written. Read again, or leave it.
    """


class AsOf(NamedTuple):
    """A space as it was read: its number, and how many erasures there had been."""

    id: int
    epoch: int


@dataclass(frozen=True, slots=True)
class Space:
    """The row of a space, as it was when the transaction entered it.

    ``generation`` is the embedding model whose vectors are searched, None before the first entry;
    ``unindexed`` has a bit for each kind of memory that wrote what the index does not know yet.
    """

    id: int
    name: str
    languages: Sequence[str]
    entries: int
    tokens: int
    mixed_tokens: float
    threads: int
    version: int
    epoch: int
    generation: int | None
    unindexed: int

    @property
    def as_of(self) -> AsOf:
        """By what `Database.write` sees whether something was erased since."""
        return AsOf(self.id, self.epoch)
