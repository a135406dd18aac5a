"""Messages that are about to be written: as rows and entries, and what they tell beside their words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from quipu.kernel.db.arrays import Int4s, Int8s, Moments, Texts
from quipu.recall import index
from quipu.recall.generations import Embedded
from quipu.recall.model import Draft
from quipu.record.aliases import Learnt
from quipu.record.model import MESSAGE, Incoming, Prepared
from quipu.record.standing.intake import MessageRules


@dataclass(frozen=True, slots=True)
class Chosen:
    """A message that will be written: its place in the batch, its session (0 for none), its time."""

    place: int
    prepared: Prepared
    session: int
    happened_at: datetime


def choose(place: int, prepared: Prepared, sessions: Mapping[str, int], now: datetime) -> Chosen:
    """Return a message of a batch as it will be written."""
    message = prepared.message
    session = sessions[message.session] if message.session is not None else 0
    return Chosen(place, prepared, session, message.time or now)


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
        "redacted": Int4s([sum(c.prepared.secrets.values()) for c in chosen]),
        "content": Texts([m.content for m in messages]),
    }


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
    """Return what messages to an assistant tell for the time to come; people tell each other no rules."""
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
