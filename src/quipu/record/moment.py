"""Time at which a message was said: every form that we take, and none that we would have to guess."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

_FORMS: Final = (
    'Send ISO 8601 with a zone ("2026-05-04T10:00:00Z"), seconds or milliseconds since 1970, or leave it out.'
)
_EARLIEST: Final = datetime(1970, 1, 1, tzinfo=UTC)
_AHEAD: Final = timedelta(days=1)

# From 1973 to the year 5138 a number of seconds and a number of milliseconds cannot be confused. Smaller
# numbers are turn counters and years far more often than times, so they are refused instead of becoming 1970.
_LEAST_SECONDS: Final = 10**8
_LEAST_MILLISECONDS: Final = 10**11
_LIMIT_MILLISECONDS: Final = 10**14
_NUMBER = re.compile(r"\d{9,14}(?:\.\d{1,9})?\Z", re.ASCII)
_LONGEST_ISO: Final = 64


@dataclass(frozen=True, slots=True)
class Moment:
    """A time in UTC; ``assumed_utc`` if it came without a zone and was taken as UTC."""

    at: datetime
    assumed_utc: bool


def moment(value: object, *, now: datetime) -> Moment | str:
    """Return the moment that the value means, or the reason why it is refused.

    Taken are an aware or naive datetime, ISO 8601 text, and seconds or milliseconds since 1970 as a number or
    as digits. A time without a zone is UTC. Refused are times before 1970 and more than a day after ``now``.
    """
    read = _read(value)
    if isinstance(read, str):
        return read
    if read.at < _EARLIEST:
        return f"{read.at:%Y-%m-%d} is before 1970. {_FORMS}"
    if read.at > now + _AHEAD:
        return f"{read.at:%Y-%m-%d} is in the future. Check the clock or the unit (seconds or milliseconds)."
    return read


def _read(value: object) -> Moment | str:
    match value:
        case bool():
            return f"a truth value is no time. {_FORMS}"
        case int() | float():
            return _from_number(value)
        case datetime():
            return _in_utc(value)
        case str():
            return _from_text(value.strip())
        case _:
            return f"{type(value).__name__} is no time. {_FORMS}"


def _from_number(value: float) -> Moment | str:
    if not _LEAST_SECONDS <= value < _LIMIT_MILLISECONDS:  # also true of nan
        return f"the number is no time since 1973 in seconds or milliseconds. {_FORMS}"
    milliseconds = value if value >= _LEAST_MILLISECONDS else value * 1000
    return Moment(_EARLIEST + timedelta(milliseconds=milliseconds), assumed_utc=False)


def _from_text(text: str) -> Moment | str:
    if _NUMBER.match(text):
        return _from_number(float(text) if "." in text else int(text))
    if len(text) > _LONGEST_ISO:
        return f"a text of {len(text)} characters is no time. {_FORMS}"
    try:
        return _in_utc(datetime.fromisoformat(text.upper()))
    except ValueError:
        return f"{text!r} is no time that can be read without guessing. {_FORMS}"


def _in_utc(value: datetime) -> Moment | str:
    if value.tzinfo is None or value.utcoffset() is None:
        return Moment(value.replace(tzinfo=UTC), assumed_utc=True)
    try:
        return Moment(value.astimezone(UTC), assumed_utc=False)
    except OverflowError:
        return f"the year {value.year} is out of range. {_FORMS}"
