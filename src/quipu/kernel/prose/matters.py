"""Matters that have one value at a time, such as a home, a job or a price: which of them a text speaks of."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from quipu.kernel.prose.lexicon import lexicon

_READ: Final = 600
_WORD: Final = re.compile(r"\w+")

Names = Mapping[str, Sequence[str]]


def matters(text: str) -> frozenset[str]:
    """Return the matters that the first 600 characters of a text speak of: ``home``, ``work``, ``price`` …"""
    exact, begun, lengths = _words()
    words = set(_WORD.findall(text[:_READ].casefold()))
    found = {name for word in words for name in exact.get(word, ())}
    found.update(name for word in words for length in lengths for name in begun.get(word[:length], ()))
    return frozenset(found)


@cache
def _words() -> tuple[Names, Names, Sequence[int]]:
    """Return the matters of each word and of each beginning of words (written with *), and their lengths."""
    exact: defaultdict[str, list[str]] = defaultdict(list)
    begun: defaultdict[str, list[str]] = defaultdict(list)
    for language in lexicon("matters").values():
        for name, line in language.items():
            for word in line.split():
                (begun if word.endswith("*") else exact)[word.rstrip("*")].append(name)
    return exact, begun, sorted({len(start) for start in begun})
