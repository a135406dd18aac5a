"""``lexicon.toml`` as patterns: read once, and how its words may be misspelled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any, Final, TypeAlias

from quipu.kernel.prose.lexicon import beside
from quipu.kinds.ledger.signals.words import Word, fold, keys_of, merge, stem, words

_FUZZY_LETTERS: Final = 7
"""Words of the lexicon from this length on are also found with one letter missing, extra or swapped."""


_Table: TypeAlias = Mapping[str, str | Mapping[str, str]]

_GAP: Final = ".."
"""Up to so many words that do not count; twice, up to twice as many."""
_GAP_WORDS: Final = 4

Keys = frozenset[str]


@dataclass(frozen=True, slots=True)
class Item:
    """One word of a pattern: any of the keys, after at most ``gap`` words that do not count."""

    keys: Keys
    gap: int


@dataclass(frozen=True, slots=True)
class Pattern:
    """A phrase of a family."""

    family: str
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Span:
    """Place of a family's phrase: words ``first`` to ``last``, both included."""

    family: str
    first: int
    last: int

    @property
    def length(self) -> int:
        """Number of words that it covers."""
        return self.last - self.first + 1

    def covers(self, other: Span) -> bool:
        """Return True if the other lies within this one."""
        return self.first <= other.first and other.last <= self.last

    def meets(self, other: Span) -> bool:
        """Return True if they share a word."""
        return self.first <= other.last and other.first <= self.last


def parse(family: str, phrase: str, resolve: Callable[[str], Keys]) -> Pattern:
    """Parse a phrase as written in the lexicon; ``resolve`` gives the keys of one of its words."""
    items: list[Item] = []
    gap = 0
    for part in phrase.split():
        if part == _GAP:
            gap += _GAP_WORDS
            continue
        if not all(part.split("|")):
            raise ValueError(f"{family}: {phrase!r} has an alternative without a word.")
        items.append(Item(frozenset[str]().union(*map(resolve, part.split("|"))), gap))
        gap = 0
    if not items or gap or items[0].gap:
        raise ValueError(f"{family}: {phrase!r} does not begin and end with a word.")
    return Pattern(family, tuple(items))


class Patterns:
    """Many patterns, found together in time linear in the number of words."""

    def __init__(self, patterns: Iterable[Pattern], *, barrier: Keys = frozenset()) -> None:
        """Index patterns by key; words of the keys in ``barrier`` are never skipped by a gap."""
        self._barrier = barrier
        self._by_key: dict[str, list[Pattern]] = {}
        self.keys: set[str] = set()
        for pattern in patterns:
            for key in pattern.items[0].keys:
                self._by_key.setdefault(key, []).append(pattern)
            self.keys.update(*(item.keys for item in pattern.items))

    def find(self, words: Sequence[Word]) -> list[Span]:
        """Return every place of a pattern, each as short as it can be, in the order of first words."""
        return [span for first in range(len(words)) for span in sorted(self._at(words, first), key=_order)]

    def _at(self, words: Sequence[Word], first: int) -> Iterator[Span]:
        for pattern in {id(p): p for key in words[first].keys for p in self._by_key.get(key, ())}.values():
            last = _end(pattern.items, words, first, self._barrier)
            if last is not None:
                yield Span(pattern.family, first, last)


def _order(span: Span) -> tuple[int, str]:
    return span.last, span.family


def _end(items: Sequence[Item], words: Sequence[Word], first: int, barrier: Keys) -> int | None:
    """Return the last word of the pattern that begins at ``first``; in one breath, the nearest that fits."""
    ends = [first]
    for item in items[1:]:
        reached = {at for end in ends for at in _reach(item, words, end, barrier)}
        if not reached:
            return None
        ends = sorted(reached)
    return ends[0]


def _reach(item: Item, words: Sequence[Word], end: int, barrier: Keys) -> Iterator[int]:
    """Yield the places where the item fits behind the word ``end``."""
    for at in range(end + 1, min(end + 2 + item.gap, len(words))):
        if words[at].breath != words[end].breath:
            return
        if words[at].keys & item.keys:
            yield at
        if words[at].keys & barrier:
            return


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
    data: dict[str, Any] = beside(__file__, "lexicon")
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
    by_form: dict[str, str] = {}
    for word in sorted(word for word in known if len(word) >= _FUZZY_LETTERS):
        for form in (word, *_shorter(word), *_swapped(word)):
            by_form.setdefault(form, word)
    return by_form | {word: word for word in known if len(word) >= _FUZZY_LETTERS}


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
