"""Checks of callers' arguments about episodes."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from quipu.errors import NotFound
from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.episodes.decay import store
from quipu.record.given import id_of as given_id
from quipu.record.given import only

_HINT: Final = "The list of episodes shows them."


async def id_of(tx: SpaceTransaction | None, given: UUID | str) -> UUID:
    """Return the id of an episode: a whole one, or the only one that begins so.

    Raises:
        NotFound: there is none.
        BadInput: several begin so, or it is no id.
    """
    asked = given_id(given, what="an episode", hint=_HINT)
    found: UUID | None = None
    if tx is not None and isinstance(asked, UUID):
        found = asked if await store.is_there(tx, asked) else None
    elif tx is not None:
        found = only(await store.ids_like(tx, str(asked)), asked)
    if found is None:
        raise NotFound(f"There is no episode {given} in this space.", hint=_HINT)
    return found


async def row_of(tx: SpaceTransaction | None, given: UUID | str) -> store.Row:
    """Return the episode with an id. Raises as ``id_of`` does."""
    id_ = await id_of(tx, given)
    rows = [] if tx is None else await store.episodes(tx, ids=[id_])
    if not rows:
        raise NotFound(f"There is no episode {given} in this space.", hint=_HINT)
    return rows[0]
