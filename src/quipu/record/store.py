"""Queries of the record, one short function each, and the rows that they write."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from quipu.errors import AccessRefused
from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Int4s, Int8s, Moments, Texts
from quipu.kernel.db.database import Ask, Connection, Rows, SpaceTransaction, ask
from quipu.recall import index
from quipu.recall.changes import Pair
from quipu.recall.filters import Filter
from quipu.recall.generations import Embedded
from quipu.recall.model import Cited, Draft, Source
from quipu.record.aliases import Learnt
from quipu.record.items import encoded
from quipu.record.model import MESSAGE, Incoming, PreparedMessage
from quipu.record.rules import Said
from quipu.record.standing.intake import MessageRules
from quipu.upkeep.erasure.model import What


@dataclass(frozen=True, slots=True)
class Chosen:
    """A message that will be written: its place in the batch, its session (0 for none), its time.

    ``item`` is as the session keeps it. ``redacted`` counts the secrets that were cut out.
    """

    place: int
    prepared: PreparedMessage
    session: int
    happened_at: datetime
    item: str | None = None
    redacted: int = 0


def choose(
    place: int,
    prepared: PreparedMessage,
    sessions: Mapping[str, int],
    now: datetime,
    *,
    verbatim: Collection[str | None] = (),
) -> Chosen:
    """Return a message of a batch as it will be written; sessions that are ``verbatim`` keep items whole."""
    message = prepared.message
    session = sessions[message.session] if message.session is not None else 0
    item, redacted = prepared.item, sum(prepared.secrets.values())
    if message.session in verbatim:
        item = message.item_json
    else:
        redacted += sum(prepared.cut.values())
    return Chosen(place, prepared, session, message.time or now, item, redacted)


def names(messages: Sequence[Incoming]) -> set[str]:
    """Return the names of those who spoke and of the users."""
    return {name for m in messages for name in (m.speaker, m.user) if name}


def draft(chosen: Chosen, now: datetime) -> Draft:
    """Return the entry of a message; its vector comes later."""
    p, message = chosen.prepared, chosen.prepared.message
    return Draft(
        kind=MESSAGE,
        bag=p.bag,
        vector=None,
        happened_at=chosen.happened_at,
        recorded_at=now,
        thread=chosen.session or None,
        speaker=message.speaker,
        owner=message.user,
        by_user=message.role == "user",
        asks=p.asks,
        has_time=p.has_time,
    )


def columns(chosen: Sequence[Chosen], ids: Sequence[int], now: datetime) -> dict[str, object]:
    """Return messages column by column."""
    messages = [c.prepared.message for c in chosen]
    return {
        "id": Int8s(ids),
        "session": Int8s([c.session for c in chosen]),
        "external": Texts([m.id for m in messages]),
        "role": Texts([m.role for m in messages]),
        "speaker": Texts([m.speaker for m in messages]),
        "user": Texts([m.user for m in messages]),
        "happened_at": Moments([c.happened_at for c in chosen]),
        "recorded_at": Moments([now] * len(chosen)),
        "redacted": Int4s([c.redacted for c in chosen]),
        "content": Texts([m.content for m in messages]),
        "item": Texts([c.item for c in chosen]),
        "metadata": Texts([encoded(m.metadata) if m.metadata else None for m in messages]),
    }


def whole(chosen: Sequence[Chosen]) -> dict[str, object]:
    """Return items with their secrets, where they had any, and how many were cut out of them alone."""
    cut = [sum(c.prepared.cut.values()) for c in chosen]
    items = [c.prepared.message.item_json if c.item != c.prepared.message.item_json else None for c in chosen]
    return {"cut": Int4s(cut), "whole": Texts(items)}


def growth(messages: Iterable[tuple[int, datetime]]) -> dict[str, object]:
    """Return by how many messages sessions grow, and the span of these, column by column.

    ``messages`` are the session of each, 0 for none, and its time.
    """
    times: defaultdict[int, list[datetime]] = defaultdict(list)
    for session, happened_at in messages:
        if session:
            times[session].append(happened_at)
    return {
        "id": Int8s(list(times)),
        "messages": Int4s([len(t) for t in times.values()]),
        "started_at": Moments([min(t) for t in times.values()]),
        "last_at": Moments([max(t) for t in times.values()]),
    }


def learnt(chosen: Sequence[Chosen], ids: Sequence[int]) -> list[Learnt]:
    """Return the other names that messages tell; of a speaker who is not named none can be learnt."""
    return [
        Learnt(told.alias, name, number)
        for one, number in zip(chosen, ids, strict=True)
        for told in one.prepared.aliases
        if (name := told.name or one.prepared.message.speaker) and name.casefold() != told.alias.casefold()
    ]


def message_rules(
    chosen: Sequence[Chosen], ids: Sequence[int], embedded: Embedded, held: index.Locked
) -> list[MessageRules]:
    """Return the standing rules in messages to an assistant; messages between people have none."""
    with_assistant = {c.session for c in chosen if c.session and c.prepared.message.role == "assistant"}
    with_assistant |= {thread for thread, end in held.ends.items() if end.with_assistant}
    return [
        MessageRules(
            id_, m.user, m.content, c.happened_at, c.prepared.instructions, embedded.vectors[c.place]
        )
        for c, id_ in zip(chosen, ids, strict=True)
        if c.prepared.instructions
        and ((m := c.prepared.message).speaker in (None, m.user) or c.session in with_assistant)
    ]


_SQL = queries.load("quipu.record")
_PLACE_OF_ID = 4  # where the message begins in a row, behind its link


@dataclass(frozen=True, slots=True)
class Message:
    """A message as it is kept. ``session`` and ``external_id`` are the caller's own ids."""

    id: int
    external_id: str
    session: str | None
    role: str
    speaker: str | None
    user_name: str | None
    happened_at: datetime
    recorded_at: datetime
    content: str
    metadata: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Linked:
    """Texts of entries by their ids, the links of the messages among them, and the other ends of these.

    ``pairs`` are the links that hold, oldest first; ``ends`` are messages that are not in ``cited``.
    """

    cited: Mapping[int, Cited] = field(default_factory=dict[int, Cited])
    pairs: Sequence[Pair] = ()
    ends: Mapping[int, Cited] = field(default_factory=dict[int, Cited])


