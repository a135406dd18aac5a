"""Forgetting the keys of a space."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from quipu.kernel.db.database import Within
from quipu.upkeep.erasure.model import What
from quipu.upkeep.keys import store


class KeysEraser:
    """Takes the keys of a space with the whole space: they hold its name, which is often a person's."""

    async def count(self, within: Within, what: What) -> Mapping[str, int]:
        """How many keys would go."""
        keys = await store.count_of_space(within) if what.everything else 0
        return {"api_keys": keys} if keys else {}

    async def erase(self, within: Within, what: What) -> Sequence[int]:
        """Take them; keys have no entries in the index."""
        if what.everything:
            await store.drop_of_space(within)
        return ()
