"""Statements that replace earlier ones of the same person: found as they are written, and linked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import SpaceTransaction
from quipu.kernel.prose.signs import Sign, matters, may_be_of_one, sign_of
from quipu.record import relations
from quipu.record.relations import Link

_SQL = queries.load("quipu.record")
_SURE: Final = 0.8
_LATEST: Final = 1_000  # statements of the person that are looked through
_NEAREST: Final = 20  # of these, compared exactly
_COSINE: Final = 0.35
_ENOUGH: Final = 4.5
_MOST: Final = 8.7  # nothing weighs more


@dataclass(frozen=True, slots=True)
class Statement:
    """A message just written: its number, and its sign that it replaces an earlier one."""

    id: int
    text: str
    sign: Sign


@dataclass(frozen=True, slots=True)
class Earlier:
    """An earlier statement near a new one. ``rare_terms``: terms of both that the space has seldom."""

    newer: int
    older: int
    text: str
    cosine: float
    rare_terms: int


def news(id_: int, text: str, *, role: str, asks: bool) -> Statement | None:
    """Return a message as a statement that surely replaces another; None if it is a question or no news."""
    sign = None if asks or role != "user" else sign_of(text)
    return Statement(id_, text, sign) if sign is not None and sign.strength >= _SURE else None


async def link(tx: SpaceTransaction, statements: Sequence[Statement], *, now: datetime) -> None:
    """Link statements that were just written and filed with the one that each replaces, if there is one."""
    if not statements:
        return
    ids = Int8s([one.id for one in statements])
    rows = await tx.fetch(Earlier, _SQL["earlier_statements"], ids=ids, latest=_LATEST, nearest=_NEAREST)
    links = [found for one in statements if (found := replaced(one, rows)) is not None]
    await relations.add(tx, links, now=now)


def replaced(statement: Statement, earlier: Sequence[Earlier]) -> Link | None:
    """Return the link to the statement that a new one replaces; None if none of them is likely enough.

    It must lie near in meaning and speak of the same matter, or share a rare word.
    """
    topic = matters(statement.text)
    near = [one for one in earlier if one.newer == statement.id and one.cosine >= _COSINE]
    weighed = [(weight, one.older) for one in near if (weight := _weight(statement, topic, one)) >= _ENOUGH]
    if not weighed:
        return None
    weight, older = max(weighed)
    return Link(statement.id, older, statement.sign.name, round(min(1.0, weight / _MOST), 3))


def _weight(statement: Statement, topic: frozenset[str], earlier: Earlier) -> float:
    """Return the strength of a link, 0 to 9; the same words replace nothing."""
    is_on_matter = not topic.isdisjoint(matters(earlier.text))
    if not (is_on_matter or earlier.rare_terms):
        return 0.0
    if statement.text.casefold().split() == earlier.text.casefold().split():
        return 0.0
    if not may_be_of_one(statement.text, earlier.text):
        return 0.0
    return statement.sign.strength + 6 * earlier.cosine + 0.8 * min(earlier.rare_terms, 2) + is_on_matter
