"""Hints for people used to other memories: what to use in place of their methods."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_OBSERVE: Final = (
    "use observe(messages, space=…) for what is said, longterm.add(text, space=…) for one memory"
)
_RECALL: Final = "use recall(question, space=…)"
_FORGET: Final = "use forget(…, space=…), which shows what would go unless confirm=True"
_LIST: Final = "use list(space=…) or get(id, space=…) of a kind of memory, for example of longterm"
_EDIT: Final = "use edit(id, …, space=…) of a kind of memory, for example of longterm"

HINTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        **dict.fromkeys(("add", "insert", "remember", "retain", "save", "store"), _OBSERVE),
        **dict.fromkeys(("find", "query", "retrieve", "search"), _RECALL),
        **dict.fromkeys(("delete", "delete_all", "erase", "remove", "reset"), _FORGET),
        **dict.fromkeys(("all", "get", "get_all", "list"), _LIST),
        **dict.fromkeys(("edit", "update"), _EDIT),
        "history": "use history(id, space=…) of a kind of memory, for example of longterm",
    }
)


def missing(owner: object, name: str) -> AttributeError:
    """Return the error for an attribute that a memory does not have, with what to use instead."""
    kind = type(owner).__name__
    hint = HINTS.get(name)
    message = f"{kind} has no {name}: {hint}." if hint else f"{kind!r} object has no attribute {name!r}"
    return AttributeError(message, name=name, obj=owner)
