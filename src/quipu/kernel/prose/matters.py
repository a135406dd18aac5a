"""Matters that have one value at a time, such as a home, a job or a price: which of them a text speaks of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Final

from quipu.kernel.prose.lexicon import lexicon

_READ: Final = 600


def matters(text: str) -> frozenset[str]:
    """Return the matters that the first 600 characters of a text speak of: ``home``, ``work``, ``price`` …"""
    plain = text[:_READ].casefold()
    return frozenset(name for name, pattern in _patterns().items() if pattern.search(plain))


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    words: dict[str, list[str]] = {}
    for language in lexicon("matters").values():
        for name, line in language.items():
            words.setdefault(name, []).extend(line.split())
    return {name: re.compile(rf"\b(?:{_either(line)})\b") for name, line in words.items()}


def _either(words: Iterable[str]) -> str:
    """Return an alternative of words; one that ends in * stands for all that begin so."""
    return "|".join(
        re.escape(word[:-1]) + r"\w*" if word.endswith("*") else re.escape(word) for word in words
    )
