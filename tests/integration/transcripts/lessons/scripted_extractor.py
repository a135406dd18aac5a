"""An extractor that finds what a test wrote down, and all rows that an extraction writes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from quipu.kernel.db.database import Database
from quipu.kinds.transcripts.extract.model import Extraction, Finding, SessionTurn

Record = Callable[..., Awaitable[None]]
"""Records a session: its name, what the user said; ``project``, ``days_ago``, ``parent``."""


class Scripted:
    """Finds ``findings`` in every session whose turns say what they cite."""

    def __init__(
        self, version: int, findings: Sequence[Finding], *, dropped: int = 0, error: str | None = None
    ) -> None:
        self.name = "scripted"
        self.version = version
        self._found = Extraction(tuple(findings), dropped, error)

    async def extract(self, turns: Sequence[SessionTurn], *, project: str | None = None) -> Extraction:
        return self._found


def finding(fact: str, turn: int, category: str = "preferences", *, excerpt: str = "x") -> Finding:
    return Finding(fact=fact, category=category, confidence=0.9, turn_index=turn, excerpt=excerpt)


async def rows(database: Database, space: str) -> list[object]:
    """Everything that is known of the memories of a space, but for when it was read."""
    found: list[object] = []
    async with database.transaction(space) as tx:
        assert tx is not None
        for table in ("memories", "memory_sources", "memory_contradictions", "memory_edits"):
            query = f"select to_jsonb(t) - 'extracted_at' from transcripts.{table} t order by 1"
            found += await (await tx.conn.execute(query.encode())).fetchall()
        count = await tx.conn.execute(
            "select id, content from core.recall_entries where kind = 3 order by id"
        )
        found += await count.fetchall()
    return found
