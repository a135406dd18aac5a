"""Forgetting what agents keep in tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.tables import store
from quipu.upkeep.erasure.model import What


class TablesEraser:
    """Drops the schemas of a space with everything in them.

    Rows of agents' tables say nothing of the person or the session that they come from, so an erasure of
    one of these leaves them: an agent that keeps such rows deletes them by what its columns say.
    """

    async def count(self, tx: SpaceTransaction, what: What) -> Mapping[str, int]:
        """Count schemas and tables that would go; nothing if less than the space is meant."""
        if not what.everything:
            return {}
        schemas = await store.schemas(tx)
        ((tables,),) = await tx.rows(store.SQL["count_tables"])
        counts = {"table_schemas": len(schemas), "agent_tables": tables}
        return {name: count for name, count in counts.items() if count}

    async def erase(self, tx: SpaceTransaction, what: What) -> Sequence[int]:
        """Drop them. Their entries go with the space, all at once."""
        if what.everything:
            for schema in await store.schemas(tx):
                await store.discard(tx, schema.id)
        return []
