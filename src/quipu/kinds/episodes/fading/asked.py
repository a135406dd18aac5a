"""What callers hand in about episodes, checked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Final, TypeVar
from uuid import UUID

from quipu.errors import BadInput, NotFound
from quipu.kernel.db.database import Within
from quipu.kinds.episodes.fading import store

_PREFIX: Final = re.compile(r"[0-9a-f-]{4,36}")
_Word = TypeVar("_Word", bound=str)


def one_of(field: str, value: object, words: Sequence[_Word]) -> _Word:
    """One of some words.

    Raises:
        BadInput: it is none of them; names ``field``.
    """
    found = next((word for word in words if word == value), None)
    if found is None:
        raise BadInput(f"it is none of {', '.join(words)}.", field=field)
    return found


async def id_of(within: Within | None, given: UUID | str) -> UUID:
    """The id of an episode: a whole one, or the only one that begins so.

    Raises:
        NotFound: there is none.
        BadInput: several begin so, or it is no id.
    """
    found = [given] if isinstance(given, UUID) else []
    if isinstance(given, str):
        text = given.strip().lower()
        if not _PREFIX.fullmatch(text):
            raise BadInput("no id of an episode.", field="id", hint="At least four digits of it.")
        found = [] if within is None else await store.ids_like(within, text)
    if len(found) > 1:
        raise BadInput(f"several episodes begin with {given}.", field="id", hint="Give more of it.")
    if not found:
        raise NotFound(f"There is no episode {given} in this space.", hint="quipu episodes list shows them.")
    return found[0]


async def row_of(within: Within | None, given: UUID | str, *, now: datetime) -> store.Row:
    """The episode with an id. Raises as ``id_of`` does."""
    id_ = await id_of(within, given)
    rows = [] if within is None else await store.episodes(within, store.Wanted(ids=[id_]), now=now)
    if not rows:
        raise NotFound(f"There is no episode {given} in this space.", hint="quipu episodes list shows them.")
    return rows[0]
