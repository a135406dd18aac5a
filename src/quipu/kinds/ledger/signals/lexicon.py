"""``lexicon.toml`` as patterns: read once, and how its words may be misspelled."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final, TypeAlias

from quipu.kinds.ledger.signals.measures import merge
from quipu.kinds.ledger.signals.patterns import Keys, Pattern, Patterns, parse
from quipu.kinds.ledger.signals.words import Word, fold, keys_of, stem, words

_FILE: Final = Path(__file__).with_name("lexicon.toml")
_FUZZY_LETTERS: Final = 7
"""Words of the lexicon from this length on are also found with one letter missing, extra or swapped."""


_Table: TypeAlias = Mapping[str, str | Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Content of the lexicon's file.

    ``patterns``: all phrases. ``respelled``: misspelling to word. ``close``: near misses to words. ``right``:
    words that are no near miss. ``denying``: keys of words that deny; ``excluding``: of those that say there
    is none.
    """

    patterns: Patterns
    respelled: Mapping[str, str]
    close: Mapping[str, str]
    right: frozenset[str]
    denying: Keys
    excluding: Keys


@cache
def lexicon() -> Lexicon:
    """Return the lexicon, read from its file the first time."""
    data: dict[str, Any] = tomllib.loads(_FILE.read_text("utf-8"))
    classes = {name: frozenset(text.split()) for name, text in data["classes"].items()}
    listed = [*_phrases(data)]
    denying = classes["not"] | {"@not"}
    patterns = Patterns((_pattern(family, phrase, classes) for family, phrase in listed), barrier=denying)
    written = {word for _, phrase in listed for word in phrase.replace("|", " ").split()}
    known = {word for word in written.union(*classes.values()) if word.isalpha()}
    respelled = dict(pair.split("=") for pair in data["typos"]["reads"].split())
    return Lexicon(
        patterns=patterns,
        respelled=respelled,
        close=_misses(known),
        right=frozenset(data["typos"]["right"].split()),
        denying=denying,
        excluding=frozenset(f"={word}" for word in classes["none"]),
    )


def read(text: str) -> list[Word]:
    """Return the words of a sentence, misspellings corrected, times and sums as one word."""
    return merge([_respell(word) for word in words(text)])


def _phrases(data: Mapping[str, _Table]) -> Iterator[tuple[str, str]]:
    """Yield family and phrase; the family is the table's name in the file, for example ``themes.value``."""
    for name, table in data.items():
        if name in {"classes", "typos"}:
            continue
        for key, value in table.items():
            inner = value if isinstance(value, str) else value["phrases"]
            family = name if key == "phrases" else f"{name}.{key}"
            yield from ((family, phrase) for phrase in map(str.strip, inner.split(",")) if phrase)


def _pattern(family: str, phrase: str, classes: Mapping[str, frozenset[str]]) -> Pattern:
    def resolve(word: str) -> Keys:
        if word == "not":
            return resolve("@not")
        if word.startswith("@") and word[1:] in classes:
            return frozenset[str]().union(*map(resolve, classes[word[1:]]), {word})
        if word.startswith(("@", "=")):
            return frozenset((word,))
        return frozenset((stem(fold(word)),))

    return parse(family, phrase, resolve)


def _respell(word: Word) -> Word:
    keys = _keys(word.text)
    return word if keys == word.keys else replace(word, keys=keys)


@lru_cache(maxsize=16_384)
def _keys(text: str) -> Keys:
    """Return the keys of a folded word, or of the word that it was meant to be."""
    known = lexicon()
    meant = known.respelled.get(text, text)
    keys = keys_of(meant)
    if not keys & known.patterns.keys and text not in known.right and text.isalpha():
        near = next((known.close[form] for form in _near(text) if form in known.close), None)
        keys = keys if near is None else keys_of(near)
    return keys | {"@not"} if meant.endswith("n't") else keys


def _misses(known: set[str]) -> dict[str, str]:
    """Return forms of long words with a letter missing or swapped, and the words themselves, to the word."""
    found: dict[str, str] = {}
    for word in sorted(word for word in known if len(word) >= _FUZZY_LETTERS):
        for form in (word, *_shorter(word), *_swapped(word)):
            found.setdefault(form, word)
    return found | {word: word for word in known if len(word) >= _FUZZY_LETTERS}


def _near(text: str) -> Iterator[str]:
    """Yield forms of a written word that may be a known one, the likeliest first."""
    if len(text) >= _FUZZY_LETTERS - 1:
        yield text
        if len(text) > _FUZZY_LETTERS:
            yield from _shorter(text)


def _shorter(word: str) -> list[str]:
    return [word[:i] + word[i + 1 :] for i in range(1, len(word))]


def _swapped(word: str) -> list[str]:
    return [word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in range(1, len(word) - 1)]
