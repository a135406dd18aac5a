"""Subject of a loop: the terms of its words, by which later turns are recognised."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from quipu.kinds.episodes.extraction.loops.wording import wording
from quipu.recall.terms import question_terms

_WORD: Final = re.compile(r"[^\W_]+(?:'[a-z]{1,2}\b)?")
_POSSESSIVE: Final = re.compile(r"['’]s\b")
_LANGUAGE: Final = ("english",)
_PAST_ENDING: Final = re.compile(r"\b[a-z]{2,}ed\b")


def terms(text: str) -> frozenset[int]:
    """Return the terms of a text's subject, as numbers: past forms as present ones, no empty words."""
    light = wording().words.light
    return _numbers(word for word in _words(text) if word not in light)


def deeds(text: str) -> frozenset[int]:
    """Return the terms of all words, also weak ones: a deed may be no more than to ask or to tell."""
    return _numbers(_words(text))


def _words(text: str) -> list[str]:
    return _WORD.findall(_POSSESSIVE.sub("", text.lower()))


def _numbers(words: Iterable[str]) -> frozenset[int]:
    past = wording().words.past
    kept = [past.get(word, word) for word in words]
    found = question_terms(" ".join(kept), _LANGUAGE)
    return frozenset(number for numbers in found.values() for number in numbers)


def happened(seen: str) -> bool:
    """Return True if a sentence has a past form in it."""
    past = wording().words.past
    return _PAST_ENDING.search(seen) is not None or any(word in past for word in _WORD.findall(seen))


def kindred(verbs: frozenset[int]) -> frozenset[int]:
    """Return these verbs and those that do the same to the same thing."""
    alike = [group for group in _groups() if group & verbs]
    return verbs.union(*alike)


def _groups() -> tuple[frozenset[int], ...]:
    if not _made:
        _made.extend(deeds(" ".join(sorted(group))) for group in wording().words.same)
    return tuple(_made)


_made: list[frozenset[int]] = []
