"""What an episode is made of, and who makes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from quipu.kernel.embedding.model import Embedder
from quipu.kinds.episodes.shapes import Chunk, Condensed


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance:
    """What somebody said: its id in the record, by whom and when."""

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
        """Who it is: rules, or the name of a language model."""
        ...

    @property
    def version(self) -> int:
        """Raised with every change by which it writes better."""
        ...

    @property
    def measures_novelty(self) -> bool:
        """Whether it says how new something is. Where it does not, that is measured by what is known."""
        ...

    async def build(self, material: Material, embedder: Embedder) -> Condensed:
        """What an episode says; ``embedder`` is that of the space.

        Raises:
            LanguageFailed, BudgetSpent: the language model did not.
        """
        ...
