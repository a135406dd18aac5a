"""Memories that lose a source and keep another: whether their words rest on what remains."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypeAlias
from uuid import UUID

from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.transcripts import store
from quipu.kinds.transcripts.store import Resting
from quipu.upkeep.erasure.wording import repeats, words

_Said: TypeAlias = Mapping[str, Mapping[int, str]]


@dataclass(frozen=True, slots=True)
class Wordings:
    """Wordings that go: lessons with their entries, edits by id; ``sessions`` are to be read again."""

    memories: Sequence[tuple[UUID, int | None]] = ()
    edits: Sequence[int] = ()
    sessions: Sequence[str] = ()


async def unsupported(
    tx: SpaceTransaction, *, sessions: Sequence[str], messages: Sequence[int], doomed: Sequence[UUID]
) -> Wordings:
    """Return the wordings that do not rest on what remains, of memories that are not ``doomed`` themselves.

    A memory stays unless it has a word that only erased messages of its sessions said: beside what its other
    sources say where it loses one, beside what remains of its sessions where it loses none.
    """
    given = {"sessions": list(sessions), "messages": Int8s(messages), "doomed": list(doomed)}
    rows = await store.wordings(tx, given)
    if not rows:
        return Wordings()
    said = await store.said_in(tx, sorted({row.session for row in rows}))
    gone = set(messages)
    memories: dict[UUID, int | None] = {}
    edits: list[int] = []
    again: set[str] = set()
    for (memory, edit), group in groupby(rows, key=lambda row: (row.memory, row.edit)):
        of = list(group)
        if memory in memories or _stays(of, said, gone, sessions):
            continue
        if edit is not None:
            edits.append(edit)
        else:
            memories[memory] = of[0].entry
            again |= {row.session for row in of if not row.goes}
    return Wordings(list(memories.items()), edits, sorted(again))


def _stays(rows: Sequence[Resting], said: _Said, gone: set[int], sessions: Sequence[str]) -> bool:
    concerned = {row.session for row in rows}
    spoken = [(session, *one) for session in concerned for one in said.get(session, {}).items()]
    erased = words(content for session, id_, content in spoken if id_ in gone or session in sessions)
    if any(row.goes for row in rows):
        remaining = words(_kept(rows, said, gone))
    else:
        remaining = words(content for _, id_, content in spoken if id_ not in gone)
    excerpts = words(row.excerpt for row in rows if row.goes)
    return not repeats(rows[0].text, erased=erased | excerpts, remaining=remaining)


def _kept(rows: Sequence[Resting], said: _Said, gone: set[int]) -> Iterable[str]:
    """Yield what the sources that stay say; of one that names no message, what remains of its session."""
    for row in rows:
        if row.goes:
            continue
        spoken = said.get(row.session, {})
        if row.message is not None:
            yield spoken.get(row.message, row.excerpt)
        else:
            yield from (content for id_, content in spoken.items() if id_ not in gone)