@dataclass(frozen=True, slots=True)
class Session:
    """A session: the id that the caller gave, how many messages it holds, and its span."""

    name: str
    messages: int
    started_at: datetime | None
    last_at: datetime | None


class Lookup:
    """Query for what must be known before messages are written: the sessions, and messages stored already.

    It is sent while the space is entered (``ask``) and read then (``sessions``, ``known``).
    """

    def __init__(
        self, messages: Sequence[tuple[str, str | None]], *, is_new: bool, beside: Ask | None = None
    ) -> None:
        """Take id and session of each message; with ``is_new`` the ids were just made: none is stored.

        The queries of ``beside`` are asked as well.
        """
        self._beside = beside
        self._names = sorted({session for _, session in messages if session is not None})
        self._messages: Sequence[tuple[str, str | None]] = () if is_new else messages
        self._sessions: Rows | None = None
        self._known: Rows | None = None
        self.verbatim: frozenset[str] = frozenset()
        """Those of the sessions that keep items as they come; known when ``sessions`` is."""

    async def ask(self, conn: Connection) -> None:
        """Ask in a pipeline. A session is held until commit; of several, the missing are made first, later:
        nobody waits holding one."""
        if len(self._names) == 1:
            self._sessions = await ask(conn, _SQL["lock_sessions"], {"names": Texts(self._names)})
        if len(self._names) <= 1:
            await self._ask_known(conn)
        if self._beside is not None:
            await self._beside(conn)

    async def _ask_known(self, conn: Connection) -> None:
        if self._messages:
            ids, sessions = zip(*self._messages, strict=True)
            self._known = await ask(
                conn, _SQL["known_messages"], {"ids": Texts(ids), "sessions": Texts(sessions)}
            )

    async def sessions(self, tx: SpaceTransaction) -> dict[str, int]:
        """Return the numbers of the sessions, made where they were missing, held until commit.

        Raises:
            AccessRefused: this task acts for one person, and a session is not that person's alone.
        """
        found = self._read(await self._sessions.fetchall()) if self._sessions is not None else {}
        if len(found) < len(self._names):
            async with tx.conn.pipeline():
                await tx.run(_SQL["open_sessions"], {"names": Texts(self._names)})
                locked = await ask(tx.conn, _SQL["lock_sessions"], {"names": Texts(self._names)})
                await self._ask_known(tx.conn)  # again: somebody may have made the session meanwhile
            found = self._read(await locked.fetchall())
            taken = [name for name in self._names if name not in found]
            if taken:
                raise AccessRefused(
                    f"The session {taken[0]!r} is not yours alone.", hint="Take another name for the session."
                )
        return found

    def _read(self, rows: Iterable[tuple[str, int, bool]]) -> dict[str, int]:
        rows = list(rows)
        self.verbatim = frozenset(name for name, _, verbatim in rows if verbatim)
        return {name: number for name, number, _ in rows}

    async def known(self) -> dict[int, Said]:
        """Return the contents of those that are stored, by place (0 …). Ask for ``sessions`` first."""
        if self._known is None:
            return {}
        return {place - 1: (content, item) for place, content, item in await self._known.fetchall()}


async def cite(tx: SpaceTransaction, ids: Sequence[int]) -> dict[int, Cited]:
    """Return the messages of entries, by id."""
    return cited(await tx.rows(_SQL["cite"], binary=True, ids=Int8s(ids)))


def cited(rows: Iterable[Sequence[Any]]) -> dict[int, Cited]:
    """Return rows that are messages, in the order of the fields of `Message`, by id."""
    return {
        id_: Cited(
            content, happened_at, recorded_at, Source(external_id, session, speaker, role, user), meta or {}
        )
        for id_, external_id, session, role, speaker, user, happened_at, recorded_at, content, meta in rows
    }


