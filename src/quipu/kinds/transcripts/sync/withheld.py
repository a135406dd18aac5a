"""Data that a sync leaves out: lines erased before, and spaces that were forgotten meanwhile."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime
from typing import Final

from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kinds.transcripts.formats.model import Details, Reading
from quipu.kinds.transcripts.formats.side import Prompt
from quipu.kinds.transcripts.sync.pieces import Batch
from quipu.upkeep.erasure.tombstones import Recorded, erased, erased_sessions, is_forgotten, note_of

_WORDS: Final = ("custom_title", "ai_title", "first_prompt", "last_prompt", "agent_description")
"""Details of a session that repeat words of its lines."""


class Forgotten(Exception):
    """The whole space was forgotten since the work began: it is not made again, and nothing is stored in it.

    A signal inside of a sync and an import; no caller ever sees it.
    """


@asynccontextmanager
async def writing(
    database: Database, space: str, *, began: datetime | None
) -> AsyncGenerator[SpaceTransaction]:
    """Open a transaction to add to a space; ``began`` is when the work began, None to ignore erasures.

    Raises:
        Forgotten: the whole space was forgotten since.
    """
    async with database.write(space) as tx:
        if began is not None and await is_forgotten(tx.conn, space, began=began):
            raise Forgotten
        yield tx


async def pass_over(database: Database, batch: Batch, space: str, *, now: datetime) -> int:
    """Note the sessions of a batch as erased with their space, so that no later sync takes them in; how many
    lines that are."""
    readings = [piece.reading for piece in batch.pieces]
    names = {name for one in readings for name in (*one.details, *(line.session for line in one.entries))}
    async with database.unscoped() as conn:
        named = [("", name) for name in sorted(names)]
        await note_of(conn, space, "session", named, until=now)
    return sum(len(one.entries) for one in readings)


async def without_erased(tx: SpaceTransaction, batch: Batch, *, began: datetime) -> tuple[Batch, int]:
    """Return a batch without lines that were erased, and the number of these.

    A session that lost lines here loses what was derived from their words; an erased session without any line
    left is dropped.

    Raises:
        Forgotten: the whole space was forgotten since the work began.
    """
    if await is_forgotten(tx.conn, tx.space.name, began=began):
        raise Forgotten
    readings = [piece.reading for piece in batch.pieces]
    lines = [
        Recorded(one.uuid, one.session, one.happened_at) for reading in readings for one in reading.entries
    ]
    leaves = [Recorded(one.leaf_uuid) for reading in readings for one in reading.summaries]
    gone = await erased(tx.conn, tx.space.name, [*lines, *leaves], began=began)
    lost = {one.session or "" for place, one in enumerate(lines) if place in gone}
    left = {one.session or "" for place, one in enumerate(lines) if place not in gone}
    told = {name for reading in readings for name in reading.details}
    closed = await erased_sessions(tx, sorted(told - left), lost=sorted(told & lost))
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


async def prompts_left(
    tx: SpaceTransaction, prompts: Sequence[Prompt], *, began: datetime
) -> Sequence[Prompt]:
    """Return the prompts of a history that were not erased."""
    recorded = [Recorded(one.content, one.session, one.happened_at) for one in prompts]
    gone = await erased(tx.conn, tx.space.name, recorded, began=began, kind="prompt")
    return [one for place, one in enumerate(prompts) if place not in gone]
