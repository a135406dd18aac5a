"""Forgetting the keys of a space, or of one user."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from quipu.kernel.db.database import SpaceTransaction
from quipu.upkeep.erasure.model import What
from quipu.upkeep.keys import store


class KeysEraser:
    """Takes the keys of a space with it, and those bound to a user with the user: they hold the name."""

    async def count(self, tx: SpaceTransaction, what: What) -> Mapping[str, int]:
        """Count the keys that would go."""
        keys = 0
        if what.everything:
            keys = await store.count_of_space(tx)
        elif (user := _user(what)) is not None:
            keys = await store.count_of_person(tx, user)
        return {"api_keys": keys} if keys else {}

    async def erase(self, tx: SpaceTransaction, what: What) -> Sequence[int]:
        """Take them; keys have no entries in the index."""
        if what.everything:
            await store.drop_of_space(tx)
        elif (user := _user(what)) is not None:
            await store.drop_of_person(tx, user)
        return ()


def _user(what: What) -> str | None:
    """Return the user who is forgotten, where it is not only a session or a message of theirs."""
    return what.user if what.session is None and what.message is None else None
