"""Phrases as patterns over words, all matched in one pass."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from quipu.kinds.ledger.signals.words import Word

_GAP: Final = ".."
"""Up to so many words that do not count; twice, up to twice as many."""
_GAP_WORDS: Final = 4

Keys = frozenset[str]


@dataclass(frozen=True, slots=True)
class Item:
    """One word of a pattern: any of the keys, after at most ``gap`` words that do not count."""

    keys: Keys
    gap: int


@dataclass(frozen=True, slots=True)
class Pattern:
    """A phrase of a family."""

    family: str
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Span:
    """Place of a family's phrase: words ``first`` to ``last``, both included."""

    family: str
    first: int
    last: int

    @property
    def length(self) -> int:
        """Number of words that it covers."""
        return self.last - self.first + 1

    def covers(self, other: Span) -> bool:
        """Return True if the other lies within this one."""
        return self.first <= other.first and other.last <= self.last

    def meets(self, other: Span) -> bool:
        """Return True if they share a word."""
        return self.first <= other.last and other.first <= self.last


def parse(family: str, phrase: str, resolve: Callable[[str], Keys]) -> Pattern:
    """Parse a phrase as written in the lexicon; ``resolve`` gives the keys of one of its words."""
    items: list[Item] = []
    gap = 0
    for part in phrase.split():
        if part == _GAP:
            gap += _GAP_WORDS
            continue
        if not all(part.split("|")):
            raise ValueError(f"{family}: {phrase!r} has an alternative without a word.")
        items.append(Item(frozenset[str]().union(*map(resolve, part.split("|"))), gap))
        gap = 0
    if not items or gap or items[0].gap:
        raise ValueError(f"{family}: {phrase!r} does not begin and end with a word.")
    return Pattern(family, tuple(items))


class Patterns:
    """Many patterns, found together in time linear in the number of words."""

    def __init__(self, patterns: Iterable[Pattern], *, barrier: Keys = frozenset()) -> None:
        """Index patterns by key; words of the keys in ``barrier`` are never skipped by a gap."""
        self._barrier = barrier
        self._by_key: dict[str, list[Pattern]] = {}
        self.keys: set[str] = set()
        for pattern in patterns:
            for key in pattern.items[0].keys:
                self._by_key.setdefault(key, []).append(pattern)
            self.keys.update(*(item.keys for item in pattern.items))

    def find(self, words: Sequence[Word]) -> list[Span]:
        """Return every place of a pattern, each as short as it can be, in the order of first words."""
        return [span for first in range(len(words)) for span in sorted(self._at(words, first), key=_order)]

    def _at(self, words: Sequence[Word], first: int) -> Iterator[Span]:
        for pattern in {id(p): p for key in words[first].keys for p in self._by_key.get(key, ())}.values():
            last = _end(pattern.items, words, first, self._barrier)
            if last is not None:
                yield Span(pattern.family, first, last)


def _order(span: Span) -> tuple[int, str]:
    return span.last, span.family


def _end(items: Sequence[Item], words: Sequence[Word], first: int, barrier: Keys) -> int | None:
    """Return the last word of the pattern that begins at ``first``; in one breath, the nearest that fits."""
    ends = [first]
    for item in items[1:]:
        reached = {at for end in ends for at in _reach(item, words, end, barrier)}
        if not reached:
            return None
        ends = sorted(reached)
    return ends[0]


def _reach(item: Item, words: Sequence[Word], end: int, barrier: Keys) -> Iterator[int]:
    """Yield the places where the item fits behind the word ``end``."""
    for at in range(end + 1, min(end + 2 + item.gap, len(words))):
        if words[at].breath != words[end].breath:
            return
        if words[at].keys & item.keys:
            yield at
        if words[at].keys & barrier:
            return
