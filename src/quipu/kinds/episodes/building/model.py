"""Source material of an episode, and its builders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from quipu.kernel.embedding.embedder import Embedder
from quipu.kinds.episodes.shapes import Chunk, Condensed


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance:
    """Words of somebody: their id in the record, who said them and when."""

    id: int
    role: str
    speaker: str | None
    text: str
    at: datetime

    @property
    def who(self) -> str:
        """The speaker's name, or "the user", "the assistant"."""
        return self.speaker or f"the {self.role}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """The messages of an episode in their order, what was understood of its exchanges, and its topic.

    ``ends``: of each exchange the id of its last message, where that is known.
    """

    utterances: Sequence[Utterance]
    chunks: Sequence[Chunk]
    topic: str
    ends: Sequence[int] = ()


class Builder(Protocol):
    """Condenses conversations."""

    @property
    def name(self) -> str:
        """Name of the builder: rules, or the name of a language model."""
        ...

    @property
    def version(self) -> int:
        """Raised with every change by which it writes better."""
        ...

    @property
    def measures_novelty(self) -> bool:
        """True if it says how new something is. If not, that is measured against what is known."""
        ...

    async def build(self, material: Material, embedder: Embedder) -> Condensed:
        """Build an episode; ``embedder`` is that of the space.

        Raises:
            LanguageFailed, BudgetSpent: the language model did not.
        """
        ...
