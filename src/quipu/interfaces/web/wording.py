"""How numbers, sizes and times are told on a page."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

import orjson

_UNITS: Final = ("bytes", "kB", "MB", "GB", "TB")
_SPANS: Final = (("day", 86_400), ("hour", 3_600), ("minute", 60))
_FAR: Final = timedelta(days=60)


def number(value: float) -> str:
    """``12,345``; fractions with two digits."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"


def size(value: int) -> str:
    """``3.4 MB``, by thousands."""
    amount, unit = float(value), 0
    while amount >= 1000 and unit < len(_UNITS) - 1:
        amount, unit = amount / 1000, unit + 1
    return f"{amount:.1f} {_UNITS[unit]}" if unit else f"{value} {_UNITS[0]}"


def moment(at: datetime) -> str:
    """``2026-05-04 13:30``, in UTC."""
    return at.astimezone(UTC).strftime("%Y-%m-%d %H:%M")


def day(at: datetime) -> str:
    """``2026-05-04``, in UTC."""
    return at.astimezone(UTC).strftime("%Y-%m-%d")


def ago(at: datetime, now: datetime) -> str:
    """``3 hours ago`` or ``in 2 days``; what is far away is told by its day."""
    apart = now - at
    if abs(apart) > _FAR:
        return day(at)
    seconds = abs(apart.total_seconds())
    for unit, length in _SPANS:
        if seconds >= length:
            count = int(seconds // length)
            span = f"{count} {unit}{'s' if count > 1 else ''}"
            return f"{span} ago" if apart > timedelta() else f"in {span}"
    return "just now"


def counted(count: int, one: str, many: str | None = None) -> str:
    """``1 memory``, ``2 memories``, ``1,200 sessions``."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


def told(value: object) -> str:
    """A value as it reads: a text as it is, nothing as a dash, anything else as JSON."""
    if isinstance(value, str):
        return value
    return "–" if value is None else orjson.dumps(value, default=str).decode()
