"""Terms that find a text: stems, identifiers, and pairs of characters in writing without word borders."""

from __future__ import annotations

import re
import threading
import unicodedata
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol, cast

import numpy as np
import Stemmer
from numpy.typing import NDArray

from quipu.recall.languages import DEFAULT, STOP, detect

# Scripts whose writing does not mark where a word ends: Han, kana, Thai, Lao, Khmer, Myanmar.
_BORDERLESS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_RUN = re.compile(f"[{_BORDERLESS}]+")
_WORD = re.compile(f"[^\\W_{_BORDERLESS}]+")
# An identifier or path: parts joined by a sign that prose does not put inside a word.
# (The look behind and the ++ keep it linear: a long run of letters is looked at once, not once from each.)
_JOINED = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9]++(?:[_./:@\\#-][A-Za-z0-9]++)+")
_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_HYPHENS = str.maketrans("", "", "-")  # well-known is prose, well_known is a name
_APOSTROPHE = re.compile(r"(?<=\w)['’](?=\w)")

_LONGEST_WORD = 64
_MOST_TERMS = 4096
_MOST_CHARACTERS = 400_000


@dataclass(frozen=True, slots=True)
class Bag:
    """The terms of one text.

    ``hashes``: int32, distinct, ascending. ``occurrences``: how often each occurs. ``tokens``: their sum.
    ``words``: all words of the text, those that are too common to be filed included.
    """

    hashes: NDArray[np.int32]
    occurrences: NDArray[np.int16]
    tokens: int
    words: int
    language: str


def bag(text: str, *, language: str = "auto", fallback: str = DEFAULT) -> Bag:
    """Return the terms of ``text``, the most frequent 4,096 if it is very long.

    ``language`` is a name of ``languages.KNOWN``, or "auto" to tell it from the text (``fallback`` when
    the text is too short to tell). Only the first 400,000 characters are read.
    """
    text = unicodedata.normalize("NFKC", text[:_MOST_CHARACTERS])
    plain = _words(text)
    chosen = detect(plain, fallback=fallback) if language == "auto" else language
    counts = Counter(_stems(plain, chosen))
    pairs = _pairs(text)
    counts.update(pairs)
    counts.update(_identifiers(text))
    common = counts.most_common(_MOST_TERMS)
    hashes = np.fromiter((term_hash(term) for term, _ in common), dtype=np.int32, count=len(common))
    occurrences = np.fromiter((min(n, 32_000) for _, n in common), dtype=np.int16, count=len(common))
    hashes, first = np.unique(hashes, return_index=True)
    return Bag(hashes, occurrences[first], int(sum(counts.values())), len(plain) + len(pairs), chosen)


def question_terms(question: str, languages: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """Return each thing that a question asks for, with its possible hashes, one for each language."""
    text = unicodedata.normalize("NFKC", question[:20_000])
    found: dict[str, dict[int, None]] = {}
    words = _words(text)
    skipped = frozenset[str]().union(*(STOP[language] for language in languages))
    for word in words:
        if word in skipped:
            continue
        for language in languages:
            for stem in _stems([word], language):
                found.setdefault(word, {})[term_hash(stem)] = None
    for term in [*_pairs(text), *_identifiers(text)]:
        found.setdefault(term, {})[term_hash(term)] = None
    seen: set[tuple[int, ...]] = set()
    distinct: dict[str, tuple[int, ...]] = {}
    for term, hashes in found.items():
        key = tuple(hashes)
        if key not in seen:
            seen.add(key)
            distinct[term] = key
    return distinct


@lru_cache(maxsize=65_536)
def term_hash(term: str) -> int:
    """Return the signed 32-bit number that a term is filed under (CRC-32)."""
    number = zlib.crc32(term.encode("utf-8", "surrogatepass"))
    return number - (1 << 32) if number >= 1 << 31 else number


def _words(text: str) -> list[str]:
    return [w for w in _WORD.findall(_APOSTROPHE.sub(" ", text).lower()) if len(w) <= _LONGEST_WORD]


def _stems(words: Sequence[str], language: str) -> list[str]:
    skipped = STOP[language]
    stems = _stemmers.of(language).stemWords([w for w in words if w not in skipped])
    return [fold(stem) for stem in stems]


class _Stemmer(Protocol):
    """Part of PyStemmer that we use; the package has no types."""

    def stemWords(self, words: Sequence[str], /) -> list[str]: ...


class _Stemmers(threading.local):
    """A stemmer must not be shared by threads."""

    def __init__(self) -> None:
        self._made: dict[str, _Stemmer] = {}

    def of(self, language: str) -> _Stemmer:
        if language not in self._made:
            self._made[language] = cast(_Stemmer, Stemmer.Stemmer(language))  # pyright: ignore[reportUnknownMemberType]
        return self._made[language]


_stemmers = _Stemmers()


@lru_cache(maxsize=65_536)
def fold(word: str) -> str:
    """Remove accents: café and cafe are one word."""
    if word.isascii():
        return word
    return "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c))


def _pairs(text: str) -> list[str]:
    """Return pairs of neighbouring characters in writing without word borders; a lone one stands alone."""
    found: list[str] = []
    for run in _RUN.findall(text):
        found.extend(run[i : i + 2] for i in range(len(run) - 1)) if len(run) > 1 else found.append(run)
    return found


def _identifiers(text: str) -> list[str]:
    """Return names from code: ``user_id`` and ``src/app.py`` whole, ``parseHTTPHeader`` in its parts."""
    joined = (j for j in _JOINED.findall(text) if len(j) <= 128 and not j.translate(_HYPHENS).isalnum())
    found = [j.lower() for j in joined]
    for word in set(_WORD.findall(text)):
        if not word.islower() and word.isascii() and 3 < len(word) <= _LONGEST_WORD:
            parts = _CAMEL.findall(word)
            if len(parts) > 1:
                found.extend(part.lower() for part in parts if len(part) > 1)
    return found
