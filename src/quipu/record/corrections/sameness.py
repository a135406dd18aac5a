"""Sameness of two claims that were read in the same message, however they are worded. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from quipu.kernel.prose.content import stems
from quipu.kernel.prose.signs import matters

_LABEL: Final = re.compile(r"[\w' ]{1,64}: (?=\S)")
_DENIES: Final = re.compile(
    r"\b(?:not|no|never|cannot|without|neither|nor|avoids?|hates?|dislikes?|nicht|kein\w*|nie|nunca|jamás|sin)\b"
    r"|n['’]t\b|\bcan't\b",
    re.IGNORECASE,
)
_WEAK: Final = frozenset(
    ("prefer", "need", "us", "favourit", "favorit", "liv", "work", "lik", "lov", "enjoy")
)
_WORD: Final = re.compile(r"\w+")
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
    our, their = _parted(one), _parted(other)
    if our.label and their.label and not (our.label <= their.label or their.label <= our.label):
        return False
    return _tells(our, their) or _tells(their, our)


@dataclass(frozen=True, slots=True)
class _Parted:
    """A statement's words that matter, in their order, and those of its label, if it has one."""

    label: frozenset[str]
    words: tuple[str, ...]


def _tells(long: _Parted, short: _Parted) -> bool:
    """Return True if a statement has all words of a shorter one, and few others."""
    if not short.words or len(short.words) > len(long.words):
        return False
    if not all(_is_in(word, (*long.words, *long.label)) for word in short.words):
        return False
    known = (*short.words, *short.label)
    others = [place for place, word in enumerate(long.words) if not _is_in(word, known)]
    is_detail = len(others) == 1 and others[0] == len(long.words) - 1
    return is_detail or len(others) <= len(short.words) // 2


def _parted(text: str) -> _Parted:
    match = _LABEL.match(text)
    said = text[match.end() :] if match else text
    words = stems(said) or _WORD.findall(said.casefold())
    strong = [word for word in words if word not in _WEAK]
    return _Parted(frozenset(stems(match[0]) if match else ()), tuple(dict.fromkeys(strong or words)))


def _is_in(word: str, others: Iterable[str]) -> bool:
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
