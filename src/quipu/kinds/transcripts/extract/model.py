"""Input and output of an extraction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, Protocol, runtime_checkable

Category = Literal["preferences", "knowledge", "patterns", "context", "corrections", "todo"]
CATEGORIES: Final[tuple[Category, ...]] = (
    "preferences", "knowledge", "patterns", "context", "corrections", "todo",
)  # fmt: skip
"""The seed's taxonomy. Memories that people write by hand may have other categories."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionTurn:
    """One message of a session, in the order of the session.

    ``role``: user, assistant, system or tool. Only what the user said is judged by rules.
    ``message_id``: its row in the record, where it has one.
    """

    index: int
    role: str
    text: str
    happened_at: datetime | None = None
    message_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A fact, understandable without the session, and where it was said.

    ``excerpt`` occurs in the text of the turn ``turn_index``, letter by letter. ``confidence`` is 0 to 1.
    """

    fact: str
    category: str
    confidence: float
    turn_index: int
    excerpt: str
    message_id: int | None = None
    happened_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Extraction:
    """Findings of an extractor, and how many others were dropped as unfounded.

    ``error`` says why it did not get to the end of the session, if so.
    """

    findings: tuple[Finding, ...]
    dropped: int = 0
    error: str | None = None


@runtime_checkable
class Extractor(Protocol):
    """Draws facts from turns. A better one has a higher version, so that sessions can be read again."""

    @property
    def name(self) -> str:
        """Name under which its work is noted, e.g. ``rules``."""
        ...

    @property
    def version(self) -> int:
        """From 1; higher where it would find more or better."""
        ...

    async def extract(self, turns: Sequence[SessionTurn], *, project: str | None = None) -> Extraction:
        """Return the facts of the turns that are worth keeping; ``project`` is the name behind "this repo".

        Raises ``QuipuError`` if it could not read them.
        """
        ...
