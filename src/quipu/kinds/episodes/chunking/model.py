"""Input and output of a reader of exchanges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from quipu.kinds.episodes.shapes import Chunk


@dataclass(frozen=True, slots=True)
class Turn:
    """Words of one side in an exchange. ``speaker`` is a name, or None; ``began``: this side spoke first."""

    speaker: str | None
    text: str
    began: bool


@dataclass(frozen=True, slots=True)
class Talk:
    """An exchange to be read: its turns, oldest first. The memory is about who asked."""

    turns: Sequence[Turn]

    @property
    def who(self) -> str:
        """Name for the one who began, in what is kept: their own, or ``the user``."""
        return next((turn.speaker for turn in self.turns if turn.began and turn.speaker), "the user")


@dataclass(frozen=True, slots=True)
class Chunked:
    """Content of an exchange, and its reader. ``trouble`` says why the first choice did not read it."""

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
        """Return the content of each exchange, in their order; never fewer.

        Raises:
            EmbeddingError: the embedding model failed.
        """
        ...
