"""Pieces of text as people read them."""

from __future__ import annotations

import re
from datetime import datetime

from quipu.kernel.base.prompt_text import without_invisible
from quipu.kernel.base.text import REPLACEMENT, excerpt

# Control characters and the marks that turn the writing direction: what is stored must not steer a terminal.
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_BLOCKS = " ▏▎▍▌▋▊▉"
_CELLS = 10


def visible(text: str) -> str:
    """Replace everything that a terminal would obey by U+FFFD, and remove invisible signs."""
    if text.isprintable() and text.isascii():
        return text
    return REPLACEMENT.join(map(without_invisible, _STEERING.split(text)))


def shortened(text: str, length: int) -> str:
    """Return the beginning of the text on one line, safe to print."""
    return visible(excerpt(text, length)) if text.strip() else ""


def bar(amount: float) -> str:
    """Return a bar of an amount from 0 to 1: one cell for each tenth, in steps of an eighth of a cell."""
    eighths = round(min(1.0, max(0.0, amount)) * _CELLS * 8)
    return "█" * (eighths // 8) + _BLOCKS[eighths % 8].strip()


def day_and_time(at: datetime | None) -> str:
    """Format a moment: ``2025-03-04 10:03`` in UTC, which is what is stored."""
    return "" if at is None else f"{at:%Y-%m-%d %H:%M}"


def count(number: int, one: str, many: str | None = None) -> str:
    """Format a count: ``1 message``, ``2,000 messages``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def size(size_bytes: int) -> str:
    """Format a size: ``12.3 MB``."""
    if size_bytes < 1_000_000:
        return f"{size_bytes / 1_000:.0f} kB"
    return (
        f"{size_bytes / 1_000_000:,.1f} MB"
        if size_bytes < 1_000_000_000
        else f"{size_bytes / 1_000_000_000:,.2f} GB"
    )


def named(name: str) -> str:
    """Say the name that something was given."""
    return visible(name)


def done(_: object) -> str:
    """Say that it was done, where there is nothing else to say."""
    return "Done."


def used(counted: int) -> str:
    """Format the number of uses that were noted."""
    return f"{count(counted, 'use')} noted"
