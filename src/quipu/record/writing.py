"""Writing messages down: those with a text are filed in the index, the others only keep their place."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime

from quipu.kernel.db.arrays import Texts
from quipu.kernel.db.database import SpaceTransaction
from quipu.kernel.queue import outbox
from quipu.recall import index
from quipu.recall.generations import Embedded
from quipu.record import aliases, changes, store
from quipu.record.standing import intake as standing


async def put(
    tx: SpaceTransaction,
    chosen: Sequence[store.Chosen],
    reserved: index.Reserved,
    embedding: asyncio.Future[Embedded],
    subscribes: Texts,
    *,
    now: datetime,
) -> None:
    """Write messages down, file them, and have done what follows from them."""
    messages = [c.prepared.message for c in chosen]
    held = await reserved.held(
        tx,
        threads={c.session for c in chosen if c.session},
        names=store.names([m for m in messages if m.content]),
        alone=sum(not c.session for c in chosen),
    )
    drafts = [store.draft(c, now) if c.prepared.is_indexed else index.Gap(c.session or None) for c in chosen]
    entries = index.ready(held, drafts)
    spoken = [(id_, c) for id_, c in zip(entries.ids, chosen, strict=True) if c.prepared.is_indexed]
    said, ids = [c for _, c in spoken], [id_ for id_, _ in spoken]
    async with tx.conn.pipeline():  # PostgreSQL is at work while the vectors are made
        if spoken:
            await index.send_terms(tx, entries)
        await store.run(tx, "insert_messages", store.columns(chosen, entries.ids, now))
        embedded = await embedding
        vectors = [embedded.vectors[c.place] for c in said]
        sent = await index.send(tx, entries, vectors, generation=embedded.generation) if spoken else None
        if sent is None:
            await index.keep_places(tx, entries)
        if learnt := store.learnt(said, ids):
            await aliases.add(tx, learnt, now=now, made_by="rule")
        if held.ends:
            await store.run(tx, "grow_sessions", store.growth((c.session, c.happened_at) for c in chosen))
        if held.ends and subscribes and (heard := {m.session for m in messages if m.session and m.content}):
            await outbox.put_for_sessions(tx, subscribes, heard)
    if sent is not None:
        await sent.check()
    await follow(tx, said, ids, embedded, held, now=now)


async def follow(
    tx: SpaceTransaction,
    said: Sequence[store.Chosen],
    ids: Sequence[int],
    embedded: Embedded,
    held: index.Locked,
    *,
    now: datetime,
) -> None:
    """Link statements with those that they replace, and keep the rules that messages tell."""
    written = ((id_, c.prepared) for id_, c in zip(ids, said, strict=True))
    news = [changes.news(id_, p.spoken, role=p.message.role, asks=p.asks) for id_, p in written]
    await changes.link(tx, [one for one in news if one is not None], now=now)
    if rules := store.message_rules(said, ids, embedded, held):
        await standing.keep(tx, rules, generation=embedded.generation, now=now)
