"""Ids of memories and places in lists, as callers hand them in, checked."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, LiteralString, TypeVar
from uuid import UUID

from quipu.errors import BadInput, NotFound
from quipu.kernel.db.database import SpaceTransaction

_PREFIX: Final = re.compile(r"[0-9a-f-]{4,36}")
_Row = TypeVar("_Row")


async def row_of(
    tx: SpaceTransaction | None,
    value: object,
    *,
    like: LiteralString,
    fetch: Callable[[SpaceTransaction, Sequence[UUID]], Awaitable[Sequence[_Row]]],
    what: str,
    hint: str,
) -> _Row:
    """Return the row with an id, or with the only id that begins so.

    ``like`` is the query for the ids that begin with ``%(prefix)s``, ``fetch`` gets rows by their ids.
    ``what`` names the row ("lesson"), and ``hint`` says where ids are shown.

    Raises:
        NotFound: there is none.
        BadInput: several ids begin so, or it is no id.
    """
    wanted = _id_of(value, hint=hint)
    rows: Sequence[_Row] = ()
    if tx is not None and isinstance(wanted, str):
        ids = [row[0] for row in await tx.rows(like, prefix=f"{wanted}%")]
        if len(ids) > 1:
            raise BadInput(f"several begin with {wanted}.", field="id", hint="Give more of it.")
        rows = await fetch(tx, ids) if ids else ()
    elif tx is not None and isinstance(wanted, UUID):
        rows = await fetch(tx, [wanted])
    if not rows:
        raise NotFound(f"There is no {what} {wanted} in this space.", hint=hint)
    return rows[0]


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


def _id_of(value: object, *, hint: str) -> UUID | str:
    """Return an id, or the beginning of one in small letters: at least four of its digits."""
    if isinstance(value, UUID):
        return value
    if isinstance(value, str) and _PREFIX.fullmatch(value.strip().lower()):
        text = value.strip().lower()
        try:
            return UUID(text) if len(text) == 36 else text
        except ValueError:
            pass
    raise BadInput("that is no id.", field="id", hint=f"At least four digits of it; {hint}")
