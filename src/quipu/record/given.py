"""Numbers and times as callers hand them in, checked."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from quipu.errors import BadInput
from quipu.record.moment import moment

_ANY_TIME: Final = datetime(9000, 1, 1, tzinfo=UTC)


def time(field: str, value: object) -> datetime | None:
    """A moment in UTC, or None where none is given; a day is its beginning.

    Raises:
        BadInput: it is none that can be read without guessing; names ``field``.
    """
    if value is None:
        return None
    read = moment(value, now=_ANY_TIME)
    if isinstance(read, str):
        raise BadInput(read, field=field)
    return read.at


def whole(field: str, value: object, *, least: int = 1, most: int = 1_000) -> int:
    """A whole number in its bounds.

    Raises:
        BadInput: it is none; names ``field``.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise BadInput(f"a whole number from {least:,} to {most:,}.", field=field)
    return value
