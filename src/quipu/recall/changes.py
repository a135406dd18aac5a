"""Values that changed, among the hits: the newer statement above the older, or both in the order of time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from quipu.kernel.base.text import excerpt
from quipu.kernel.prose.changes import TimeAsked
from quipu.recall.model import Change, Cited, Filters, Found
from quipu.recall.repeats import Distinct

NEWER: Final = "newer"
ORDER: Final = "order"
"""Names of the parts by which a statement stands beside the one that it replaces, or that replaces it."""

_EXCERPT_CHARACTERS: Final = 120


@dataclass(frozen=True, slots=True)
class Pair:
    """A statement that replaces an earlier one: the ids of both entries, and why, in a few words."""

    newer: int
    older: int
    reason: str | None = None


def arranged(
    asked: TimeAsked | None,
    entries: Sequence[Distinct],
    pairs: Sequence[Pair],
    cited: Mapping[int, Cited],
    *,
    as_of: datetime | None = None,
) -> list[Distinct]:
    """Return the entries with the two ends of each pair in the order that a question wants.

    Asked for the present, the newer stands directly above the older; for the past or the change, the older
    directly above the newer. An end that was not found is brought in beside the other. What is lifted or
    brought in gets the score of the other end (part ``newer``, or ``order``). ``as_of``: what was told from
    then on is not lifted.
    """
    if asked is None:
        return list(entries)
    present = asked == "present"
    kept = [one for one in pairs if one.newer in cited and one.older in cited]
    if present and as_of is not None:
        kept = [one for one in kept if cited[one.newer].happened_at < as_of]
    kept.sort(key=_told_at(cited, newer=present), reverse=not present)
    ranked = _Ranked(entries)
    for pair in kept:
        upper, lower = (pair.newer, pair.older) if present else (pair.older, pair.newer)
        ranked.lift(upper, lower, NEWER if present else ORDER)
        if not present:
            ranked.follow(upper, lower)
    return ranked.entries


def shown(entries: Sequence[Distinct], pairs: Sequence[Pair], cited: Mapping[int, Cited]) -> list[Distinct]:
    """Return the entries, each with the statements that it replaces and that replace it, oldest first."""
    before: dict[int, list[tuple[int, str | None]]] = {}
    after: dict[int, list[tuple[int, str | None]]] = {}
    for pair in pairs:
        before.setdefault(pair.newer, []).append((pair.older, pair.reason))
        after.setdefault(pair.older, []).append((pair.newer, pair.reason))
    return [
        replace(
            one,
            supersedes=_changes(before.get(one.found.id, ()), cited),
            superseded_by=_changes(after.get(one.found.id, ()), cited),
        )
        if one.found.id in before or one.found.id in after
        else one
        for one in entries
    ]


def satisfies(told: Cited, filters: Filters) -> bool:
    """Return True if a message that is brought in is one that was asked for; its session is not looked at."""
    user = told.source.user
    return (
        (filters.user is None or user == filters.user or (user is None and filters.or_nobody))
        and (filters.since is None or told.happened_at >= filters.since)
        and (filters.until is None or told.happened_at < filters.until)
    )


def _told_at(cited: Mapping[int, Cited], *, newer: bool) -> Callable[[Pair], tuple[datetime, int]]:
    def told_at(pair: Pair) -> tuple[datetime, int]:
        end = pair.newer if newer else pair.older
        return cited[end].happened_at, end

    return told_at


class _Ranked:
    """Entries that are being put into another order."""

    def __init__(self, entries: Sequence[Distinct]) -> None:
        self._order = [one.found.id for one in entries]
        self._known = {one.found.id: one for one in entries}

    @property
    def entries(self) -> list[Distinct]:
        """The entries in their order."""
        return [self._known[id_] for id_ in self._order]

    def lift(self, upper: int, lower: int, part: str) -> None:
        """Put one entry directly above another, unless it stands higher or the other is not there."""
        if lower not in self._known:
            return
        place = self._order.index(lower)
        if upper in self._known:
            if upper in self._order[:place]:
                return
            self._order.remove(upper)
        self._order.insert(place, upper)
        self._level(upper, lower, part)

    def follow(self, upper: int, lower: int) -> None:
        """Bring one entry in directly below another, unless it is there already or the other is not."""
        if upper in self._known and lower not in self._known:
            self._order.insert(self._order.index(upper) + 1, lower)
            self._level(lower, upper, ORDER)

    def _level(self, id_: int, beside: int, part: str) -> None:
        """Give an entry the score of the one that it stands beside, and the difference as a part."""
        other = self._known[beside].found
        moved = self._known.get(id_) or Distinct(Found(id_, other.kind, 0.0, {}))
        old = moved.found
        parts = {**old.parts, part: round(old.parts.get(part, 0.0) + other.score - old.score, 6)}
        level = Found(id_, old.kind, other.score, parts, old.cosine, old.coverage)
        self._known[id_] = replace(moved, found=level)


def _changes(ends: Sequence[tuple[int, str | None]], cited: Mapping[int, Cited]) -> tuple[Change, ...]:
    told = [(cited[end], end, reason) for end, reason in ends if end in cited]
    told.sort(key=lambda one: (one[0].happened_at, one[1]))
    return tuple(
        Change(str(end), excerpt(one.text, _EXCERPT_CHARACTERS), one.happened_at, one.source, reason)
        for one, end, reason in told
    )
