"""Wording of numbers, sizes and times on a page."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

import orjson

_UNITS: Final = ("bytes", "kB", "MB", "GB", "TB")
_SPANS: Final = (("day", 86_400), ("hour", 3_600), ("minute", 60))
_FAR: Final = timedelta(days=60)


def number(value: float) -> str:
    """Format a number: ``12,345``; fractions with two digits."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"


def size(value: int) -> str:
    """Format a size: ``3.4 MB``, by thousands."""
    amount, unit = float(value), 0
    while amount >= 1000 and unit < len(_UNITS) - 1:
        amount, unit = amount / 1000, unit + 1
    return f"{amount:.1f} {_UNITS[unit]}" if unit else f"{value} {_UNITS[0]}"


def moment(at: datetime) -> str:
    """Format a moment: ``2026-05-04 13:30``, in UTC."""
    return at.astimezone(UTC).strftime("%Y-%m-%d %H:%M")


def day(at: datetime) -> str:
    """Format a day: ``2026-05-04``, in UTC."""
    return at.astimezone(UTC).strftime("%Y-%m-%d")


def ago(at: datetime, now: datetime) -> str:
    """Format a distance in time: ``3 hours ago`` or ``in 2 days``; a far one as its day."""
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
    """Format a count: ``1 memory``, ``2 memories``, ``1,200 sessions``."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


def shown(value: object) -> str:
    """Format a value: a text unchanged, nothing as a dash, anything else as JSON."""
    if isinstance(value, str):
        return value
    return "–" if value is None else orjson.dumps(value, default=str).decode()
