"""Writing messages down: those with a text are filed in the index, the others only keep their place."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from quipu.kernel.db.arrays import Texts
from quipu.kernel.db.database import Connection, Database, Rows, SpaceTransaction
from quipu.kernel.queue import outbox
from quipu.recall import deferred, index
from quipu.recall.generations import Embedded
from quipu.record import aliases, backlog, changes, store
from quipu.record.model import PreparedMessage
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
        await _grow(tx, chosen, subscribes)
    if sent is not None:
        await sent.check()
    await follow(tx, said, ids, embedded, held, now=now)


async def leave(
    tx: SpaceTransaction,
    chosen: Sequence[store.Chosen],
    reserved: index.Reserved,
    subscribes: Texts,
    *,
    now: datetime,
) -> None:
    """Write messages down, and leave them to be filed by the next recall."""
    places = await deferred.reserve(tx, Counter(c.session for c in chosen if c.session))
    held = await reserved.held(tx, alone=sum(not c.session for c in chosen))
    free = {0: iter(held.alone), **{session: iter(ids) for session, ids in places.items()}}
    ids = [next(free[c.session]) for c in chosen]
    spoken = {id_: c.happened_at for id_, c in zip(ids, chosen, strict=True) if c.prepared.is_indexed}
    async with tx.conn.pipeline():
        await store.run(tx, "insert_messages", store.columns(chosen, ids, now))
        if spoken:
            await backlog.leave(tx, spoken)
        await _grow(tx, chosen, subscribes)


async def leave_behind(
    database: Database, space: str, said: Sequence[PreparedMessage], subscribes: Texts, *, now: datetime
) -> bool | None:
    """Write new messages of one session behind its last, as ``leave`` does, in one round trip to the server.

    Returns whether the session keeps items as they come. Where it has no message yet nothing is written:
    None.
    """
    name = said[0].message.session
    assert name is not None
    chosen = [store.choose(place, p, {name: 0}, now) for place, p in enumerate(said)]
    chosen.sort(key=lambda c: c.happened_at)
    values = {**store.columns(chosen, (), now), **store.whole(chosen), "name": name}
    written: list[Rows] = []

    async def write(conn: Connection) -> None:
        await store.hold_session(conn, name)
        written.append(await backlog.leave_behind(conn, values))
        if subscribes and any(p.message.content for p in said):
            await outbox.put_for_sessions(conn, subscribes, {name})

    if await database.ask(space, write, writes=True) is None:
        return None
    row = await written[0].fetchone()
    return None if row is None else row[0]


async def _grow(tx: SpaceTransaction, chosen: Sequence[store.Chosen], subscribes: Texts) -> None:
    """Count messages in their sessions, and have the jobs done of those in which something was said."""
    if any(c.session for c in chosen):
        await store.run(tx, "grow_sessions", store.growth((c.session, c.happened_at) for c in chosen))
    messages = [c.prepared.message for c in chosen]
    if subscribes and (heard := {m.session for m in messages if m.session and m.content}):
        await outbox.put_for_sessions(tx.conn, subscribes, heard)


def has_consequences(prepared: PreparedMessage) -> bool:
    """Return True if a message changes what is kept of others: by a rule, another name, or news."""
    if prepared.instructions or prepared.aliases:
        return True
    role = prepared.message.role
    return changes.news(0, prepared.spoken, role=role, asks=prepared.asks) is not None


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
