"""Drafts of episodes are written: rows, links and entries of the index, in the caller's transaction."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import SpaceTransaction
from quipu.kernel.embedding.model import Vectors
from quipu.kinds.episodes import indexing
from quipu.kinds.episodes.building import store
from quipu.kinds.episodes.building.drafting import Draft
from quipu.kinds.episodes.decay.formulas import salience
from quipu.kinds.episodes.indexing import Entry
from quipu.recall.index import withdraw


async def write(
    tx: SpaceTransaction,
    new: Sequence[Draft],
    anew: Sequence[Draft],
    vectors: Vectors,
    *,
    number: int,
    generation: int,
    now: datetime,
) -> list[UUID]:
    """Write new episodes of session ``number`` and others anew; ``vectors`` of both in this order.

    Returns the ids of those that were written. Left out are new ones of which an exchange belongs to another
    or has grown by now, others that were put away or forgotten, and others at which a language model failed
    and that still say what they said before: rules must not write over what a model wrote.

    Raises:
        GenerationChanged: the vectors are of another model than those of the space by now.
    """
    # All at once, in the order of their ids: whoever holds several of them does it so.
    loose = await store.still_loose(tx, [one for draft in new for one in draft.exchanges])
    places = [place for place, draft in enumerate(new) if loose.issuperset(one.id for one in draft.exchanges)]
    held: dict[UUID, store.Held] = {}
    for place, draft in enumerate(anew, start=len(new)):
        one = await store.hold_episode(tx, draft.id)
        if one is not None and not one.deleted and (one.emptied or draft.trouble is None):
            held[draft.id] = one
            places.append(place)
    await withdraw(tx, sorted(one.entry_id for one in held.values() if one.entry_id is not None))
    drafts = [(*new, *anew)[place] for place in places]
    filed = await indexing.file(
        tx, [_entry(one, now) for one in drafts], vectors[places], generation=generation
    )
    for draft, entry in zip(drafts, filed, strict=True):
        if draft.id in held:
            await tx.execute(store.SQL["keep_history"], id=draft.id, now=now)
            await tx.execute(store.SQL["rewrite"], id=draft.id, **_values(draft, entry, now))
        else:
            await tx.execute(
                store.SQL["insert_episode"], **_values(draft, entry, now), **_origin(draft, number)
            )
            exchanges = Int8s([one.id for one in draft.exchanges])
            await tx.execute(store.SQL["claim"], episode=draft.id, exchanges=exchanges)
        await tx.execute(store.SQL["link_messages"], episode=draft.id, messages=Int8s(draft.messages))
    return [draft.id for draft in drafts]


def _entry(draft: Draft, now: datetime) -> Entry:
    return Entry(
        id=draft.id,
        text=draft.text,
        user=draft.user,
        happened_at=min(one.started_at for one in draft.exchanges),
        recorded_at=now,
    )


def _values(draft: Draft, entry: int, now: datetime) -> dict[str, object]:
    return {
        **store.columns(draft.said),
        "salience": salience(draft.said.salience_factors),
        "topic": draft.topic,
        "user": draft.user,
        "started_at": min(one.started_at for one in draft.exchanges),
        "ended_at": max(one.ended_at for one in draft.exchanges),
        "builder": draft.builder,
        "builder_version": draft.version,
        "trouble": draft.trouble,
        "entry": entry,
        "now": now,
    }


def _origin(draft: Draft, number: int) -> dict[str, object]:
    return {
        "id": draft.id,
        "number": number,
        "thread": draft.exchanges[-1].thread,
        "exchange": str(draft.exchanges[0].id),
    }
