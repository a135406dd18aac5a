"""Sameness of two claims that were read in the same message, however they are worded. Pure."""

from __future__ import annotations

import re
from typing import Final

from quipu.kernel.prose.content import stems
from quipu.kernel.prose.signs import matters

_LABEL: Final = re.compile(r"[\w' ]{1,64}: (?=\S)")
_DENIES: Final = re.compile(
    r"\b(?:not|no|never|cannot|without|neither|nor|avoids?|hates?|dislikes?|nicht|kein\w*|nie|nunca|jamás|sin)\b"
    r"|n['’]t\b|\bcan't\b",
    re.IGNORECASE,
)
_WEAK: Final = frozenset(("prefer", "need", "us", "favourit", "favorit"))
_SHORTEST_BEGINNING: Final = 5
_ALIKE: Final = 0.6
"""Words that begin alike for so much of the longer one have one root: "allergic", "allergy"."""


def same_claim(one: str, other: str) -> bool:
    """Return True if two statements, read in one message, claim the same.

    All words that matter of the shorter one are in the longer one, which has at most half as many others, or
    one more at its end: that is a detail, where one before it may be somebody else. Neither denies what the
    other says, and they are not of different matters ("lives in Lisbon", "loves Lisbon" have none in common
    only where both have one). What stands before a colon says what the rest is about: "home: Lisbon".
    """
    if bool(_DENIES.search(one)) != bool(_DENIES.search(other)):
        return False
    ours, theirs = matters(one), matters(other)
    if ours and theirs and ours.isdisjoint(theirs):
        return False
    (label, words), (other_label, other_words) = _parted(one), _parted(other)
    if label and other_label and not _all_in(label, other_label) and not _all_in(other_label, label):
        return False
    if len(words) > len(other_words):
        (label, words), (other_label, other_words) = (other_label, other_words), (label, words)
    if not words or not _all_in(words, [*other_words, *other_label]):
        return False
    known = [*words, *label]
    others = [place for place, word in enumerate(other_words) if not _is_in(word, known)]
    is_detail = len(others) == 1 and others[0] == len(other_words) - 1
    return is_detail or len(others) <= len(words) // 2


def _parted(text: str) -> tuple[list[str], list[str]]:
    """Return the words of a statement's label, if it has one, and those of what it says."""
    match = _LABEL.match(text)
    label = stems(match[0]) if match else []
    said = stems(text[match.end() :] if match else text) or text.casefold().split()
    return label, [word for word in dict.fromkeys(said) if word not in _WEAK] or said


def _all_in(words: list[str], others: list[str]) -> bool:
    return all(_is_in(word, others) for word in words)


def _is_in(word: str, others: list[str]) -> bool:
    return any(_alike(word, other) for other in others)


def _alike(word: str, other: str) -> bool:
    """Return True if two stems are one, or have one root; numbers must be equal."""
    if word == other:
        return True
    if any(letter.isdigit() for letter in word + other):
        return False
    common = next(
        (place for place, pair in enumerate(zip(word, other, strict=False)) if pair[0] != pair[1]),
        min(len(word), len(other)),
    )
    return common >= max(_SHORTEST_BEGINNING, _ALIKE * max(len(word), len(other)))
