"""Questions as recall understands them: the people they name, the times they name, and their terms."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import islice
from typing import Final

import numpy as np
from numpy.typing import NDArray

from quipu.kernel.prose.signs import TimeAsked, asks_about_asker, asks_when, time_asked, wants_one_value
from quipu.recall.terms import DEFAULT, MONTHS, STOP, question_terms, tells_time

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
    """Return the other names of people whom a question names."""
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
    """Return the rough sound of a name in Latin letters: its first vowel and its consonants.

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


# A name that (nearly) everybody shares a thread with says nothing in the words: it only finds greetings.
_EVERYWHERE = 0.9
_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_DIGIT = re.compile(r"\d")
_YEAR = r"(?:19|20)\d\d"
_DAY = r"(?:[12]\d|3[01]|0?[1-9])"
_ISO = re.compile(rf"\b({_YEAR})-(0?[1-9]|1[0-2])-({_DAY})\b")
_DOTTED = re.compile(rf"\b({_DAY})\.(0?[1-9]|1[0-2])\.({_YEAR})\b")
_DAY_FIRST = re.compile(
    rf"(?i)\b({_DAY})(?:st|nd|rd|th|\.)?(?: of| de)? ({_MONTH})\b\.?(?:,? (?:de )?({_YEAR}))?"
)
_MONTH_FIRST = re.compile(rf"(?i)\b({_MONTH})\.? ({_DAY})(?:st|nd|rd|th)?\b(?!\d)(?:,? ({_YEAR}))?")
_MONTH_YEAR = re.compile(rf"\b({_MONTH})\.?,? (?:of |de )?({_YEAR})\b", re.IGNORECASE)
_MONTH_ALONE = re.compile(
    rf"(?i)\b(?:in|since|during|until|till|by|of|last|this|early|late|mid|im|en|seit|depuis)"
    rf" (?:early |late |mid-?)?({_MONTH})\b"
)
_YEAR_ALONE = re.compile(rf"(?<![\d.\-/])({_YEAR})(?![\d.\-/年])")
_HAN = re.compile(r"(?:(\d{4})\s{0,3}年\s{0,3})?(1[0-2]|[1-9])\s{0,3}月(?:\s{0,3}(\d{1,2})\s{0,3}[日号號])?")
_RELATIVE = re.compile(
    r"(?i)\b(yesterday|today|last (week|month|year)|this (week|month|year)"
    r"|(\d{1,3}|a|an|one|two|three|four|five|six) (day|week|month|year)s? ago)\b"
)
_TOLD_YEARS = range(1000, 9000)
_MOST_WINDOWS = 100  # a question that names more times than this does not ask for any of them
_COUNTS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}


@dataclass(frozen=True, slots=True)
class Question:
    """A question as the search must know it.

    ``meaning`` is the text to embed. ``terms`` maps each word to the hashes that it may be filed under.
    ``speakers`` are the people whose own words are asked for; ``people`` all who are named. ``time_asked`` is
    what it wants of a value that changed; ``wants_one_value``: the one that holds now. ``vector`` is that of
    ``meaning``, None until it is embedded.
    """

    text: str
    meaning: str
    terms: Mapping[str, tuple[int, ...]]
    mentions: tuple[Mention, ...]
    asker: bool
    when: bool
    windows: tuple[Window, ...]
    time_asked: TimeAsked | None
    wants_one_value: bool
    vector: NDArray[np.float32] | None = field(default=None, compare=False, repr=False)

    @property
    def speakers(self) -> tuple[int, ...]:
        """The one person named; nobody where two or more are."""
        return (self.mentions[0].person.id,) if len(self.mentions) == 1 else ()

    @property
    def people(self) -> tuple[int, ...]:
        """Everybody named."""
        return tuple(m.person.id for m in self.mentions)


def _terms(
    text: str, languages: Sequence[str], aliases: Sequence[tuple[str, str]]
) -> Mapping[str, tuple[int, ...]]:
    """Return the terms of a question; a name is found under the other names of that person as well."""
    terms = question_terms(text, languages)
    for other in other_names(text, aliases):
        for word in terms.keys() & question_terms(other.word, languages).keys():
            hashes = [h for further in question_terms(other.known_as, languages).values() for h in further]
            terms[word] = tuple(dict.fromkeys((*terms[word], *hashes)))
    return terms


@dataclass(frozen=True, slots=True)
class Window:
    """A time that a question names: what happened in [since, until) scores ``score``.

    What happened later, until ``ends``, scores ``after``, less the later: a factor e for each ``fade``
    (people tell of a day the day after).
    """

    since: datetime
    until: datetime
    score: float
    ends: datetime
    after: float = 0.0
    fade: timedelta = timedelta(days=3650)


