"""A question taken apart: what it asks for, which people of the space it names, which time it means."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from quipu.kernel.prose.changes import TimeAsked, time_asked, wants_one_value
from quipu.kernel.prose.questions import asks_about_asker, asks_when
from quipu.recall.names import Mention, Name, mentioned, other_names, without
from quipu.recall.terms import DEFAULT, MONTHS, question_terms

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
