"""Rank of a text in a search, on one scale of 0 to 1. Pure.

A text's words: BM25 with the saturation k = 1.2 and a mean length of 100 words, times what its place counts
(what was said 1, what was thought or asked of a tool 0.6, what a tool answered 0.4), for each alternative
of the query times its rarity, as a share of the best. Its meaning: the score that recall gives the message.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Final

from quipu.kinds.transcripts.browse.model import Part, Sort
from quipu.kinds.transcripts.browse.query import Group
from quipu.kinds.transcripts.browse.store import IndexedText, Key, Located, Text
from quipu.kinds.transcripts.browse.words import composed, folded
from quipu.kinds.transcripts.browse.words import words as words_of

_PLACE: Final[Mapping[Part, float]] = {"said": 1.0, "thinking": 0.6, "input": 0.6, "result": 0.4}
_SATURATION: Final = 1.2
_MEAN_WORDS: Final = 100.0
WORDS_SHARE: Final = 0.6
MEANING_SHARE: Final = 0.4


@dataclass(slots=True)
class Candidate:
    """A text that has the words; ``lexical`` and ``meaning`` are added to it."""

    text: Located
    content: str
    lexical: float = 0.0
    meaning: float = 0.0

    @property
    def parts(self) -> dict[str, float]:
        """The parts of its score."""
        return score(self.lexical, self.meaning)


Matches = Mapping[Key, tuple[Candidate, float]]
"""Texts that meet one group of a query, each with what its words count."""


def indexed_matches(texts: Sequence[IndexedText], contents: Mapping[Key, str], group: Group) -> Matches:
    """Return those texts from the index that truly meet the group when they are read."""
    matches: dict[Key, tuple[Candidate, float]] = {}
    for one in texts:
        content = contents.get(one.key)
        counts = None if content is None else group.occurrences(folded(composed(content)))
        if content is not None and counts is not None:
            matches[one.key] = Candidate(one, content), lexical(counts, words=one.words, part=one.part)
    return matches


def unindexed_matches(texts: Sequence[Text], group: Group) -> Matches:
    """Return those texts outside the index that meet the group."""
    matches: dict[Key, tuple[Candidate, float]] = {}
    for one in texts:
        counts = group.occurrences(folded(composed(one.content)))
        if counts is not None:
            length = len(words_of(one.content))
            matches[one.key] = Candidate(one, one.content), lexical(counts, words=length, part=one.part)
    return matches


def merged(groups: Sequence[tuple[int, Matches]]) -> dict[Key, Candidate]:
    """Merge the candidates of all groups with their sizes: the rarer a group, the more it counts."""
    candidates: dict[Key, Candidate] = {}
    everything = sum(size for size, _ in groups)
    for size, members in groups:
        weight = 1.0 if len(groups) == 1 else rarity(size, of=everything)
        for key, (one, amount) in members.items():
            candidates.setdefault(key, one).lexical += weight * amount
    best = max((one.lexical for one in candidates.values()), default=0.0) or 1.0
    for one in candidates.values():
        one.lexical /= best
    return candidates


def ordered(candidates: Iterable[Candidate], sort: Sort) -> list[Candidate]:
    """Sort candidates: best first, then latest; or by time."""
    by_time = sorted(
        candidates, key=lambda one: (one.text.happened_at, one.text.key), reverse=sort != "time-asc"
    )
    if sort != "relevance":
        return by_time
    return sorted(by_time, key=lambda one: sum(one.parts.values()), reverse=True)


def lexical(counts: Sequence[int], *, words: int, part: Part) -> float:
    """Return the score of the required terms' occurrences in a text of so many words."""
    length = _SATURATION * (0.25 + 0.75 * words / _MEAN_WORDS)
    return _PLACE[part] * sum(count * (_SATURATION + 1) / (count + length) for count in counts)


def rarity(matches: int, *, of: int) -> float:
    """Return the weight of an alternative by its share of all found texts: the rarer, the more; never 0."""
    return log(1 + (max(of, matches) - matches + 0.5) / (matches + 0.5)) + 0.1


def score(words: float, meaning: float) -> dict[str, float]:
    """Return the parts of a score: words as a share of the best, meaning as recall scores it (0 to 1)."""
    parts = {"words": WORDS_SHARE * words, "meaning": MEANING_SHARE * min(1.0, max(0.0, meaning))}
    return {name: amount for name, amount in parts.items() if amount > 0}
