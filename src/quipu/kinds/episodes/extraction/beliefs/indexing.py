"""Beliefs in the index, and how they read there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kinds.episodes.extraction.beliefs import store
from quipu.recall import index
from quipu.recall.generations import Models, PreparedVectors
from quipu.recall.model import Cited, Draft, Source
from quipu.recall.terms import DEFAULT, bag, tells_time
from quipu.recall.unindexed import Row, Rows

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
    fallback = next(iter(tx.space.languages), DEFAULT)
    draft = _draft(id_, text, user=user, said_at=said_at, recorded_at=now, fallback=fallback)
    return (await index.file(tx, [replace(draft, vector=vectors[0])], generation=generation))[0]


def _draft(
    id_: str, text: str, *, user: str | None, said_at: datetime, recorded_at: datetime, fallback: str
) -> Draft:
    return Draft(
        kind=KIND,
        bag=bag(text, fallback=fallback),
        vector=None,
        happened_at=said_at,
        recorded_at=recorded_at,
        owner=user,
        by_user=True,
        has_time=tells_time(text),
        source_table=TABLE,
        source_id=id_,
        content=text,
    )


def _row(row: tuple[Any, ...], fallback: str) -> Row:
    id_, person, key, value, nature, user, said_at = row
    text = text_of(person, key, value, nature)
    draft = _draft(str(id_), text, user=user, said_at=said_at, recorded_at=said_at, fallback=fallback)
    return Row(id_, text, "", draft)


_ROWS: Final = Rows(store.SQL, _row, at_once=True)


async def catch_up(database: Database, models: Models, space: str) -> None:
    """File beliefs that an archive brought, for about a second."""
    await _ROWS.file(database, models, space)


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
