"""Matters that have one value at a time, such as a home, a job or a price: which of them a text speaks of."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from quipu.kernel.prose.lexicon import lexicon

_READ: Final = 600
_WORD: Final = re.compile(r"\w+")


def matters(text: str) -> frozenset[str]:
    """Return the matters that the first 600 characters of a text speak of: ``home``, ``work``, ``price`` …"""
    exact, begun = _words()
    words = set(_WORD.findall(text[:_READ].casefold()))
    found = {name for word in words for name in exact.get(word, ())}
    found.update(name for start, name in begun for word in words if word.startswith(start))
    return frozenset(found)


@cache
def _words() -> tuple[Mapping[str, Sequence[str]], Sequence[tuple[str, str]]]:
    """Return the matters of each word, and of each beginning of words, which is written with * at its end."""
    exact: dict[str, list[str]] = {}
    begun: list[tuple[str, str]] = []
    for language in lexicon("matters").values():
        for name, line in language.items():
            for word in line.split():
                if word.endswith("*"):
                    begun.append((word[:-1], name))
                else:
                    exact.setdefault(word, []).append(name)
    return exact, begun