async def lock_sessions(tx: SpaceTransaction, names: Sequence[str]) -> dict[str, int]:
    """Return the numbers of sessions, made if they were missing, locked until commit."""
    asked = Lookup([("", name) for name in names], is_new=True)
    await asked.ask(tx.conn)
    return await asked.sessions(tx)


async def known(tx: SpaceTransaction, messages: Sequence[tuple[str, str | None]]) -> dict[int, Said]:
    """Return the contents of messages with these ids and sessions that are stored, by place (0 …)."""
    ids, sessions = zip(*messages, strict=True)
    found = await tx.rows(_SQL["known_messages"], ids=Texts(ids), sessions=Texts(sessions))
    return {place - 1: (content, item) for place, content, item in found}


async def hold_session(conn: Connection, name: str) -> None:
    """Hold a session until commit, if it is there, in a pipeline."""
    await ask(conn, _SQL["lock_sessions"], {"names": Texts([name])})


async def session_id(tx: SpaceTransaction, name: str) -> int | None:
    """Return the number of a session, or None if there is none of that name."""
    rows = await tx.rows(_SQL["session_id"], name=name)
    return rows[0][0] if rows else None


async def set_verbatim(tx: SpaceTransaction, sessions: Collection[int], *, verbatim: bool) -> None:
    """Have sessions, which are held, keep items as they come, or not."""
    if sessions:
        await tx.run(_SQL["set_verbatim"], {"ids": Int8s(list(sessions)), "verbatim": verbatim})


async def run(tx: SpaceTransaction, name: str, values: Mapping[str, object]) -> None:
    """Run a write by its name; ``space`` is filled in."""
    await tx.run(_SQL[name], values)


async def messages(tx: SpaceTransaction, ids: Sequence[int]) -> list[Message]:
    """Return messages by id, those that are there."""
    return await tx.fetch(Message, _SQL["cite"], binary=True, ids=Int8s(ids))


async def around(tx: SpaceTransaction, message: int, *, before: int, after: int) -> list[Message]:
    """Return a message and those beside it in its session, oldest first; nothing if it stands alone."""
    return await tx.fetch(Message, _SQL["around"], id=message, before=before, after=after)


async def sessions(tx: SpaceTransaction, *, limit: int, offset: int) -> list[Session]:
    """Return the sessions, latest first."""
    return await tx.fetch(Session, _SQL["list_sessions"], limit=limit, offset=offset)


async def counts(tx: SpaceTransaction) -> dict[str, int]:
    """Count messages, sessions and secrets cut out."""
    (found,) = await tx.fetch(dict[str, int], _SQL["counts"])
    return found


async def emptied(tx: SpaceTransaction, what: What, ids: Sequence[int]) -> list[str]:
    """Return the sessions that an erasure of messages has left empty."""
    return [name for (name,) in await tx.rows(_SQL["emptied"], ids=Int8s(ids), **asdict(what))]


async def matching(tx: SpaceTransaction, what: What) -> list[int]:
    """Return the messages that an erasure is to take."""
    return [number for (number,) in await tx.rows(_SQL["matching"], **asdict(what))]


async def matching_filter(tx: SpaceTransaction, by: Filter) -> list[int]:
    """Return the messages in the index whose metadata a filter lets through; of one run, quickly."""
    for name in ("run", "agent", "app"):
        if (equal := by.equal(f"{name}_id")) is not None:
            return await tx.column(_SQL[f"matching_{name}"], metadata=by.over_metadata, equal=equal)
    return await tx.column(_SQL["matching_all"], metadata=by.over_metadata)


async def identities(tx: SpaceTransaction, ids: Sequence[int]) -> list[tuple[str, str]]:
    """Return the session (empty for none) and own id of messages."""
    return await tx.rows(_SQL["identities"], ids=Int8s(ids))


async def whole_sessions(tx: SpaceTransaction, what: What) -> dict[int, str]:
    """Return the sessions that an erasure leaves empty: number to name. A message alone empties none."""
    if what.message is not None:
        return {}
    return dict(await tx.rows(_SQL["whole_sessions"], user=what.user, session=what.session))


async def unindex_named(tx: SpaceTransaction, pattern: str) -> list[int]:
    """Mark messages with a name to be filed again and return them. Their entries are to be taken out."""
    found = await tx.column(_SQL["unindex_named"], pattern=pattern)
    if found:
        await tx.execute(_SQL["mark_unindexed"])
    return found


async def cite_linked(tx: SpaceTransaction, ids: Collection[int]) -> Linked:
    """Return messages and what is linked to them."""
    rows = await tx.rows(_SQL["cite_linked"], binary=True, ids=Int8s(sorted(ids)))
    there = [row for row in rows if row[_PLACE_OF_ID] is not None]  # without ends that are told already
    return Linked(
        cited=cited(row[_PLACE_OF_ID:] for row in there if row[0] is None),
        pairs=[Pair(*row[:_PLACE_OF_ID]) for row in rows if row[0] is not None],
        ends=cited(row[_PLACE_OF_ID:] for row in there if row[0] is not None),
    )
