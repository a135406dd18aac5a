"""The arguments of a call, checked: whose memory it concerns, on whose behalf, and numbers, times and ids.

A task asks for everybody in a space, or for one person, of whom alone the database then shows rows. One that
only reads may be answered by a standby.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Coroutine, Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import wraps
from typing import Any, Final, ParamSpec, TypedDict, TypeVar

from quipu.errors import AccessRefused, BadInput
from quipu.kernel.redact import secret_kind

_UNFIT = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
LONGEST = 512
_BOUND: Final[ContextVar[str | None]] = ContextVar("quipu_person", default=None)
_MAY: Final[ContextVar[bool | None]] = ContextVar("quipu_may_read_at_standby", default=None)
_ANY_TIME: Final = datetime(9000, 1, 1, tzinfo=UTC)
_Word = TypeVar("_Word", bound=str)
_P = ParamSpec("_P")
_T = TypeVar("_T")
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


def check_name(field: str, value: object) -> str:
    """Return ``value`` where it can name something: 1 to 512 characters, no control character, no secret.

    Raises:
        BadInput: naming ``field``, never what stands in it.
    """
    name = check_known_name(field, value)
    refuse_secret(field, name)
    return name


def optional_name(field: str, value: object) -> str | None:
    """Return ``value`` where it can name something, or None where nothing was given.

    Raises:
        BadInput: naming ``field``, never what stands in it.
    """
    return None if value is None else check_name(field, value)


def check_known_name(field: str, value: object) -> str:
    """Return ``value`` where it may already name something, be it a secret: what is to be erased.

    Raises:
        BadInput: naming ``field``.
    """
    if not isinstance(value, str) or not value.strip():
        raise BadInput("a name is needed.", field=field, hint=f'For example {field}="ana".')
    if len(value) > LONGEST:
        raise BadInput(f"it has {len(value):,} characters; {LONGEST} are the most.", field=field)
    if _UNFIT.search(value):
        raise BadInput("it has a control character or half a character in it.", field=field)
    return value


def refuse_secret(field: str, text: str) -> None:
    """Refuse a name, or whatever else cannot lose a part of it, that holds a secret for certain.

    Raises:
        BadInput: naming ``field`` and the kind of the secret, never the secret.
    """
    kind = secret_kind(text)
    if kind is not None:
        raise BadInput(
            f"it holds what looks like a secret ({kind}), and names are kept as they are.",
            field=field,
            hint="Name it otherwise, for example by an id of your own.",
        )


@contextmanager
def acting_for(user: str | None) -> Generator[None]:
    """Read and write as ``user`` alone inside the block: the database shows no row of anybody else.

    This holds for the task that enters it and for those it starts. Rows with no owner or several are hidden
    as well; what cannot be kept apart by person raises ``AccessRefused``. None asks for everybody.

    Raises:
        BadInput: the name cannot be one.
    """
    token = _BOUND.set(optional_name("user", user))
    try:
        yield
    finally:
        _BOUND.reset(token)


def act_for(user: str | None) -> None:
    """Let the rest of the enclosing ``acting_for`` read and write as ``user``, who was just found to ask."""
    _BOUND.set(user)


def bound_person() -> str | None:
    """Return the person for whom this task asks, None where it asks for everybody."""
    return _BOUND.get()


def everybody_only(what: str) -> None:
    """Do nothing, where this task asks for everybody.

    Raises:
        AccessRefused: it asks for one person; ``what`` names what is refused, as in "Snapshots concern".
    """
    if bound_person() is not None:
        raise AccessRefused(
            f"{what} everybody in the space; you may see and change what belongs to one person.",
            hint="It needs a key that is not bound to a user.",
        )


def own_user(user: str | None) -> str | None:
    """Return the owner of a row to write: ``user``, or the person for whom this task asks.

    Raises:
        AccessRefused: it asks for one person, and ``user`` is another.
    """
    person = bound_person()
    if person is not None and user not in {None, person}:
        raise AccessRefused(
            f"You may write for {person!r} only, not for another user.", hint="Leave the user out."
        )
    return user if person is None else person


def whole(field: str, value: object, *, least: int = 1, most: int = 1_000) -> int:
    """Return a whole number within its bounds.

    Raises:
        BadInput: it is none; names ``field``.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        shown = value if isinstance(value, int | float) and abs(value) < 10**12 else "that"
        raise BadInput(f"a whole number from {least:,} to {most:,}, not {shown}.", field=field)
    return value


def one_of(field: str, value: object, words: Sequence[_Word]) -> _Word:
    """Return the value if it is one of some words.

    Raises:
        BadInput: it is none of them; names ``field`` and the words.
    """
    choice = next((word for word in words if word == value), None)
    if choice is None:
        shown = repr(value) if isinstance(value, str) and len(value) <= 64 else "it"
        raise BadInput(f"{shown} is none of {', '.join(words)}.", field=field)
    return choice


def time(field: str, value: object) -> datetime | None:
    """Return a moment in UTC, or None if none is given; a day means its beginning.

    Raises:
        BadInput: it is none that can be read without guessing; names ``field``.
    """
    if value is None:
        return None
    read = moment(value, now=_ANY_TIME)
    if isinstance(read, str):
        raise BadInput(read, field=field)
    return read.at


class Validity(TypedDict):
    """Time for which something holds in the world; None as the end: it goes on."""

    valid_from: datetime | None
    valid_until: datetime | None


def validity(valid_from: object, valid_until: object) -> Validity:
    """Return the time for which something holds.

    Raises:
        BadInput: one is no time, or it ends before it begins.
    """
    since, until = time("valid_from", valid_from), time("valid_until", valid_until)
    if since is not None and until is not None and until <= since:
        raise BadInput("it must be later than valid_from.", field="valid_until")
    return {"valid_from": since, "valid_until": until}


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


@dataclass(frozen=True, slots=True)
class Moment:
    """A time in UTC; ``assumed_utc`` if it came without a zone and was taken as UTC."""

    at: datetime
    assumed_utc: bool


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


class Unreadable(Exception):
    """The standby cannot answer this; the primary is to be asked."""


@contextmanager
def at_primary() -> Generator[None]:
    """Read at the primary in the block: what is read there is written again, changed."""
    token = _MAY.set(False)
    try:
        yield
    finally:
        _MAY.reset(token)


def reads_only(method: Callable[_P, Awaitable[_T]]) -> Callable[_P, Coroutine[Any, Any, _T]]:
    """Let a standby answer where the method opens a space for reading; where none can, it begins again."""

    @wraps(method)
    async def read(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        if _MAY.get() is not None:  # whoever began the outermost begins again
            return await method(*args, **kwargs)
        token = _MAY.set(True)
        try:
            return await method(*args, **kwargs)
        except Unreadable:
            _MAY.set(False)
            return await method(*args, **kwargs)
        finally:
            _MAY.reset(token)

    return read


def may_read_at_standby() -> bool:
    """Return True if this task only reads, and begins again where a standby cannot answer."""
    return _MAY.get() is True


_WROTE: Final[ContextVar[list[None] | None]] = ContextVar("quipu_wrote", default=None)


@contextmanager
def noting_writes() -> Generator[list[None]]:
    """Note in a list each transaction of the block, and of the tasks that it starts, that has written."""
    wrote: list[None] = []
    token = _WROTE.set(wrote)
    try:
        yield wrote
    finally:
        _WROTE.reset(token)


def note_write() -> None:
    """Note that a transaction has written; see ``noting_writes``."""
    wrote = _WROTE.get()
    if wrote is not None:
        wrote.append(None)
