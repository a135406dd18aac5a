"""Addresses of pages, with what they are asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from urllib.parse import quote, urlencode

Value = str | int | float | bool | datetime | Iterable[str] | None


def link(path: str, query: Mapping[str, Value]) -> str:
    """Return an address, ``/recall?q=tea``, without None, empty and false values; a list repeats its name."""
    pairs = [(name, one) for name, value in query.items() for one in _words(value)]
    return f"{quote(path)}?{urlencode(pairs)}" if pairs else quote(path)


def of_document(path: Sequence[str], key: str | None = None) -> dict[str, Value]:
    """Return a document's path and key as an address has them: names with slashes each by itself."""
    is_plain = not any("/" in name for name in path)
    return {**({"path": "/".join(path)} if is_plain else {"name": path}), "key": key}


def _words(value: Value) -> list[str]:
    if value is None or value is False or value == "":
        return []
    if value is True:
        return ["yes"]
    if isinstance(value, datetime):
        return [value.isoformat()]
    if isinstance(value, str | int | float):
        return [str(value)]
    return [word for word in value if word]


def is_ours(path: str) -> bool:
    """Return True for an address on this server, so that no form sends anybody elsewhere."""
    return (
        path.startswith("/") and not path.startswith(("//", "/\\")) and "\n" not in path and "\r" not in path
    )
