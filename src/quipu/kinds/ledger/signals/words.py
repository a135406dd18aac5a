"""A text as sentences, a sentence as words with everything a pattern may ask of them."""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Protocol, cast

import Stemmer

_SENTENCE_END = re.compile(r"[.!?…]+[\"'”’)\]]*(?=\s|$)|[。！？]+|\n+")
_ABBREVIATION = re.compile(r"(?:^|[^\w])(?:mr|mrs|ms|dr|st|approx|min|mins|hr|hrs|vs|etc|e\.g|i\.e)\.$", re.I)
_WORD = re.compile(r"(?<=\s)[-–](?=\s)|--+|\d+(?:[.,]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*|[$€£]|[^\w\s]|_+")
_REPEATED = re.compile(r"(.)\1{2,}")
_LONGEST_WORD: Final = 40
_LONGEST_SENTENCE: Final = 600
_CONTRAST: Final = frozenset((
    "but", "however", "although", "though", "yet", "except", "unfortunately", "sadly", "otherwise", "whereas",
    "nonetheless", "nevertheless",
))  # fmt: skip
_JOINS: Final = frozenset("-'’\"“”*&/_%+#~$€£")
"""Signs that do not end a breath."""

_FORMS: Final[dict[str, str]] = {
    "take": "took taken", "sit": "sat", "stand": "stood", "come": "came", "bring": "brought",
    "forget": "forgot forgotten", "go": "went gone", "tell": "told", "give": "gave given",
    "get": "got gotten", "make": "made", "leave": "left", "lose": "lost", "pay": "paid", "keep": "kept",
    "eat": "ate eaten", "run": "ran", "say": "said", "be": "was were is are am been being", "feel": "felt",
    "meet": "met", "have": "had has", "send": "sent", "break": "broke broken", "cost": "cost costs",
    "see": "saw seen", "find": "found", "fall": "fell", "think": "thought", "spend": "spent",
    "hold": "held", "choose": "chose", "drink": "drank", "woman": "women", "man": "men",
    "child": "children", "person": "people",
}  # fmt: skip
_INFINITIVES: Final = {form: verb for verb, forms in _FORMS.items() for form in forms.split()}
"""Irregular forms, which the stemmer does not know."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a sentence, or a time span or a sum of money that was read as one.

    ``keys``: all that a pattern may match: ``=text``, the stem, ``@class``. ``start``, ``end``: in the text.
    ``breath``: changes at punctuation. ``clause``: changes at words of contrast, such as "but".
    """

    text: str
    keys: frozenset[str]
    start: int
    end: int
    breath: int
    clause: int


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence's place in the text, without white space around it."""

    text: str
    start: int
    end: int


def sentences(text: str) -> Iterator[Sentence]:
    """Yield the sentences of a text in order; one without a letter or digit is none."""
    start = 0
    for match in _SENTENCE_END.finditer(text):
        if _ABBREVIATION.search(text, max(start, match.end() - 8), match.end()):
            continue
        yield from _sentence(text, start, match.end())
        start = match.end()
    yield from _sentence(text, start, len(text))


def _sentence(text: str, start: int, end: int) -> Iterator[Sentence]:
    """Yield the sentence between two ends, in parts if it is very long: rules look at all of a sentence."""
    while start < end:
        stop = end if end - start <= _LONGEST_SENTENCE else _break(text, start)
        part = text[start:stop]
        stripped = part.strip()
        if any(character.isalnum() for character in stripped):
            first = start + len(part) - len(part.lstrip())
            yield Sentence(stripped, first, first + len(stripped))
        start = stop


def _break(text: str, start: int) -> int:
    """Return where a part of a very long sentence ends: at a space if there is one."""
    stop = start + _LONGEST_SENTENCE
    space = text.rfind(" ", start, stop)
    return space + 1 if space > start else stop


def words(text: str) -> list[Word]:
    """Return the words of a sentence, folded and stemmed, signs left out."""
    found: list[Word] = []
    breath = clause = 0
    for match in _WORD.finditer(text):
        sign = match[0]
        if not sign[0].isalnum() and sign not in "$€£":
            breath += sign[0] not in _JOINS or _parts(text, match.start(), match.end())
            continue
        folded = fold(sign[:_LONGEST_WORD])
        if folded in _CONTRAST:
            breath += 1
            clause += 1
        found.append(Word(folded, keys_of(folded), match.start(), match.end(), breath, clause))
    return found


def _parts(text: str, start: int, end: int) -> bool:
    """Return True if a hyphen is used as a dash."""
    return text[start] == "-" and (end - start > 1 or text[start - 1 : start].isspace())


@lru_cache(maxsize=16_384)
def fold(word: str) -> str:
    """Fold a word: lower case, no accents, straight apostrophes, emphasis undone (soooo is so)."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", word.casefold()) if not unicodedata.combining(c))
    return _REPEATED.sub(r"\1", plain.replace("’", "'"))


@lru_cache(maxsize=16_384)
def keys_of(folded: str) -> frozenset[str]:
    """Return the names that patterns may use for a folded word: itself with ``=``, and its stem."""
    return frozenset((f"={folded}", stem(folded)))


def stem(folded: str) -> str:
    """Return the form that a word's inflections share; irregular verbs go to their infinitive."""
    base = folded.removesuffix("'s")
    return _stemmers.english().stemWords([_INFINITIVES.get(base, base)])[0]


class _Stemmer(Protocol):
    """Part of PyStemmer that we use; the package has no types."""

    def stemWords(self, words: Sequence[str], /) -> list[str]: ...


class _Stemmers(threading.local):
    """A stemmer must not be shared by threads."""

    def __init__(self) -> None:
        self._english: _Stemmer | None = None

    def english(self) -> _Stemmer:
        if self._english is None:
            self._english = cast(_Stemmer, Stemmer.Stemmer("english"))  # pyright: ignore[reportUnknownMemberType]
        return self._english


_stemmers = _Stemmers()
