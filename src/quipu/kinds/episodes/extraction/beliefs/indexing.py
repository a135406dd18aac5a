"""Beliefs in the index, and how they read there."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.episodes.extraction.beliefs import store
from quipu.recall import index
from quipu.recall.generations import PreparedVectors
from quipu.recall.model import Cited, Draft, Source
from quipu.recall.terms import DEFAULT, bag, tells_time

KIND: Final = 4  # core.recall_kinds.code
TABLE: Final = "beliefs"


def text_of(person: str, key: str, value: str, nature: str) -> str:
    """Return a belief in words: for the index, and to be shown."""
    about = key.replace("_", " ")
    if nature == "fact":
        return f"{about}: {value}"
    return f"{person or 'the user'}, {about}: {value}"


async def file(
    tx: SpaceTransaction,
    prepared: PreparedVectors,
    *,
    id_: str,
    text: str,
    user: str | None,
    said_at: datetime,
    now: datetime,
) -> int:
    """Make a belief findable; returns its entry.

    Raises:
        Unprepared: there is no vector for its text.
        GenerationChanged: see ``index.file``.
    """
    vectors, generation = prepared.of([text])
    draft = Draft(
        kind=KIND,
        bag=bag(text, fallback=next(iter(tx.space.languages), DEFAULT)),
        vector=vectors[0],
        happened_at=said_at,
        recorded_at=now,
        owner=user,
        by_user=True,
        has_time=tells_time(text),
        source_table=TABLE,
        source_id=id_,
        content=text,
    )
    return (await index.file(tx, [draft], generation=generation))[0]


async def cite(tx: SpaceTransaction, ids: Sequence[int]) -> dict[int, Cited]:
    """Return the texts of beliefs' entries, by id; others are left out.

    The source names the belief as its message and ``belief`` as the role.
    """
    return {
        one.entry: Cited(
            text=text_of(one.person, one.key, one.value, one.nature),
            happened_at=one.said_at,
            recorded_at=one.recorded_at,
            source=Source(str(one.id), one.session, role="belief", user=one.user),
        )
        for one in await tx.fetch(store.Cited, store.SQL["cited"], ids=Int8s(ids))
    }
