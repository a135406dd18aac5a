"""Replacing old bulky tool output by markers: counted first, done when asked, once for each output."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kinds.transcripts.browse import store
from quipu.kinds.transcripts.browse.markers import KEPT, LEAST_BYTES, marker
from quipu.kinds.transcripts.browse.model import CompactedOutput, CompactedTool

_BATCH: Final = 500


@dataclass(frozen=True, slots=True)
class _Replaced:
    """An output and what stands in its place."""

    one: store.Bulky
    marker: str


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
            found = await _bulky(tx, project=project, before=before, after=last)
            replaced = _replaced(found)
            if confirm:
                await _replace(tx, replaced, now)
        for each in replaced:
            tools[each.one.tool_name].append((each.one.size_bytes, len(each.marker.encode())))
        last = (found[-1].session_id, found[-1].tool_call_id) if len(found) == _BATCH else None
    counted = [
        CompactedTool(tool, len(sizes), sum(a for a, _ in sizes), sum(b for _, b in sizes))
        for tool, sizes in tools.items()
    ]
    counted.sort(key=lambda one: (one.bytes_after - one.bytes_before, one.tool))
    return CompactedOutput(confirm, older_than_days, tuple(counted))


async def _bulky(
    tx: SpaceTransaction, *, project: str | None, before: datetime, after: tuple[int, str]
) -> list[store.Bulky]:
    values = {
        "project": project,
        "before": before,
        "tools": list(LEAST_BYTES),
        "least": min(LEAST_BYTES.values()),
        "kept": KEPT,
        "after_session": after[0],
        "after_call": after[1],
        "limit": _BATCH,
    }
    return await store.rows(tx, store.Bulky, "bulky", values)


def _replaced(found: Sequence[store.Bulky]) -> list[_Replaced]:
    made = (
        (one, marker(one.tool_name, size_bytes=one.size_bytes, path=one.path, beginning=one.beginning))
        for one in found
    )
    return [_Replaced(one, text) for one, text in made if text is not None]


async def _replace(tx: SpaceTransaction, replaced: Sequence[_Replaced], now: datetime) -> None:
    values = {
        "sessions": Int8s([each.one.session_id for each in replaced]),
        "calls": [each.one.tool_call_id for each in replaced],
        "markers": [each.marker for each in replaced],
        "sizes": Int8s([each.one.size_bytes for each in replaced]),
        "now": now,
    }
    await store.run(tx, "replace", values)
