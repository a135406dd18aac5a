"""Matches with the conversation around them, for another agent to read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kinds.transcripts.browse import store
from quipu.kinds.transcripts.browse.model import (
    TranscriptHit,
    TranscriptHits,
    TranscriptMatches,
    TranscriptTurn,
)
from quipu.kinds.transcripts.browse.windows import Window, merged

OVERFETCH: Final = 4
"""So many more hits are asked for than matches are wanted, since windows merge."""


async def recalled(
    database: Database, space: str, found: TranscriptHits, *, turns: int, characters: int, limit: int
) -> TranscriptMatches:
    """Return the matches of a search with ``turns`` messages on each side, each cut to so many characters."""
    windows: list[Window] = []
    async with database.transaction(space) as tx:
        if tx is not None:
            for hit in _once(found.hits):
                windows.append(Window(hit, await _around(tx, hit, turns=turns, characters=characters)))
    matches = merged([one for one in windows if one.turns], most=limit)
    return TranscriptMatches(found.query, found.total, tuple(matches))


def _once(hits: Sequence[TranscriptHit]) -> list[TranscriptHit]:
    """Return the best hit of each line: its words and its thoughts may both have been found."""
    best: dict[tuple[str, str], TranscriptHit] = {}
    for hit in hits:
        best.setdefault((hit.session, hit.uuid), hit)
    return list(best.values())


async def _around(
    tx: SpaceTransaction, hit: TranscriptHit, *, turns: int, characters: int
) -> tuple[TranscriptTurn, ...]:
    values = {"session": hit.session, "uuid": hit.uuid, "turns": turns}
    return tuple(
        TranscriptTurn(one.uuid, one.role, _text(one, characters), one.timestamp)
        for one in await store.rows(tx, store.Around, "window", values)
    )


def _text(one: store.Around, characters: int) -> str:
    if one.content_text:
        text = one.content_text
    elif one.tools:
        text = f"[used tools: {', '.join(dict.fromkeys(one.tools))}]"
    else:
        text = one.thinking or ""
    return text if len(text) <= characters else text[: characters - 1] + "…"
