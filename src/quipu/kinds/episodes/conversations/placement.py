"""Exchanges put into threads and topics, in the transaction that writes them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

import numpy as np

from quipu.kernel.db.arrays import Bools, Int4s, Int8s, Moments, Texts
from quipu.kernel.db.arrays import Vectors as Columns
from quipu.kernel.db.database import SpaceTransaction
from quipu.kernel.embedding.embedder import Vectors
from quipu.kinds.episodes.conversations import store
from quipu.kinds.episodes.conversations.exchanges import RESUMES, Span, channel_of, place
from quipu.kinds.episodes.conversations.model import Run
from quipu.kinds.episodes.conversations.topics import (
    KnownTopic,
    TopicCues,
    centre,
    choose,
    grown,
    moved,
    name_of,
    topical,
)

_MOST_TOPICS: Final = 300  # of a person: older ones are not found again


@dataclass(frozen=True, slots=True)
class Placed:
    """Place of an exchange."""

    run: Run
    thread: int
    topic: int


@dataclass(slots=True)
class _Growth:
    """Growth of a thread."""

    started_at: datetime
    last_at: datetime
    exchanges: int = 0
    resumed: int = 0
    users: set[str] = field(default_factory=set[str])


@dataclass(frozen=True, slots=True)
class _Begun:
    """A new thread, whose it is, and the one before it."""

    span: Span
    user: str | None
    after: int | None


class Placing:
    """Places the exchanges of one session one after the other; what they change is written by ``write``."""

    def __init__(self, tx: SpaceTransaction, session: store.ReadSession, name: str) -> None:
        self._tx = tx
        self._session = session
        self._channel = channel_of(name)
        self._threads: dict[int, Span] = {}
        self._growths: dict[int, _Growth] = {}
        self._begun: list[_Begun] = []
        self._ids: list[int] = []
        self._topics: dict[str, dict[int, KnownTopic]] = {}
        self._names: dict[str, set[str]] = {}
        self._changed: dict[int, KnownTopic] = {}
        self._current = session.topic_id

    async def begin(self, runs: Sequence[Run]) -> None:
        """Hold what the exchanges may change: threads first, then topics, each in ascending order."""
        tx = self._tx
        since = min(run.started_at for run in runs) - RESUMES
        until = max(run.ended_at for run in runs) + RESUMES
        for span in await store.hold_threads(tx, self._channel, since, until):
            self._threads[span.id] = span
        self._ids = (await store.thread_ids(tx, len(runs)))[::-1]
        users = {self._person(run) for run in runs}
        self._names = await store.topic_names(tx, users)
        held = await store.hold_topics(tx, users, limit=_MOST_TOPICS)
        self._topics = {user: {one.id: one for one in topics} for user, topics in held.items()}

    async def place(self, run: Run, vectors: Mapping[int, Vectors], *, is_new: bool) -> Placed:
        """Place the next exchange; one that is not new stays where it is, and is counted already."""
        thread = self._thread(run, is_new=is_new)
        return Placed(run, thread, await self._topic(run, vectors, is_new=is_new))

    async def write(self) -> None:
        """Write the threads and topics that the exchanges changed."""
        tx = self._tx
        if self._begun:
            platform, channel = self._channel
            await tx.execute(
                store.SQL["begin_threads"], platform=platform, channel=channel, **_begun_columns(self._begun)
            )
        if self._growths:
            latest = max(self._threads.values(), key=lambda one: (one.last_at, one.seq)).id
            await tx.execute(store.SQL["grow_threads"], **_columns(self._growths))
            ended = Int8s([number for number in self._threads if number != latest])
            await tx.execute(store.SQL["end_threads"], threads=ended)
        changed = [self._changed[number] for number in sorted(self._changed)]
        if changed:
            await tx.execute(store.SQL["grow_topics"], **_topic_columns(changed))
        centred = [one for one in changed if one.centroid is not None]
        if centred:
            centroids = np.stack([one.centroid for one in centred if one.centroid is not None])
            await tx.execute(
                store.SQL["centre_topics"],
                topics=Int8s([one.id for one in centred]),
                centroids=Columns(centroids),
                generation=tx.space.generation,
            )

    def _person(self, run: Run) -> str:
        return run.user or self._session.user_name or ""

    def _thread(self, run: Run, *, is_new: bool) -> int:
        where = place(run.started_at, run.ended_at, list(self._threads.values()))
        number = where.thread
        user = self._person(run) or None
        if number is None:
            seq = 1 + max((one.seq for one in self._threads.values()), default=0)
            number = self._ids.pop()
            self._threads[number] = Span(number, seq, run.started_at, run.ended_at)
            self._begun.append(_Begun(self._threads[number], user, where.after))
        span = self._threads[number]
        self._threads[number] = replace(
            span, started_at=min(span.started_at, run.started_at), last_at=max(span.last_at, run.ended_at)
        )
        growth = self._growths.setdefault(number, _Growth(run.started_at, run.ended_at))
        growth.started_at = min(growth.started_at, run.started_at)
        growth.last_at = max(growth.last_at, run.ended_at)
        growth.exchanges += is_new
        growth.resumed += is_new and where.how == "resumed"
        growth.users |= {user} if user else set()
        return number

    async def _topic(self, run: Run, vectors: Mapping[int, Vectors], *, is_new: bool) -> int:
        user = self._person(run)
        topics = self._topics[user]
        heard = heard_of(run, vectors)
        current = topics.get(self._current) if self._current is not None else None
        if current is not None and not is_new:
            return current.id
        others = [one for one in topics.values() if current is None or one.id != current.id]
        choice = choose(heard, current, others)
        chosen = topics[choice] if choice is not None else await self._begin(run, user, heard)
        more = KnownTopic(
            chosen.id,
            chosen.name,
            grown(chosen.words, heard.words),
            moved(chosen, heard.vector),
            chosen.messages + 1,
            max(chosen.last_at, run.ended_at),
        )
        topics[more.id] = self._changed[more.id] = more
        self._current = more.id
        return more.id

    async def _begin(self, run: Run, user: str, heard: TopicCues) -> KnownTopic:
        people = {name for one in run.messages for name in (one.speaker, one.user) if name}
        words: Counter[str] = Counter()
        for one in run.requests:
            words.update(topical(one.kept))
        name = name_of(words or heard.words, taken=self._names[user], besides=people)
        self._names[user].add(name)
        number = await store.begin_topic(self._tx, user=user, name=name, last_at=run.ended_at)
        return KnownTopic(number, name, {}, None, 0, run.ended_at)


def heard_of(run: Run, vectors: Mapping[int, Vectors]) -> TopicCues:
    """Return an exchange as topics see it: the words of the asker count twice."""
    words: Counter[str] = Counter()
    for one in (*run.requests, *run.requests, *(reply for reply in run.replies if reply.role != "tool")):
        words.update(topical(one.kept))
    rows = [
        vectors[one.id]
        for one in (*run.requests, *run.requests, *run.replies)
        if one.id in vectors and one.role != "tool"
    ]
    opening = run.requests[0].content if run.requests else ""
    return TopicCues(words, centre(np.stack(rows)) if rows else None, opening, run.started_at)


def _topic_columns(topics: Sequence[KnownTopic]) -> dict[str, object]:
    return {
        "topics": Int8s([one.id for one in topics]),
        "messages": Int4s([one.messages for one in topics]),
        "words": Texts([json.dumps(dict(one.words)) for one in topics]),
        "last_at": Moments([one.last_at for one in topics]),
    }


def _begun_columns(begun: Sequence[_Begun]) -> dict[str, object]:
    return {
        "ids": Int8s([one.span.id for one in begun]),
        "users": Texts([one.user for one in begun]),
        "seqs": Int4s([one.span.seq for one in begun]),
        "started_at": Moments([one.span.started_at for one in begun]),
        "last_at": Moments([one.span.last_at for one in begun]),
        "after": Int8s([one.after or 0 for one in begun]),
    }


def _columns(growths: Mapping[int, _Growth]) -> dict[str, object]:
    rows = [(number, growths[number]) for number in sorted(growths)]
    return {
        "threads": Int8s([number for number, _ in rows]),
        "exchanges": Int4s([one.exchanges for _, one in rows]),
        "resumed": Int4s([one.resumed for _, one in rows]),
        "started_at": Moments([one.started_at for _, one in rows]),
        "last_at": Moments([one.last_at for _, one in rows]),
        "users": Texts([min(one.users, default=None) for _, one in rows]),
        "several": Bools([len(one.users) > 1 for _, one in rows]),
    }
