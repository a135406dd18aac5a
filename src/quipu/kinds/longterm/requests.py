"""Requests to store or change a memory; and the refusal of what must not be kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from quipu.kinds.longterm.model import Category, Importance, MemorySource

Refuses = Callable[[str, Category, bool], str | None]
"""``refuses(text, category, asked)``: the rule by which a text must not be kept automatically, or None."""


@dataclass(frozen=True, slots=True, kw_only=True)
class New:
    """A memory to be stored; ``source`` is the session it was said in where nothing else is named."""

    summary: str
    category: Category
    importance: Importance
    details: str | None = None
    user: str | None = None
    session: str | None = None
    source: str | None = None
    happened_at: datetime | None = None
    said: Sequence[MemorySource] = ()
    asked: bool = False
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewording:
    """Changes to a memory; None leaves a part as it is, and ``""`` removes the details."""

    category: Category | None = None
    importance: Importance | None = None
    summary: str | None = None
    details: str | None = None
    said: Sequence[MemorySource] = ()
    expected_version: int | None = None
    asked: bool = False
    reason: str | None = None
