"""Filters of a search, as they were given, checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar, cast

from quipu.errors import BadInput

_Word = TypeVar("_Word", bound=str)


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrowed:
    """Conditions on texts; None sets no condition. ``since`` is included, ``until`` is not.

    ``project``: the path contains it. ``session``: the name begins with it.
    """

    project: str | None = None
    session: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    parts: tuple[str, ...] | None = None
    roles: tuple[str, ...] | None = None
    tools: tuple[str, ...] | None = None
    errors: bool = False

    def values(self, sessions: Sequence[int] | None) -> Mapping[str, object]:
        """Return the arguments of a query; ``sessions`` are the numbers of the sessions, None for all."""
        return {
            "parts": _listed(self.parts),
            "roles": _listed(self.roles),
            "tools": _listed(self.tools),
            "errors": self.errors,
            "since": self.since,
            "until": self.until,
            "sessions": None if sessions is None else list(sessions),
        }


def _listed(values: tuple[str, ...] | None) -> list[str] | None:
    return None if values is None else list(values)


def several(
    field: str, value: str | Iterable[str] | None, *, known: Sequence[_Word] | None = None
) -> tuple[str, ...] | None:
    """Return one word or several as a tuple; None for none.

    Raises:
        BadInput: one of them is no text, or none of ``known``.
    """
    if value is None:
        return None
    given = (value,) if isinstance(value, str) else tuple(value)
    for one in given:
        if not isinstance(cast(object, one), str) or (known is not None and one not in known):
            choice = f"is none of {', '.join(known)}" if known is not None else "is no text"
            raise BadInput(f"{one!r} {choice}.", field=field)
    return given or None


def optional_text(field: str, value: object) -> str | None:
    """Return a text without NUL, or None.

    Raises:
        BadInput: it is no text, or empty.
    """
    if value is None:
        return None
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise BadInput("give a text, or leave it out.", field=field)
    return value
