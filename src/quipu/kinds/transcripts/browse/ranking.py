"""Rank of a text in a search, on one scale of 0 to 1. Pure.

A text's words: BM25 with the saturation k = 1.2 and a mean length of 100 words, times what its place counts
(what was said 1, what was thought or asked of a tool 0.6, what a tool answered 0.4), for each alternative
of the query times its rarity, as a share of the best. Its meaning: the score that recall gives the message.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log
from typing import Final

from quipu.kinds.transcripts.browse.model import Part

_PLACE: Final[Mapping[Part, float]] = {"said": 1.0, "thinking": 0.6, "input": 0.6, "result": 0.4}
_SATURATION: Final = 1.2
_MEAN_WORDS: Final = 100.0
WORDS_SHARE: Final = 0.6
MEANING_SHARE: Final = 0.4


def lexical(counts: Sequence[int], *, words: int, part: Part) -> float:
    """Return the score of the required terms' occurrences in a text of so many words."""
    length = _SATURATION * (0.25 + 0.75 * words / _MEAN_WORDS)
    return _PLACE[part] * sum(count * (_SATURATION + 1) / (count + length) for count in counts)


def rarity(found: int, *, of: int) -> float:
    """Return the weight of an alternative by its share of all found texts: the rarer, the more; never 0."""
    return log(1 + (max(of, found) - found + 0.5) / (found + 0.5)) + 0.1


def score(words: float, meaning: float) -> dict[str, float]:
    """Return the parts of a score: words as a share of the best, meaning as recall scores it (0 to 1)."""
    parts = {"words": WORDS_SHARE * words, "meaning": MEANING_SHARE * min(1.0, max(0.0, meaning))}
    return {name: amount for name, amount in parts.items() if amount > 0}
