"""The values of standing rules."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal
from uuid import UUID

from quipu.kernel.base.text import excerpt

MadeBy = Literal["rule", "person"]
_LONGEST_LINE: Final = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingRule:
    """A standing rule: what an assistant is to do from now on.

    ``user`` is whose rule it is, None for that of the whole space. ``scope`` are the words of the requests
    for which it holds; empty where it holds for all. ``message`` and ``session`` are the caller's ids of
    where it was said; a rule that a person added has none. ``made_by`` says whether it was found in a message
    (rule) or added. ``ended_at``, ``ended_by`` and ``ended_in`` (the message) are None for a rule in force.
    """

    id: UUID
    user: str | None
    text: str
    scope: str
    message: str | None
    session: str | None
    made_by: MadeBy
    since: datetime
    created_at: datetime
    ended_at: datetime | None
    ended_by: MadeBy | None
    ended_in: str | None

    @property
    def line(self) -> str:
        """The rule as one line of a prompt."""
        return _line(self.text, self.since)


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A rule to be kept; ``message`` is the number of where it was said. With ``ended_at`` it is history."""

    id: UUID
    user: str | None
    text: str
    scope: str
    message: int | None
    made_by: MadeBy
    since: datetime
    ended_at: datetime | None = None
    ended_in: int | None = None


@dataclass(frozen=True, slots=True)
class Known:
    """A rule in force, as it is compared with what is said now: ``message`` is its number."""

    id: UUID
    user: str | None
    text: str
    scope: str
    message: int | None
    since: datetime

    @property
    def line(self) -> str:
        """The rule as one line of a prompt."""
        return _line(self.text, self.since)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSource:
    """A message that a rule rests on, or that ended it (``ends``)."""

    message: str
    session: str | None
    said_at: datetime
    text: str
    ends: bool


def _line(text: str, since: datetime) -> str:
    """Return a rule as one line of a prompt."""
    return f"{excerpt(text, _LONGEST_LINE)} ({since:%Y-%m-%d})"
