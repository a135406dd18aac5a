"""Leaving out of a batch what was erased before."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from quipu.kernel.db.database import Within
from quipu.kinds.transcripts.reading.model import Details, Reading
from quipu.kinds.transcripts.reading.side import Prompt
from quipu.kinds.transcripts.syncing.pieces import Batch
from quipu.upkeep.erasure.tombstones import Recorded, erased, erased_sessions

_WORDS: Final = ("custom_title", "ai_title", "first_prompt", "last_prompt", "agent_description")
"""What is told of a session in words of its lines."""


async def without_erased(within: Within, batch: Batch, *, began: datetime) -> tuple[Batch, int]:
    """A batch without lines that were erased, and how many these are. Nothing is known of them any more.

    A session that lost lines here loses what was told of it in their words, and one that was erased and has
    no line left is not told of.
    """
    readings = [piece.reading for piece in batch.pieces]
    lines = [
        Recorded(one.uuid, one.session, one.happened_at) for reading in readings for one in reading.entries
    ]
    leaves = [Recorded(one.leaf_uuid) for reading in readings for one in reading.summaries]
    gone = await erased(within.conn, within.space.name, [*lines, *leaves], began=began)
    lost = {one.session or "" for place, one in enumerate(lines) if place in gone}
    left = {one.session or "" for place, one in enumerate(lines) if place not in gone}
    told = {name for reading in readings for name in reading.details}
    closed = await erased_sessions(within, sorted(told - left), lost=sorted(told & lost))
    if not (gone or closed):
        return batch, 0
    line, leaf = iter(range(len(lines))), iter(range(len(lines), len(lines) + len(leaves)))
    pieces = [
        replace(
            piece,
            reading=replace(
                piece.reading,
                entries=[one for one in piece.reading.entries if next(line) not in gone],
                summaries=[one for one in piece.reading.summaries if next(leaf) not in gone],
                details=_details(piece.reading, lost, closed),
            ),
        )
        for piece in batch.pieces
    ]
    return replace(batch, pieces=pieces), sum(place < len(lines) for place in gone)


def _details(reading: Reading, lost: Collection[str], closed: Collection[str]) -> dict[str, Details]:
    return {
        name: replace(details, **dict.fromkeys(_WORDS)) if name in lost else details
        for name, details in reading.details.items()
        if name not in closed
    }


async def prompts_left(within: Within, prompts: Sequence[Prompt], *, began: datetime) -> Sequence[Prompt]:
    """The prompts of a history that were not erased."""
    recorded = [Recorded(one.content, one.session, one.happened_at) for one in prompts]
    gone = await erased(within.conn, within.space.name, recorded, began=began, kind="prompt")
    return [one for place, one in enumerate(prompts) if place not in gone]
