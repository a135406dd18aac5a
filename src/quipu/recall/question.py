"""A question taken apart: what it asks for, which people of the space it names, which time it means."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from quipu.recall.dates import Window, asks_when, windows
from quipu.recall.terms import DEFAULT, question_terms

# A name that (nearly) everybody shares a thread with says nothing in the words: it only finds greetings.
_EVERYWHERE = 0.9
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_POSSESSIVE = re.compile(r"['’]s?$")
_FIRST_PERSON = re.compile(
    r"\b(?:I|I'm|I've|I'd|me|my|mine|myself|ich|mich|mir|meine?[rmns]?|yo|mi|mis|je|j'|mon|ma|mes|io|mio|mia|eu|meu|minha)\b"
    r"|[我俺]|私|僕|俺|ผม|ฉัน",
)
_POINTS_BACK = re.compile(
    r"\b(?:you|your|yours|assistant|remind me what"
    r"|our (?:previous|last|earlier) (?:conversation|chat|talk|session))\b"
    r"|[你您]|あなた",
    re.IGNORECASE,
)
_TYPO_LENGTH = 5
_MOST_GUESSES = 200  # words that may be names with an error: each is compared with every name


@dataclass(frozen=True, slots=True)
class Question:
    """A question as the search must know it.

    ``meaning`` is the text to embed. ``terms`` maps each word to the hashes that it may be filed under.
    ``speakers`` are the people whose own words are asked for; ``people`` all who are named.
    """

    text: str
    meaning: str
    terms: Mapping[str, tuple[int, ...]]
    mentions: tuple[Mention, ...]
    asker: bool
    when: bool
    windows: tuple[Window, ...]

    @property
    def speakers(self) -> tuple[int, ...]:
        """The one person named; nobody where two or more are."""
        return (self.mentions[0].person.id,) if len(self.mentions) == 1 else ()

    @property
    def people(self) -> tuple[int, ...]:
        """Everybody named."""
        return tuple(m.person.id for m in self.mentions)


def understand(
    text: str,
    *,
    people: Sequence[Name],
    languages: Sequence[str],
    now: datetime,
    first: datetime,
    last: datetime,
) -> Question:
    """Take a question apart.

    ``people`` are those of the space, ``languages`` those its entries are written in, ``first`` and
    ``last`` the times of its oldest and newest entry.
    """
    mentions = mentioned(text, people)
    everywhere = [m for m in mentions if m.person.share >= _EVERYWHERE]
    return Question(
        text=text,
        meaning=without(text, mentions),
        terms=question_terms(without(text, everywhere), list(languages) or [DEFAULT]),
        mentions=tuple(mentions),
        asker=not mentions and asks_about_asker(text),
        when=asks_when(text),
        windows=tuple(windows(text, now=now, first=first, last=last)),
    )


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


def mentioned(question: str, people: Sequence[Name]) -> list[Mention]:
    """Return the people whom ``question`` names: by full name, by first name, or with one typing error.

    A first name that two people share names nobody. One error is forgiven in capitalised words of five
    letters or more that are like one name only.
    """
    keys = _keys(people)
    places: dict[int, list[tuple[int, int]]] = {}
    guesses = _MOST_GUESSES
    for match in _WORD.finditer(question):
        word = _plain(_POSSESSIVE.sub("", match.group()))
        person = keys.get(word)
        if person is None and match.group()[0].isupper() and guesses:
            guesses -= 1
            person = _alike(word, keys)
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


def asks_about_asker(question: str) -> bool:
    """Return True if the question is about its asker ("where do I live?"), not about an earlier answer."""
    return bool(_FIRST_PERSON.search(question)) and not _POINTS_BACK.search(question)


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
    found: dict[str, Name | None] = {}
    for person in people:
        parts = _plain(person.name).split()
        for key in {" ".join(parts), *parts[:1]}:
            known = found.get(key)
            found[key] = person if key not in found or known is person else None
    return {key: person for key, person in found.items() if person is not None and len(key) > 1}


def _plain(word: str) -> str:
    folded = unicodedata.normalize("NFKD", word.casefold())
    return "".join(c for c in folded if not unicodedata.combining(c))


def _alike(word: str, keys: dict[str, Name]) -> Name | None:
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
