"""Ids of memories and places in lists, as callers hand them in, checked."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Sequence
from typing import Final, TypeVar
from uuid import UUID

from quipu.errors import BadInput, NotFound

_PREFIX: Final = re.compile(r"[0-9a-f-]{4,36}")
_Row = TypeVar("_Row")


def id_of(value: object, *, what: str, hint: str) -> UUID | str:
    """Return an id, or the beginning of one in small letters: at least four of its digits.

    Raises:
        BadInput: it is neither; ``what`` it would be the id of, and ``hint``: where ids are shown.
    """
    if isinstance(value, UUID):
        return value
    if isinstance(value, str) and _PREFIX.fullmatch(value.strip().lower()):
        text = value.strip().lower()
        try:
            return UUID(text) if len(text) == 36 else text
        except ValueError:
            pass
    raise BadInput(f"no id of {what}.", field="id", hint=f"At least four digits of it; {hint}")


def only(found: Sequence[UUID], asked: object) -> UUID | None:
    """Return the id that was meant by its beginning; None if none begins so.

    Raises:
        BadInput: several begin so.
    """
    if len(found) > 1:
        raise BadInput(f"several begin with {asked}.", field="id", hint="Give more of it.")
    return found[0] if found else None


async def behind(row: Awaitable[_Row]) -> _Row:
    """Return the row behind which a list goes on.

    Raises:
        BadInput: it is no row of the list, or is gone.
    """
    try:
        return await row
    except (BadInput, NotFound) as error:
        raise BadInput(
            "that is no row of this list, or it is gone.", field="after", hint="Begin at the first page."
        ) from error
