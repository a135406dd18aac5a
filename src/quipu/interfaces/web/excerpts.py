"""Excerpts of long texts and JSON values, of at most so many bytes of a page."""

from __future__ import annotations

from dataclasses import dataclass
from json import JSONEncoder
from typing import Any, Final

from markupsafe import escape

_ENCODER: Final = JSONEncoder(ensure_ascii=False, indent=2)


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The beginning of a text, and whether there is more of it."""

    text: str
    is_cut: bool


def excerpt(text: str, *, most_bytes: int) -> Excerpt:
    """Return the beginning of a text that takes at most so many bytes once it is escaped."""
    shown = text[:most_bytes]
    while (size := len(escape(shown).encode())) > most_bytes:
        shown = shown[: min(len(shown) - 1, len(shown) * most_bytes // size)]
    return Excerpt(shown, len(shown) < len(text))


def readable(value: Any, *, most_bytes: int) -> Excerpt:
    """Return the beginning of a JSON value, with a line for each part; the rest is not even written.

    A value that is nested deeper than Python counts is cut where it gets too deep.
    """
    parts: list[str] = []
    size, is_whole = 0, True
    try:
        for part in _ENCODER.iterencode(value):
            parts.append(part)
            size += len(part)
            if size > most_bytes:
                break
    except RecursionError:
        is_whole = False
    shown = excerpt("".join(parts), most_bytes=most_bytes)
    return Excerpt(shown.text, shown.is_cut or not is_whole)
