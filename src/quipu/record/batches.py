"""Recorded messages on their way in, a few hundred at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import cast

import anyio

from quipu.errors import BadInput
from quipu.kernel.db.space import AsOf
from quipu.recall.generations import Embedded
from quipu.record.model import Incoming, Refusal
from quipu.record.prepare import Prepared
from quipu.record.readers.lines import FromFile
from quipu.record.rules import check
from quipu.upkeep.erasure.tombstones import Recorded

_BATCH = 400
_BATCH_CHARACTERS = 8_000_000  # so that a batch of very long messages fits in memory
Read = tuple[list[Incoming], list[Refusal]]


@dataclass(frozen=True, slots=True)
class Batch:
    """Messages that are ready to be written, as soon as they are embedded.

    ``is_new``: their ids were just made, so none is stored already. ``began``: when the import began, none of
    whose messages may have been erased since; None where that is nothing to them. ``as_of``: when what they
    are made of was read, where they are.
    """

    prepared: list[Prepared]
    embedding: asyncio.Future[Embedded]
    is_new: bool = False
    began: datetime | None = None
    as_of: AsOf | None = None

    def without(self, places: Collection[int]) -> Batch:
        """Return it without some messages."""
        left = [place for place in range(len(self.prepared)) if place not in places]
        embedded = self.embedding.result()
        return replace(
            self,
            prepared=[self.prepared[place] for place in left],
            embedding=done(replace(embedded, vectors=embedded.vectors[left])),
        )


class Erased(Exception):
    """Messages of a batch were erased since it was read; ``places`` says which."""

    def __init__(self, places: Collection[int]) -> None:
        super().__init__()
        self.places = places


async def following(lines: object, batches: Iterator[Read]) -> Read | None:
    """Return the next batch. A file is read in a thread, which is abandoned if this is cancelled."""
    if isinstance(lines, FromFile):
        return await anyio.to_thread.run_sync(next, batches, None, abandon_on_cancel=True)
    return next(batches, None)


def listed(messages: object) -> Iterable[Mapping[str, object] | Refusal]:
    """Return the messages if they are several.

    Raises:
        BadInput: it is one message, or none.
    """
    if isinstance(messages, Mapping | str | bytes) or not isinstance(messages, Iterable):
        raise BadInput("give a list of messages.", field="messages", hint='For one: [{"content": "…"}].')
    return cast("Iterable[Mapping[str, object] | Refusal]", messages)


def read(lines: Iterable[Mapping[str, object] | Refusal], *, now: datetime) -> Iterator[Read]:
    """Yield checked lines, a batch at a time; each place in the input counts from 1."""
    taken: list[Incoming] = []
    refused: list[Refusal] = []
    characters = 0
    for line, raw in enumerate(lines, start=1):
        checked = raw if isinstance(raw, Refusal) else check(raw, line=line, now=now)
        if isinstance(checked, Refusal):
            refused.append(checked)
        else:
            taken.append(checked)
            characters += len(checked.content)
        if len(taken) + len(refused) == _BATCH or characters >= _BATCH_CHARACTERS:
            yield taken, refused
            taken, refused, characters = [], [], 0
    if taken or refused:
        yield taken, refused


def characters(incoming: Sequence[Incoming]) -> int:
    """Count the characters of the messages together."""
    return sum(len(m.content) for m in incoming)


def keys(prepared: Sequence[Prepared]) -> list[tuple[str, str | None]]:
    """Return the id and session of each message."""
    return [(p.message.id or "", p.message.session) for p in prepared]


def recorded(prepared: Sequence[Prepared]) -> list[Recorded]:
    """Return the keys by which each message is recognised if it was erased."""
    messages = [p.message for p in prepared]
    return [Recorded(m.id or "", m.session, m.time, m.user, m.speaker) for m in messages]


def sift(prepared: Sequence[Prepared], known: Mapping[int, str]) -> tuple[list[int], list[Refusal]]:
    """Return the places of new messages, and refusals of those stored under their id with other words."""
    said: dict[tuple[str, str | None], str] = {}
    new: list[int] = []
    refused: list[Refusal] = []
    for place, (p, key) in enumerate(zip(prepared, keys(prepared), strict=True)):
        message = p.message
        before = known.get(place, said.get(key))
        if before is None:
            said[key] = message.content
            new.append(place)
        elif before != message.content:
            reason = (
                f"{message.id!r} is stored already with other words. Give it another id, or forget the old."
            )
            refused.append(Refusal(message.line, "id", reason))
    return new, refused


def done(embedded: Embedded) -> asyncio.Future[Embedded]:
    """Return a future that has its result already."""
    future = asyncio.get_running_loop().create_future()
    future.set_result(embedded)
    return future
