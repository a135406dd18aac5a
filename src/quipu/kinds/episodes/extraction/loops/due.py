"""Until when: the day that a promise or a task names, as seen from when it was said."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Final

_DAYS: Final[tuple[str, ...]] = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS: Final[tuple[str, ...]] = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_NUMBERS: Final = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6,
    "seven": 7, "eight": 8, "nine": 9, "ten": 10,
}  # fmt: skip
_ORDINALS: Final = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth",
    "eighteenth", "nineteenth", "twentieth", "twenty-first", "twenty-second", "twenty-third",
    "twenty-fourth", "twenty-fifth", "twenty-sixth", "twenty-seventh", "twenty-eighth", "twenty-ninth",
    "thirtieth", "thirty-first",
)  # fmt: skip
_SPELLED: Final = re.compile(rf"\bthe ({'|'.join(sorted(_ORDINALS, key=len, reverse=True))})\b")
_UNITS: Final = {"minute": 1 / 1440, "hour": 1 / 24, "day": 1, "week": 7, "month": 30}

_WEEKDAY: Final = re.compile(rf"\b(next )?({'|'.join(_DAYS)})\b")
_IN: Final = re.compile(rf"\bin (\d{{1,3}}|{'|'.join(_NUMBERS)}) (minute|hour|day|week|month)s?\b")
_MONTH_FIRST: Final = re.compile(rf"\b({'|'.join(_MONTHS)}) (\d{{1,2}})(?:st|nd|rd|th)?\b")
_DAY_FIRST: Final = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({'|'.join(_MONTHS)})\b")
_ORDINAL: Final = re.compile(r"\b(?:by|before|on|until|till) the (\d{1,2})(?:st|nd|rd|th)\b")
_ISO: Final = re.compile(r"\b(20\d\d)-(\d\d)-(\d\d)\b")
_TODAY: Final = re.compile(
    r"\b(?:today|tonight|overnight|this (?:morning|afternoon|evening)|by eod|end of the day)\b"
)
_TOMORROW: Final = re.compile(r"\b(?:tomorrow|first thing|in the morning)\b")
_SPANS: Final = (
    (re.compile(r"\bnext week\b"), "next week"),
    (re.compile(r"\bthis week\b|\bend of (?:the|this) week\b"), "this week"),
    (re.compile(r"\b(?:this |next )?weekend\b"), "weekend"),
    (re.compile(r"\bnext month\b"), "next month"),
    (re.compile(r"\bthis month\b|\bend of (?:the|this) month\b"), "this month"),
)


def due(seen: str, *, said_at: datetime) -> datetime | None:
    """Return the end of the day that a sentence in lower case names, or None if it names none.

    A weekday is the next one of that name, a month's day the next time it comes; a week, weekend or month
    is due at its end.
    """
    today = said_at.replace(hour=0, minute=0, second=0, microsecond=0)
    seen = _SPELLED.sub(lambda match: f"the {_ORDINALS.index(match[1]) + 1}th", seen)
    day = _dated(seen, today) or _near(seen, today) or _weekday(seen, today) or _span(seen, today)
    return None if day is None else day + timedelta(days=1)


def _near(seen: str, today: datetime) -> datetime | None:
    if _TOMORROW.search(seen):
        return today + timedelta(days=1)
    if _TODAY.search(seen):
        return today
    match = _IN.search(seen)
    if match is None:
        return None
    count = int(match[1]) if match[1].isdecimal() else _NUMBERS[match[1]]
    return today + timedelta(days=int(count * _UNITS[match[2]]))


def _weekday(seen: str, today: datetime) -> datetime | None:
    match = _WEEKDAY.search(seen)
    if match is None:
        return None
    ahead = (_DAYS.index(match[2]) - today.weekday()) % 7 or 7
    return today + timedelta(days=ahead)


def _dated(seen: str, today: datetime) -> datetime | None:
    if match := _ISO.search(seen):
        return _on(today, int(match[1]), int(match[2]), int(match[3]))
    if match := _MONTH_FIRST.search(seen):
        return _next(today, _MONTHS.index(match[1]) + 1, int(match[2]))
    if match := _DAY_FIRST.search(seen):
        return _next(today, _MONTHS.index(match[2]) + 1, int(match[1]))
    if match := _ORDINAL.search(seen):
        month = today.month if int(match[1]) >= today.day else today.month % 12 + 1
        return _next(today, month, int(match[1]))
    return None


def _next(today: datetime, month: int, day: int) -> datetime | None:
    this = _on(today, today.year, month, day)
    return this if this is None or this >= today else _on(today, today.year + 1, month, day)


def _on(today: datetime, year: int, month: int, day: int) -> datetime | None:
    try:
        return today.replace(year=year, month=month, day=day)
    except ValueError:  # no such day
        return None


def _span(seen: str, today: datetime) -> datetime | None:
    name = next((name for pattern, name in _SPANS if pattern.search(seen)), None)
    sunday = today + timedelta(days=6 - today.weekday())
    if name in ("this week", "weekend"):
        return sunday
    if name == "next week":
        return sunday + timedelta(days=7)
    if name in ("this month", "next month"):
        first = (today.replace(day=1) + timedelta(days=32)).replace(day=1)
        if name == "next month":
            first = (first + timedelta(days=32)).replace(day=1)
        return first - timedelta(days=1)
    return None
