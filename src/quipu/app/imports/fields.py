"""Account of an import, and the fields of a source: whatever is not asked for is told as dropped."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, tzinfo
from typing import Any, Final, cast

from quipu.app.imports.found import JSON
from quipu.kernel.base.depth import TOO_DEEP, is_too_deep

_MOST_REFUSED: Final = 1_000
_MILLISECONDS: Final = 10**11  # seconds since 1970 reach this in the year 5138
_MICROSECONDS: Final = 10**14
_ZONE_NAME: Final = re.compile(r"\[[\w/+-]+\]$")  # as Java writes it behind the offset


class Unreadable(Exception):
    """A record of the source is not what its format says: the field, and what is wrong with it."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field
        self.reason = reason


@dataclass(slots=True)
class Account:
    """Account that a reader gives of a source beside its records.

    ``version`` of the system or its format, where it is known. ``dropped`` counts fields that have no place
    here, by name (``point.text_lemmatized``); they stay in the raw record of the origin. ``left_out`` counts
    records that are not taken, by the reason (``deleted at the source``). ``assumed`` are sentences.
    ``refused`` are records that could not be read, by place and reason, the first thousand of
    ``unreadable``.
    """

    version: str | None = None
    dropped: Counter[str] = field(default_factory=Counter[str])
    left_out: Counter[str] = field(default_factory=Counter[str])
    assumed: dict[str, None] = field(default_factory=dict[str, None])
    refused: list[str] = field(default_factory=list[str])
    unreadable: int = 0

    def drop(self, name: str, count: int = 1) -> None:
        """Count a field that has no place here."""
        if count:
            self.dropped[name] += count

    def leave_out(self, why: str, count: int = 1) -> None:
        """Count a record that is not taken."""
        if count:
            self.left_out[why] += count

    def assume(self, sentence: str) -> None:
        """Note what is taken for granted where the source does not say."""
        self.assumed[sentence] = None

    def refuse(self, where: str, reason: str) -> None:
        """Note a record that could not be read."""
        self.unreadable += 1
        if len(self.refused) < _MOST_REFUSED:
            self.refused.append(f"{where}: {reason}")

    @contextmanager
    def reading(self, where: str) -> Generator[None]:
        """Refuse the record at a place, if it proves unreadable inside the block, and go on."""
        try:
            yield
        except Unreadable as error:
            self.refuse(where, str(error))

    @contextmanager
    def fields(self, value: object, name: str) -> Generator[Fields]:
        """Give the fields of a record; at the end of the block, tell those that nobody asked for.

        Raises:
            Unreadable: it is no object.
        """
        given = Fields(value, name, self)
        yield given
        given.tell()


class Fields:
    """Fields of a record, taken by name and kind; a field that is null counts as not given."""

    def __init__(self, value: object, name: str, account: Account) -> None:
        if not isinstance(value, Mapping):
            raise Unreadable(name, f"it is {_kind(value)}, not an object")
        self._value = cast("Mapping[str, JSON]", value)
        self._name = name
        self._account = account
        self._taken: set[str] = set()
        self._parts: list[Fields] = []

    def get(self, name: str) -> JSON:
        """Take a field of any kind; None if it is not given."""
        self._taken.add(name)
        return self._value.get(name)

    def text(self, name: str) -> str | None:
        """Take a text; None if it is not given or empty. A number is taken as one, for ids."""
        value = self.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return str(value)
        return self._of(name, value, str, "a text") or None

    def words(self, name: str) -> str:
        """Take a text that must be there."""
        if (value := self.text(name)) is None:
            raise Unreadable(f"{self._name}.{name}", "it is missing")
        return value

    def first(self, *names: str) -> str | None:
        """Take fields that mean the same; the first text that is given."""
        return next((text for text in [self.text(name) for name in names] if text is not None), None)

    def number(self, name: str) -> float | None:
        """Take a finite number."""
        value = self.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float | None):
            raise Unreadable(f"{self._name}.{name}", f"it is {_kind(value)}, not a number")
        return value if isinstance(value, int) or (value is not None and math.isfinite(value)) else None

    def flag(self, name: str) -> bool:
        """Take a truth value, or 0 and 1; False if it is not given."""
        return bool(self.get(name))

    def list(self, name: str) -> Sequence[JSON]:
        """Take a list; empty if it is not given."""
        return self._of(name, self.get(name), list, "a list") or []

    def object(self, name: str) -> Mapping[str, JSON]:
        """Take an object whole; empty if it is not given."""
        return self._of(name, self.get(name), dict, "an object") or {}

    def json(self, name: str) -> JSON:
        """Take what a text of JSON says, or the value itself where it is no text; None if it is not given."""
        value = self.get(name)
        is_text = isinstance(value, str | bytes)
        return parsed(value or "null", f"{self._name}.{name}") if is_text else value

    def part(self, name: str) -> Fields:
        """Take an object field by field; what is not taken of it is told too. Empty if it is not given."""
        made = Fields(self.get(name) or {}, f"{self._name}.{name}", self._account)
        self._parts.append(made)
        return made

    def time(self, name: str, *, zone: tzinfo | None = UTC) -> datetime | None:
        """Take a time: ISO 8601, a day, or seconds, milli- or microseconds since 1970.

        One without a zone is of ``zone``, None for this machine's, which the reader tells as assumed.
        """
        value = self.get(name)
        if value is None or value == "":
            return None
        try:
            return moment(value, zone=zone)
        except (ValueError, OverflowError, OSError) as error:
            raise Unreadable(f"{self._name}.{name}", "it is no time") from error

    def rest(self) -> Mapping[str, JSON]:
        """Take all fields that were not taken yet, to keep them as metadata."""
        left = {name: value for name, value in self._value.items() if name not in self._taken}
        self._taken.update(left)
        return left

    def tell(self) -> None:
        """Tell the fields that have something in them and were not taken."""
        for name, value in self._value.items():
            if name not in self._taken and value not in (None, "", [], {}):
                self._account.drop(f"{self._name}.{name}")
        for part in self._parts:
            part.tell()

    def __iter__(self) -> Iterator[str]:
        return iter(self._value)

    def _of(self, name: str, value: object, kind: type[Any], called: str) -> Any:
        if value is not None and not isinstance(value, kind):
            raise Unreadable(f"{self._name}.{name}", f"it is {_kind(value)}, not {called}")
        return value


