"""A fact in words: what recall searches and shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

_HEADS: Final = ("value", "label", "assumption", "items")


def sentence(key: str, value: object) -> str:
    """Return ``baseline.scope: single (locationLabel Lisbon)``: key, value, and the rest in brackets."""
    return f"{key}: {_words(value)}"


def _words(value: object) -> str:
    match value:
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
        case Mapping():
            return _object(cast("Mapping[str, Any]", value))
        case str():
            return value
        case Sequence():
            return "; ".join(map(_words, cast("Sequence[object]", value)))
        case _:
            return str(value)


def _object(value: Mapping[str, Any]) -> str:
    head = next((name for name in _HEADS if value.get(name) is not None), None)
    rest = ", ".join(
        f"{name} {_words(inner)}" for name, inner in value.items() if name != head and inner is not None
    )
    if head is None:
        return rest
    return f"{_words(value[head])} ({rest})" if rest else _words(value[head])
