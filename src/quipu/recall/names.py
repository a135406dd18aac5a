"""People whom a question names: in full, by first name, with one typing error, or by how the name sounds."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from quipu.recall.terms import STOP, tells_time

_WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_POSSESSIVE: Final = re.compile(r"['’]s?$")
_COMMON: Final = frozenset[str]().union(*STOP.values())
_TYPO_LENGTH: Final = 5
_LONGEST_NAME: Final = 40
_MOST_GUESSES: Final = 200  # words that may be names with an error: each is compared with every name


@dataclass(frozen=True, slots=True)
class Name:
    """A person of the space; ``share`` of its threads (0 to 1) has something said by them."""

    id: int
    name: str
    share: float


@dataclass(frozen=True, slots=True)
class Mention:
    """A person that a question names, and the (start, end) places where it does."""

    person: Name
    places: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class OtherName:
    """A name as a question has it, and what else the person is called."""

    word: str
    known_as: str


def other_names(question: str, aliases: Sequence[tuple[str, str]]) -> list[OtherName]:
    """Return what else those are called whom a question names by either of two names."""
    if not aliases:
        return []
    said = {_plain(_POSSESSIVE.sub("", match.group())) for match in _WORD.finditer(question)}
    pairs = [pair for alias, name in aliases for pair in ((alias, name), (name, alias))]
    return [OtherName(one, other) for one, other in pairs if said.issuperset(_plain(one).split())]


def mentioned(
    question: str, people: Sequence[Name], aliases: Sequence[tuple[str, str]] = ()
) -> list[Mention]:
    """Return the people whom ``question`` names: by full or first name, with one typing error, or by sound.

    ``aliases`` are other names, each with the name; one that two people share names nobody.
    A first name that two people share names nobody. One error is forgiven in capitalised words of five
    letters or more that are like one name only, another spelling ("Stephen" for "Steven") in any that sound
    like one name only.
    """
    if not people:
        return []
    keys = _keys(people)
    keys = _other_keys(keys, aliases) | keys
    places: dict[int, list[tuple[int, int]]] = {}
    guesses = _MOST_GUESSES
    for match in _WORD.finditer(question):
        word = _plain(_POSSESSIVE.sub("", match.group()))
        person = keys.get(word)
        if person is None and match.group()[0].isupper() and guesses and not _is_common(word):
            guesses -= 1
            person = _alike(word, keys) or _sounding(word, keys)
        if person is not None:
            places.setdefault(person.id, []).append(match.span())
    folded = question.casefold()
    for person in people:  # names of several words, or in writing without word borders
        if len(person.name) > 1 and (" " in person.name or not person.name.isascii()):
            place = _place(person.name.casefold(), folded, question)
            if place is not None:
                apart = [p for p in places.get(person.id, []) if not place[0] <= p[0] < place[1]]
                places[person.id] = [place, *apart]
    return [Mention(p, tuple(places[p.id])) for p in people if p.id in places]


def without(question: str, mentions: Sequence[Mention]) -> str:
    """Return the question without the names; unchanged if nothing else would be left."""
    rest: list[str] = []
    at = 0
    for start, end in sorted(place for mention in mentions for place in mention.places):
        rest.append(question[at:start])
        at = max(at, end)
    rest.append(question[at:])
    text = re.sub(r"\s+([?.!,])", r"\1", " ".join("".join(rest).split()))
    return text if re.search(r"\w{3}", text) else question


def sound(name: str) -> str:
    """Return how a name of Latin letters sounds, roughly: its first vowel and its consonants.

    Spellings of one sound are one ("Kathryn" and "Catherine"); "Lena" and "Lina" are two. It is empty for
    other writing, and for names with fewer than two consonants, which sound like too many words.
    """
    word = _plain(name)
    if not (word.isascii() and word.isalpha()):
        return ""
    for spelling, heard in _SPELLINGS:
        word = spelling.sub(heard, word)
    first = re.search("[aeio]", word)
    consonants = re.sub("[aeio]", "", word)
    at_start = "-" if first and first.start() == 0 else ""
    return f"{at_start}{first[0]}{consonants}" if first and len(consonants) > 1 else ""


_SPELLINGS: Final = tuple(
    (re.compile(spelling), heard)
    for spelling, heard in (
        (r"^[kg]n", "n"),
        (r"^wr", "r"),
        (r"^g(?=eo)", "j"),
        (r"t?sch|sh", "S"),
        (r"ch(?=[rln]|ae)", "k"),
        (r"t?ch", "C"),
        (r"ph|v", "f"),
        (r"dt$", "t"),
        (r"gh(?=t|$)|h", ""),
        (r"c(?=[eiy])|z", "s"),
        (r"ck|[cq]", "k"),
        (r"x", "ks"),
        (r"eo", "e"),
        (r"e[aeiy]|i[ae]|y", "i"),
        (r"a[ie]", "e"),
        (r"a[uw]|ou|u", "o"),
        (r"w", "f"),
        (r"([^aeio])\1", r"\1"),
    )
)


@lru_cache(maxsize=65_536)
def _heard(name: str) -> str:
    return sound(name)


def _sounding(word: str, keys: Mapping[str, Name]) -> Name | None:
    """Return the one person whose name sounds like a word."""
    wanted = _heard(word) if len(word) <= _LONGEST_NAME else ""
    like = {p.id: p for key, p in keys.items() if _heard(key) == wanted} if wanted else {}
    return next(iter(like.values())) if len(like) == 1 else None


def _is_common(word: str) -> bool:
    """Return True for words that are no names, whatever they are like: "Where", "Friday"."""
    return word in _COMMON or tells_time(word)


def _place(name: str, folded: str, question: str) -> tuple[int, int] | None:
    """Return the place of a name in ``question``, both ``folded``, which may be longer (ß is ss)."""
    at = folded.find(name)
    if at < 0:
        return None
    if len(folded) == len(question):
        return at, at + len(name)
    origin = [place for place, letter in enumerate(question) for _ in letter.casefold()]
    return origin[at], origin[at + len(name) - 1] + 1


def _keys(people: Sequence[Name]) -> dict[str, Name]:
    known_by: dict[str, Name | None] = {}
    for person in people:
        parts = _plain(person.name).split()
        for key in {" ".join(parts), *parts[:1]}:
            known = known_by.get(key)
            known_by[key] = person if key not in known_by or known is person else None
    return {key: person for key, person in known_by.items() if person is not None and len(key) > 1}


def _other_keys(keys: Mapping[str, Name], aliases: Sequence[tuple[str, str]]) -> dict[str, Name]:
    """Return the people by other names than they speak under."""
    others: dict[str, Name | None] = {}
    for alias, name in aliases:
        for one, other in ((_plain(alias), _plain(name)), (_plain(name), _plain(alias))):
            person = keys.get(other)
            if person is not None and one not in keys:
                others[one] = person if others.get(one, person) is person else None
    return {key: person for key, person in others.items() if person is not None}


def _plain(word: str) -> str:
    folded = unicodedata.normalize("NFKD", word.casefold())
    return "".join(c for c in folded if not unicodedata.combining(c))


def _alike(word: str, keys: Mapping[str, Name]) -> Name | None:
    if len(word) < _TYPO_LENGTH:
        return None
    like = {p.id: p for key, p in keys.items() if len(key) >= _TYPO_LENGTH and _one_error(word, key)}
    return next(iter(like.values())) if len(like) == 1 else None


def _one_error(a: str, b: str) -> bool:
    """Return True if one letter added, left out, replaced or swapped with the next turns ``a`` into ``b``."""
    if abs(len(a) - len(b)) > 1 or a[0] != b[0]:
        return False
    start = 0
    while start < min(len(a), len(b)) and a[start] == b[start]:
        start += 1
    rest_a, rest_b = a[start:], b[start:]
    swapped = rest_a[:2] == rest_b[1::-1] and rest_a[2:] == rest_b[2:]
    return rest_a[1:] == rest_b[1:] or rest_a[1:] == rest_b or rest_a == rest_b[1:] or swapped
