"""The part of a review that shows a complaint: short, between words, never the whole review."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from quipu.kernel.base.text import ELLIPSIS

LONGEST: Final = 160
_WORD = re.compile(r"\S+")


def excerpt(text: str, start: int, end: int, *, focus: tuple[int, int]) -> str:
    """Return the sentence ``text[start:end]`` around its characters ``focus``: at most 160 characters.

    White space is collapsed, and an ellipsis marks what is left out. If the sentence is the whole text, the
    outermost word farther from the focus is left out; of a text of one word only an ellipsis is shown.
    """
    found = list(_WORD.finditer(text, start, end))
    words = [match[0] for match in found]
    inside = [i for i, w in enumerate(found) if w.end() - start > focus[0] and w.start() - start < focus[1]]
    low, high = 0, len(words)
    if not text[:start].strip() and not text[end:].strip():
        if len(words) == 1:
            return ELLIPSIS
        low, high = (1, high) if inside and inside[0] > high - 1 - inside[-1] else (0, high - 1)
    centre = min(max(inside[0] if inside else 0, low), high - 1)
    first, last = _window(words, centre, low, high - 1)
    return _shown(words, first, last)


def _window(words: Sequence[str], centre: int, low: int, high: int) -> tuple[int, int]:
    """Return the widest part around a word that fits, first and last word, growing to both sides in turn."""
    first = last = centre
    growing = True
    while growing:
        growing = False
        if last < high and _length(words, first, last + 1) <= LONGEST:
            last, growing = last + 1, True
        if first > low and _length(words, first - 1, last) <= LONGEST:
            first, growing = first - 1, True
    return first, last


def _length(words: Sequence[str], first: int, last: int) -> int:
    letters = sum(len(word) + 1 for word in words[first : last + 1]) - 1
    return letters + (first > 0) + (last < len(words) - 1)


def _shown(words: Sequence[str], first: int, last: int) -> str:
    before = ELLIPSIS if first > 0 else ""
    after = ELLIPSIS if last < len(words) - 1 else ""
    line = before + " ".join(words[first : last + 1]) + after
    # A single word may be longer than an excerpt; only then is a word cut.
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + ELLIPSIS
