"""A text as sentences, a sentence as words with everything a pattern may ask of them."""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
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
class SentenceSpan:
    """A sentence's place in the text, without white space around it."""

    text: str
    start: int
    end: int


def sentences(text: str) -> Iterator[SentenceSpan]:
    """Yield the sentences of a text in order; one without a letter or digit is none."""
    start = 0
    for match in _SENTENCE_END.finditer(text):
        if _ABBREVIATION.search(text, max(start, match.end() - 8), match.end()):
            continue
        yield from _sentence(text, start, match.end())
        start = match.end()
    yield from _sentence(text, start, len(text))


def _sentence(text: str, start: int, end: int) -> Iterator[SentenceSpan]:
    """Yield the sentence between two ends, in parts if it is very long: rules look at all of a sentence."""
    while start < end:
        stop = end if end - start <= _LONGEST_SENTENCE else _break(text, start)
        part = text[start:stop]
        stripped = part.strip()
        if any(character.isalnum() for character in stripped):
            first = start + len(part) - len(part.lstrip())
            yield SentenceSpan(stripped, first, first + len(stripped))
        start = stop


def _break(text: str, start: int) -> int:
    """Return the end of a part of a very long sentence: at a space if there is one."""
    stop = start + _LONGEST_SENTENCE
    space = text.rfind(" ", start, stop)
    return space + 1 if space > start else stop


def words(text: str) -> list[Word]:
    """Return the words of a sentence, folded and stemmed, signs left out."""
    read: list[Word] = []
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
        read.append(Word(folded, keys_of(folded), match.start(), match.end(), breath, clause))
    return read


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

LONG_MINUTES: Final = 15
"""From here on a span spent waiting is a complaint, below it a compliment."""

_UNITS: Final = {
    "s": 1 / 60, "sec": 1 / 60, "second": 1 / 60, "min": 1, "mins": 1, "minut": 1, "hour": 60, "hr": 60,
    "hrs": 60, "h": 60, "day": 1440, "week": 10_080, "month": 43_200,
}  # fmt: skip
_NUMBERS: Final = {
    "a": 1, "an": 1, "another": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6,
    "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13,
    "fourteen": 14, "fifteen": 15,
    "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40,
    "fourty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "hundred": 100,
    "couple": 2, "few": 3, "several": 4, "many": 5, "half": 0.5, "quarter": 0.25, "quarters": 0.25,
}  # fmt: skip
_MONEY: Final = frozenset((
    "dollar", "buck", "euro", "pound", "quid", "eur", "usd", "gbp", "cent", "penc", "krone", "franc", "yen",
    "rupe",
))  # fmt: skip
_SIGNS: Final = frozenset("$€£")
_BETWEEN: Final = frozenset(("a", "an", "of", "more", "full", "whole", "good", "solid", "long", "entire"))
_WITHIN: Final = frozenset(("within", "under"))
_MOST_WORDS: Final = 7


def merge(words: Sequence[Word]) -> list[Word]:
    """Merge each span of time and sum of money into one word of class ``@long``, ``@short`` or ``@money``."""
    merged: list[Word] = []
    at = 0
    while at < len(words):
        length, key = _span(words, at) or _sum(words, at) or (1, "")
        if key:
            last = words[at + length - 1]
            key = _in_context(key, words[at], words[at - 1] if at else None, merged)
            text = " ".join(word.text for word in words[at : at + length])
            merged.append(replace(words[at], text=text, keys=frozenset((key,)), end=last.end))
        else:
            merged.append(words[at])
        at += length
    return merged


def _in_context(key: str, first: Word, before: Word | None, merged: Sequence[Word]) -> str:
    """Return a measure's class by the words before it: "within an hour" is short, "$10 a day" a rate."""
    if key == "@long" and before is not None and before.text in _WITHIN:
        return "@short"
    if key == "@long" and first.text in {"a", "an", "per"} and merged and "@money" in merged[-1].keys:
        return "@rate"
    return key


def _span(words: Sequence[Word], at: int) -> tuple[int, str] | None:
    """Return the number of words of a time span here, and its class: "an hour and a half", "45 min"."""
    number, after = _number(words, at)
    if number is None:
        return None
    while after < len(words) and words[after].text in _BETWEEN and after - at < 4:
        after += 1
    unit = _unit(words, after)
    if unit is None:
        return None
    minutes = number * unit
    length, more = _rest(words, after + 1, unit)
    minutes += more
    return after + 1 + length - at, "@long" if minutes >= LONG_MINUTES else "@short"


def _rest(words: Sequence[Word], at: int, unit: float) -> tuple[int, float]:
    """Return the words that continue the span: "and a half", "and ten minutes", "and twenty"."""
    start = at
    if at < len(words) and words[at].text == "and":
        at += 1
    number, after = _number(words, at)
    if number is None:
        return 0, 0.0
    smaller = _unit(words, after)
    if smaller is not None and smaller < unit:
        return after + 1 - start, number * smaller
    if at > start and smaller is None and (number < 1 or (unit == 60 and number > 1)):
        return after - start, number * unit if number < 1 else number
    return 0, 0.0


def _number(words: Sequence[Word], at: int) -> tuple[float | None, int]:
    """Return the number that begins here, and where it ends: "45", "forty five", "half a", "a couple of"."""
    total: float | None = None
    limit = min(len(words), at + _MOST_WORDS)
    while at < limit and (value := _value(words[at].text)) is not None:
        if total is not None and total == 1 and words[at - 1].text in {"a", "an", "another"}:
            total = value
        elif total is not None and 0 < value < 10 <= total:
            total += value
        elif total is not None and (value == 100 or 0 < value < 1 < total):
            total *= value
        elif total is not None:
            break
        else:
            total = value
        at += 1
    return total, at


def _value(text: str) -> float | None:
    if text[0].isdecimal():
        try:
            return float(text.replace(",", ""))
        except ValueError:
            return None
    return _NUMBERS.get(text)


def _unit(words: Sequence[Word], at: int) -> float | None:
    if at >= len(words):
        return None
    return next((_UNITS[key] for key in words[at].keys if key in _UNITS), None)


def _sum(words: Sequence[Word], at: int) -> tuple[int, str] | None:
    """Return the number of words of a sum of money here: "$20", "twenty dollars"."""
    if words[at].text in _SIGNS:
        return (2, "@money") if at + 1 < len(words) and _value(words[at + 1].text) is not None else None
    number, after = _number(words, at)
    if number is None or after >= len(words):
        return None
    if words[after].text in _SIGNS or words[after].keys & _MONEY:
        return after + 1 - at, "@money"
    return None
