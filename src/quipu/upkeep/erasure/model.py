"""What is to be forgotten, what that would take, and the receipt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class What:
    """What is to be forgotten: everything that satisfies all that is given; the whole space if nothing is.

    ``user`` is a person: messages kept for them and messages said by them.
    """

    session: str | None = None
    user: str | None = None
    message: str | None = None

    @property
    def everything(self) -> bool:
        """Whether the whole space is meant."""
        return self.session is None and self.user is None and self.message is None


@dataclass(frozen=True, slots=True)
class Erasure:
    """A preview (``receipt`` is None) or the proof of an erasure.

    ``counts``: rows by table. ``receipt`` identifies the row that proves it; that row holds no content.
    """

    space: str
    what: What
    counts: Mapping[str, int]
    receipt: str | None = None
    erased_at: datetime | None = None
