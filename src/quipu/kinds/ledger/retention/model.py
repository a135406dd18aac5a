"""Limits of retention, and what went because of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

EXCERPTS: Final = "ledger.chat_recommendation_evidence.excerpt"
"""Under this name ``RetentionReport.counts`` has the excerpts that were cut from evidence that stays."""


@dataclass(frozen=True, slots=True)
class RetentionLimits:
    """Moments before which things go if nothing was written since; None: they stay for ever.

    ``now`` is when values expire. ``sessions``: nothing was written in a session since. ``excerpts``: the
    text of evidence. ``evidence``: evidence itself, with its recommendation.
    """

    now: datetime
    sessions: datetime | None
    excerpts: datetime | None
    evidence: datetime | None


@dataclass(frozen=True, slots=True)
class Due:
    """A session whose time is over. ``kept``: it stays without its words, for evidence that must be kept."""

    name: str
    kept: bool


@dataclass(frozen=True, slots=True)
class RetentionReport:
    """Rows that went, or (``done`` is false) would go.

    ``sessions`` went with all that was said and known in them; ``emptied`` sessions lost the same but stay as
    the place of evidence that is still in the audit window. ``expired`` counts preferences and values of
    sessions, ``excerpts`` those cut from evidence that stays. ``counts``: rows by table, all of it together.
    ``receipts`` prove the erasures of the sessions; they hold no content.
    """

    space: str
    done: bool
    limits: RetentionLimits
    sessions: int
    emptied: int
    expired: int
    excerpts: int
    counts: Mapping[str, int]
    receipts: tuple[str, ...] = ()