def understand(
    text: str,
    *,
    people: Sequence[Name],
    aliases: Sequence[tuple[str, str]] = (),
    languages: Sequence[str],
    now: datetime,
    first: datetime,
    last: datetime,
) -> Question:
    """Take a question apart.

    ``people`` are those of the space, ``aliases`` other names of people with the names. ``languages`` are
    those its entries are written in, ``first`` and ``last`` the times of its oldest and newest entry.
    """
    mentions = mentioned(text, people, aliases)
    everywhere = [m for m in mentions if m.person.share >= _EVERYWHERE]
    return Question(
        text=text,
        meaning=without(text, mentions),
        terms=_terms(without(text, everywhere), list(languages) or [DEFAULT], aliases),
        mentions=tuple(mentions),
        asker=not mentions and asks_about_asker(text),
        when=asks_when(text),
        windows=tuple(windows(text, now=now, first=first, last=last)),
        time_asked=time_asked(text),
        wants_one_value=wants_one_value(text),
    )


def windows(question: str, *, now: datetime, first: datetime, last: datetime) -> list[Window]:
    """Return the times that ``question`` names, the most exact readings only.

    ``first`` and ``last`` bound what the space remembers: a month without a year means that month in
    every year between them.
    """
    years = range(first.year, last.year + 1)
    days = _days(question, years) if _DIGIT.search(question) else iter(())  # every day has a number
    for readings in (days, _relative(question, now), _months(question, years)):
        if found := list(islice(readings, _MOST_WINDOWS)):
            return found
    return [_year(int(m.group(1))) for m in islice(_YEAR_ALONE.finditer(question), _MOST_WINDOWS)]


def _days(question: str, years: range) -> Iterator[Window]:
    for year, month, day in _day_parts(question):
        for y in [int(year)] if year else years:
            moment = _moment(y, month, day)
            if moment is not None:
                yield _around(moment, days=1)


def _day_parts(question: str) -> Iterator[tuple[str | None, int, int]]:
    for m in _ISO.finditer(question):
        yield m.group(1), int(m.group(2)), int(m.group(3))
    for m in _DOTTED.finditer(question):
        yield m.group(3), int(m.group(2)), int(m.group(1))
    for m in _DAY_FIRST.finditer(question):
        yield m.group(3), _number(m.group(2)), int(m.group(1))
    for m in _MONTH_FIRST.finditer(question):
        yield m.group(3), _number(m.group(1)), int(m.group(2))
    for m in _HAN.finditer(question):
        if m.group(3):
            yield m.group(1), int(m.group(2)), int(m.group(3))


def _months(question: str, years: range) -> Iterator[Window]:
    dated = [(int(m.group(2)), _number(m.group(1))) for m in _MONTH_YEAR.finditer(question)]
    dated += [(int(m.group(1)), int(m.group(2))) for m in _HAN.finditer(question) if m.group(1)]
    if not dated:
        alone = {_number(m.group(1)) for m in _MONTH_ALONE.finditer(question)}
        alone |= {int(m.group(2)) for m in _HAN.finditer(question) if not m.group(1)}
        dated = [(year, month) for year in years for month in sorted(alone)]
    for year, month in dated:
        since = _moment(year, month, 1)
        if since is not None:
            until = (since + timedelta(days=31)).replace(day=1)
            yield Window(since, until, 1.0, until + timedelta(days=31), after=0.5)


def _relative(question: str, now: datetime) -> Iterator[Window]:
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    for m in _RELATIVE.finditer(question):
        unit = m.group(2) or m.group(3) or m.group(5)
        if unit is None:
            days = 1 if m.group(1)[0] in "yY" else 0
            yield _around(today - timedelta(days=days), days=1)
            continue
        span = _DAYS[unit.lower()]
        if m.group(5):
            said = m.group(4).lower()
            count = int(said) if said.isdecimal() else _COUNTS.get(said, 0)
            yield _around(today - timedelta(days=count * span + span // 2), days=span)
        else:
            until = today - timedelta(days=span) if m.group(2) else today + timedelta(days=1)
            yield Window(until - timedelta(days=span), until, 1.0, until + timedelta(days=span), after=0.5)


def _around(day: datetime, *, days: int) -> Window:
    """Return a day's window: told on the day itself or the next, then ever more rarely."""
    until = day + timedelta(days=days + 1)
    return Window(day, until, 1.0, until + timedelta(days=29), after=1.0, fade=timedelta(days=4))


def _year(year: int) -> Window:
    until = datetime(year + 1, 1, 1, tzinfo=UTC)
    return Window(datetime(year, 1, 1, tzinfo=UTC), until, 0.5, until)


def _number(month: str) -> int:
    """Return the month, 1 to 12; 0 for a lookalike (the Turkish and the long letters match as i and s)."""
    return MONTHS.get(month.lower(), 0)


def _moment(year: int, month: int, day: int) -> datetime | None:
    """Return the beginning of a day; None if there is no such day, or nobody tells of its year."""
    try:
        return datetime(year, month, day, tzinfo=UTC) if year in _TOLD_YEARS else None
    except ValueError:
        return None


def concerns(question: Question, *, since: datetime, until: datetime) -> bool:
    """Return True if a question asks for the past, or names a time from ``since`` to ``until``."""
    if question.time_asked in ("past", "change"):
        return True
    return any(window.since < until and window.until > since for window in question.windows)
