"""Exchanges that wait become episodes: read, grouped, understood; then written in one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID, uuid4

import numpy as np

from quipu.kernel.base.clock import Clock
from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kernel.db.space import AsOf
from quipu.kernel.embedding.embedder import Vectors
from quipu.kernel.language.model import Language
from quipu.kernel.policy.policy import Policy
from quipu.kinds.episodes import indexing
from quipu.kinds.episodes.building import readiness, store
from quipu.kinds.episodes.building.drafts import Draft, Drafter, with_novelty
from quipu.kinds.episodes.building.readiness import Plan, Quiet
from quipu.kinds.episodes.building.store import Exchange, Spoken
from quipu.kinds.episodes.decay.formulas import salience
from quipu.kinds.episodes.indexing import EpisodeEntry
from quipu.kinds.episodes.policy import policy_of
from quipu.kinds.episodes.settings import IDLE_MINUTES, RESTED_MINUTES
from quipu.recall.generations import Models
from quipu.recall.index import withdraw
from quipu.record.store import session_id

NOTHING: Final = np.empty((0, 0), np.float32)
AT_ONCE: Final = 120
"""Exchanges that are read at a time: more than the longest episode has."""


SCALE, FIRST = 3.0, 2.0
KNOWN, UNKNOWN = 0.85, 0.25
"""Cosines: as near as the first to something known it is nothing new, as far as the second quite new."""


async def write(
    tx: SpaceTransaction,
    new: Sequence[Draft],
    rewritten: Sequence[Draft],
    vectors: Vectors,
    *,
    number: int,
    generation: int,
    now: datetime,
) -> list[UUID]:
    """Write new episodes of session ``number`` and rewrite others; ``vectors`` of both in this order.

    Returns the ids of those that were written. A new one is left out if one of its exchanges has grown or
    belongs to another episode by now. One to be rewritten is left out if it was archived or forgotten, or
    if a language model failed at it and its old text is still there: rules must not replace what a model
    wrote.

    Raises:
        GenerationChanged: the vectors are of another model than those of the space by now.
    """
    # All at once, in the order of their ids: whoever holds several of them does it so.
    loose = await store.still_loose(tx, [one for draft in new for one in draft.exchanges])
    places = [place for place, draft in enumerate(new) if loose.issuperset(one.id for one in draft.exchanges)]
    held: dict[UUID, store.Held] = {}
    for place, draft in enumerate(rewritten, start=len(new)):
        one = await tx.fetch_one(store.Held, store.SQL["hold_episode"], id=draft.id)
        if one is not None and not one.deleted and (one.emptied or draft.trouble is None):
            held[draft.id] = one
            places.append(place)
    await withdraw(tx, sorted(one.entry_id for one in held.values() if one.entry_id is not None))
    drafts = [(*new, *rewritten)[place] for place in places]
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


def _entry(draft: Draft, now: datetime) -> EpisodeEntry:
    return EpisodeEntry(
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


def novelty(nearest: float | None) -> float:
    """Return 0 to 3 by the cosine to the nearest known thing; 2 if there is none: then everything is new."""
    if nearest is None:
        return FIRST
    return round(SCALE * min(1.0, max(0.0, (KNOWN - nearest) / (KNOWN - UNKNOWN))), 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Waits:
    """Waiting exchanges of a session, and their messages.

    ``as_of`` is the state of the space when it was read. ``emptied`` are episodes to be rewritten, each
    with its exchanges and messages. ``quiet`` is the silence after which something is complete; ``policy``
    decides what is kept.
    """

    number: int
    as_of: AsOf
    generation: int | None
    exchanges: Sequence[Exchange]
    spoken: Sequence[Spoken]
    emptied: Mapping[UUID, tuple[Sequence[Exchange], Sequence[Spoken]]]
    quiet: Quiet
    policy: Policy

    @property
    def more(self) -> bool:
        """True if more waits than was read."""
        return len(self.exchanges) == AT_ONCE


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """Episodes that can be written: ``new`` ones, and ``rewritten`` ones; ``vectors`` of both.

    ``as_of`` is the state of the space when their sources were read. ``again`` is the time to look at the
    rest, None if there is none; ``more`` means at once.
    """

    number: int
    as_of: AsOf
    generation: int
    new: Sequence[Draft]
    rewritten: Sequence[Draft]
    vectors: Vectors
    again: datetime | None = None
    more: bool = False

    @property
    def drafts(self) -> Sequence[Draft]:
        """All of them."""
        return (*self.new, *self.rewritten)


class EpisodeWriter:
    """Condenses exchanges of one database into episodes."""

    def __init__(
        self, database: Database, models: Models, *, clock: Clock, language: Language | None, secrets: bool
    ) -> None:
        self._database = database
        self._models = models
        self._clock = clock
        self._drafter = Drafter(language, secrets=secrets)
        self.builder = self._drafter.builder

    async def ready(self, space: str, session: str, *, finished: bool = False) -> Ready | None:
        """Condense what is ready in a session; None where there is no such session.

        With ``finished`` nothing more is expected in it, and all of it is ready.
        """
        async with self._database.snapshot_read(space) as tx:
            waits = None if tx is None else await _waits(tx, session)
        if waits is None:
            return None
        plan = readiness.group(
            waits.exchanges,
            waits.spoken,
            now=self._clock.now(),
            finished=finished and not waits.more,
            quiet=waits.quiet,
        )
        groups = [waits.exchanges[part.start : part.stop] for part in _settled(plan, waits)]
        generation = await self._generation(waits.generation)
        words = {uuid4(): (group, readiness.messages_of(waits.spoken, group)) for group in groups}
        drafts = await self._drafted(generation, {**words, **waits.emptied}, policy=waits.policy)
        ready = Ready(
            number=waits.number, as_of=waits.as_of, generation=generation,
            new=drafts[: len(words)], rewritten=drafts[len(words) :], vectors=NOTHING,
            again=plan.again, more=waits.more and bool(groups),
        )  # fmt: skip
        return await self.measured(space, ready, generation)

    async def rewritten(self, space: str, ids: Sequence[UUID]) -> Ready | None:
        """Condense episodes once more from what they are made of; None where nothing of it is left."""
        async with self._database.snapshot_read(space) as tx:
            if tx is None:
                return None
            words = await _words(tx, ids)
            known, as_of = tx.space.generation, tx.space.as_of
            policy = policy_of(tx.settings)
        generation = await self._generation(known)
        rewritten = await self._drafted(generation, words, policy=policy)
        ready = Ready(
            number=0, as_of=as_of, generation=generation, new=(), rewritten=rewritten, vectors=NOTHING
        )
        return await self.measured(space, ready, generation) if rewritten else None

    async def measured(self, space: str, ready: Ready, generation: int) -> Ready:
        """Add vectors of a model, and measure how new each draft is against what is known."""
        embedded = await self._models.embed([one.text for one in ready.drafts], generation=generation)
        async with self._database.snapshot_read(space) as tx:
            nearest = [] if tx is None else await _nearest(tx, ready.drafts, embedded.vectors)
        drafts = [
            replace(one, said=with_novelty(one.said, novelty(near))) if one.measured else one
            for one, near in zip(ready.drafts, nearest, strict=True)
        ]
        count = len(ready.new)
        return replace(
            ready,
            generation=embedded.generation,
            vectors=embedded.vectors,
            new=drafts[:count],
            rewritten=drafts[count:],
        )

    async def write(self, tx: SpaceTransaction, ready: Ready) -> list[UUID]:
        """Write the episodes that are ready, except those that others wrote meanwhile; return their ids.

        Raises:
            GenerationChanged: the vectors are of another model than those of the space by now.
        """
        return await write(
            tx, ready.new, ready.rewritten, ready.vectors, number=ready.number, generation=ready.generation,
            now=self._clock.now(),
        )  # fmt: skip

    async def _drafted(
        self,
        generation: int,
        words: Mapping[UUID, tuple[Sequence[Exchange], Sequence[Spoken]]],
        *,
        policy: Policy,
    ) -> list[Draft]:
        """Return drafts of episodes in their order, each of its exchanges and messages."""
        async with self._models.lent(generation) as embedder:
            return [
                await self._drafter.draft(id_, *one, embedder, policy=policy) for id_, one in words.items()
            ]

    async def _generation(self, known: int | None) -> int:
        return known or (await self._models.embed([])).generation


def _settled(plan: Plan, waits: Waits) -> Sequence[range]:
    """Return the episodes of a plan; without the last if more waits than was read, because it may go on."""
    return plan.episodes[:-1] if waits.more and plan.again is None else plan.episodes


async def _waits(tx: SpaceTransaction, session: str) -> Waits | None:
    number = await session_id(tx, session)
    if number is None:
        return None
    exchanges = await tx.fetch(Exchange, store.SQL["loose"], number=number, limit=AT_ONCE)
    return Waits(
        number=number,
        as_of=tx.space.as_of,
        generation=tx.space.generation,
        exchanges=exchanges,
        spoken=await store.said(tx, exchanges),
        emptied=await _words(tx, await store.emptied(tx, number, limit=AT_ONCE)),
        quiet=Quiet(
            idle=timedelta(minutes=tx.settings.of(IDLE_MINUTES)),
            rested=timedelta(minutes=tx.settings.of(RESTED_MINUTES)),
        ),
        policy=policy_of(tx.settings),
    )


async def _words(
    tx: SpaceTransaction, episodes: Sequence[UUID]
) -> dict[UUID, tuple[Sequence[Exchange], Sequence[Spoken]]]:
    """Return the exchanges and messages of episodes; episodes without a message are left out."""
    by_episode = await store.exchanges_of(tx, episodes) if episodes else {}
    words = {id_: (exchanges, await store.said(tx, exchanges)) for id_, exchanges in by_episode.items()}
    return {id_: one for id_, one in words.items() if one[1]}


async def _nearest(tx: SpaceTransaction, drafts: Sequence[Draft], vectors: Vectors) -> list[float | None]:
    """Return each draft's cosine to the nearest episode of its person, earlier drafts included."""
    nearest: list[float | None] = []
    but = [one.id for one in drafts]
    for place, draft in enumerate(drafts):
        known = await store.nearest(tx, vectors[place], user=draft.user, but=but)
        before = [
            float(vectors[place] @ vectors[other])
            for other in range(place)
            if drafts[other].user == draft.user
        ]
        near = [one for one in (known, *before) if one is not None]
        nearest.append(max(near) if near else None)
    return nearest
