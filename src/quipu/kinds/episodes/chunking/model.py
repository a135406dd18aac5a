"""What is given to whoever reads an exchange, and what comes back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from quipu.kinds.episodes.shapes import Chunk


@dataclass(frozen=True, slots=True)
class Turn:
    """What one side said in an exchange. ``speaker`` is a name, or None; ``asked`` tells who began it."""

    speaker: str | None
    text: str
    asked: bool


@dataclass(frozen=True, slots=True)
class Talk:
    """An exchange to be read: its turns, oldest first. The memory is about who asked."""

    turns: Sequence[Turn]

    @property
    def who(self) -> str:
        """What the one who began is called in what is kept: a name, or ``the user``."""
        return next((turn.speaker for turn in self.turns if turn.asked and turn.speaker), "the user")


@dataclass(frozen=True, slots=True)
class Chunked:
    """What an exchange yields, and who read it. ``trouble``: why the first choice did not."""

    chunk: Chunk
    chunker: str
    version: int
    trouble: str | None = None


class Chunker(Protocol):
    """Reads exchanges."""

    @property
    def name(self) -> str:
        """``rules``, or ``llm:`` and the name of a language model."""
        ...

    @property
    def version(self) -> int:
        """Raised with every change that finds more or better."""
        ...

    async def read(self, talks: Sequence[Talk]) -> list[Chunked]:
        """What each of the exchanges yields, in their order; never fewer.

        Raises:
            EmbeddingError: the embedding model failed.
        """
        ...
