"""The values of a change of model: what is to be done for an entry, and the report."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from quipu.kernel.db.database import SpaceTransaction
from quipu.recall.model import Cited
from quipu.recall.neighbours import Shares

Cite = Callable[[SpaceTransaction, Sequence[int]], Awaitable[Mapping[int, Cited]]]
Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry without a vector of the new model, and what it inherits from the entries beside it."""

    id: int
    shares: Shares


@dataclass(frozen=True, slots=True, kw_only=True)
class ReembedReport:
    """Outcome of a change of the embedding model.

    ``previous`` is the model that new spaces began with before. ``entries`` were embedded by this call,
    ``spaces`` changed over to the new vectors, and ``removed`` vectors of other models were deleted.
    """

    model: str
    previous: str
    dimensions: int
    entries: int
    spaces: int
    removed: int
    seconds: float

    @property
    def entries_per_second(self) -> float:
        """Speed, everything counted."""
        return self.entries / self.seconds if self.seconds > 0 else 0.0