def as_object(value: object) -> dict[str, JSON] | None:
    """Return a value that is an object of JSON; None for any other."""
    return cast("dict[str, JSON]", value) if isinstance(value, dict) else None


def as_list(value: object) -> list[JSON] | None:
    """Return a value that is a list; None for any other."""
    return cast("list[JSON]", value) if isinstance(value, list) else None


def plain_row(row: Iterable[tuple[str, object]]) -> dict[str, JSON]:
    """Return the columns of a row as JSON has them: bytes are left out, a number that is none is null."""
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in row
        if not isinstance(value, bytes | bytearray | memoryview)
    }


def parsed(text: str | bytes, name: str) -> JSON:
    """Return the value that a text of JSON says; a number that is none (NaN) is null. ``name`` is for errors.

    Raises:
        Unreadable: it is no JSON, or nested too deep.
    """
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    if is_too_deep(data):
        raise Unreadable(name, TOO_DEEP)
    try:
        return json.loads(data.decode("utf-8-sig", "surrogatepass"), parse_constant=lambda _: None)
    except ValueError as error:
        raise Unreadable(name, "it is no JSON") from error


def moment(value: object, *, zone: tzinfo | None = UTC) -> datetime:
    """Return a time as other systems write it: ISO 8601, a day, or a number since 1970; in UTC.

    Without a zone it is of ``zone``, None for this machine's.

    Raises:
        ValueError: it is none.
        OverflowError: it is out of range.
    """
    if isinstance(value, bool):
        raise ValueError("a truth value is no time")
    if isinstance(value, int | float):
        if not math.isfinite(value):
            raise ValueError("it is not finite")
        scale = 1_000_000 if abs(value) >= _MICROSECONDS else 1_000 if abs(value) >= _MILLISECONDS else 1
        return datetime.fromtimestamp(value / scale, UTC)
    if isinstance(value, str):
        value = datetime.fromisoformat(_ZONE_NAME.sub("", value.strip()))
    elif isinstance(value, date) and not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)
    if not isinstance(value, datetime):
        raise ValueError("it is no time")
    return (value if value.tzinfo or zone is None else value.replace(tzinfo=zone)).astimezone(UTC)


def object_of(value: JSON) -> dict[str, JSON]:
    """Return an object; an empty one if it is anything else."""
    return as_object(value) or {}


def list_of(value: JSON) -> list[JSON]:
    """Return a list; an empty one if it is anything else."""
    return as_list(value) or []


def _kind(value: object) -> str:
    names: Mapping[type, str] = {
        dict: "an object",
        list: "a list",
        str: "a text",
        bool: "a truth value",
        type(None): "null",
    }
    return names.get(type(value), "a number" if isinstance(value, int | float) else "something else")
