"""Erasure of documents: those of a person, and those at a path; standing or removed, with every version."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.documents import store
from quipu.kinds.documents.store import SQL
from quipu.upkeep.erasure.model import Named, What


@dataclass(frozen=True, slots=True)
class DocumentsEraser:
    """Takes documents with their versions, passages and entries.

    Without bounds it takes those that belong to a person, or all of a space. ``first`` and ``behind`` are the
    bounds of the places that are meant, ``key`` that of one document at the first of them.
    """

    first: str | None = None
    behind: str | None = None
    key: str | None = None

    async def count(self, tx: SpaceTransaction, what: What) -> Mapping[str, int]:
        """Count the documents and versions that would go; tables without any are left out."""
        doomed = await self._doomed(tx, what)
        counts = {
            "documents": sum(standing for _, standing, _ in doomed),
            "document_versions": sum(versions for *_, versions in doomed),
        }
        return {table: count for table, count in counts.items() if count}

    async def erase(self, tx: SpaceTransaction, what: What) -> Sequence[int]:
        """Take them; returns the entries of their passages."""
        ids = [id_ for id_, *_ in await self._doomed(tx, what)]
        if not ids:
            return []
        entries = await store.entries_of(tx, ids)
        await tx.execute(SQL["erase"], ids=ids)
        return entries

    async def _doomed(self, tx: SpaceTransaction, what: What) -> list[tuple[str, bool, int]]:
        mine = self.first is not None
        if not mine and (what.session is not None or what.message is not None):
            return []
        return [
            (id_, standing, versions)
            for id_, standing, versions in await tx.rows(
                SQL["doomed"],
                first=self.first,
                behind=self.behind,
                key=self.key,
                user=None if mine else what.user,
                everything=not mine and what.everything,
            )
        ]


NAMED = Named(
    gone={
        "documents.documents": ("place", "key", "value", "body", "metadata", "written_by"),
        "documents.versions": ("place", "key", "value", "body", "metadata", "written_by"),
    },
)
