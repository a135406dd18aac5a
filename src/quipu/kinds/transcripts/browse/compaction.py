"""Compaction of old bulky tool output: a marker takes its place, once for each output."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kinds.transcripts.browse.model import CompactedOutput, CompactedTool
from quipu.kinds.transcripts.browse.store import SQL

_BATCH: Final = 500
KEPT: Final = 200
"""Characters of a command's output that stay."""

LEAST_BYTES: Final = {
    "Read": 200,
    "Bash": 200,
    "Grep": 100,
    "Glob": 100,
    "Edit": 100,
    "MultiEdit": 100,
    "Write": 100,
}
"""Tools whose output is replaced where it is longer than so many bytes."""


async def compact(
    database: Database, space: str, *, project: str | None, older_than_days: int, now: datetime, confirm: bool
) -> CompactedOutput:
    """Replace what is older; without ``confirm`` only say what would be. Each batch is one transaction."""
    before = now - timedelta(days=older_than_days)
    tools: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    last: tuple[int, str] | None = (-1, "")
    while last is not None:
        async with database.transaction(space) as tx:
            if tx is None:
                break
            outputs = await _outputs(tx, project=project, before=before, after=last)
            replaced = [(one, text) for one in outputs if (text := one.marker) is not None]
            if confirm:
                await _replace(tx, replaced, now)
        for one, text in replaced:
            tools[one.tool_name].append((one.size_bytes, len(text.encode())))
        last = (outputs[-1].session_id, outputs[-1].tool_call_id) if len(outputs) == _BATCH else None
    counted = [
        CompactedTool(tool, len(sizes), sum(a for a, _ in sizes), sum(b for _, b in sizes))
        for tool, sizes in tools.items()
    ]
    counted.sort(key=lambda one: (one.bytes_after - one.bytes_before, one.tool))
    return CompactedOutput(confirm, older_than_days, tuple(counted))


@dataclass(frozen=True, slots=True)
class _Output:
    """An output that is old and long; ``beginning`` of its text."""

    session_id: int
    tool_call_id: str
    tool_name: str
    size_bytes: int
    path: str | None
    beginning: str

    @property
    def marker(self) -> str | None:
        """The text that takes its place; None if it stays."""
        return marker(self.tool_name, size_bytes=self.size_bytes, path=self.path, beginning=self.beginning)


async def _outputs(
    tx: SpaceTransaction, *, project: str | None, before: datetime, after: tuple[int, str]
) -> list[_Output]:
    return await tx.fetch(
        _Output,
        SQL["bulky"],
        project=project,
        before=before,
        tools=list(LEAST_BYTES),
        least=min(LEAST_BYTES.values()),
        kept=KEPT,
        after_session=after[0],
        after_call=after[1],
        limit=_BATCH,
    )


async def _replace(tx: SpaceTransaction, replaced: Sequence[tuple[_Output, str]], now: datetime) -> None:
    await tx.execute(
        SQL["replace"],
        sessions=Int8s([one.session_id for one, _ in replaced]),
        calls=[one.tool_call_id for one, _ in replaced],
        markers=[text for _, text in replaced],
        sizes=Int8s([one.size_bytes for one, _ in replaced]),
        now=now,
    )


def marker(tool: str, *, size_bytes: int, path: str | None, beginning: str) -> str | None:
    """Return the stand-in for an output of ``size_bytes`` that begins so; None if it stays as it is.

    It also stays if the marker would be no shorter.
    """
    if size_bytes <= LEAST_BYTES.get(tool, size_bytes):
        return None
    where = f" of {path}" if path else ""
    match tool:
        case "Bash":
            made = f"{beginning[:KEPT]}\n[compacted: {size_bytes:,} bytes of output]"
        case "Read":
            made = f"[compacted: {size_bytes:,} bytes{where}; the file or its history has them]"
        case "Edit" | "MultiEdit" | "Write":
            made = f"[compacted: {size_bytes:,} bytes about a change{where}]"
        case _:
            made = f"[compacted: {size_bytes:,} bytes of {tool} results]"
    return made if len(made.encode()) < size_bytes else None
