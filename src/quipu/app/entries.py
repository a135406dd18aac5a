"""Entries that recall ranked, as their kinds know them: texts, sources, and what else counts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from quipu.app.kinds import KINDS
from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.plug import Parts
from quipu.recall.model import Cited, Found
from quipu.recall.question import Question
from quipu.recall.repeats import Distinct
from quipu.record import store
from quipu.record.model import MESSAGE

BY_CODE: Final = {kind.code: kind for kind in KINDS}


async def faded(tx: SpaceTransaction, now: datetime, found: Sequence[Found]) -> set[int]:
    """Return the entries that time has taken out of recall."""
    gone: set[int] = set()
    for code in {hit.kind for hit in found}:
        look = BY_CODE[code].faded
        if look is not None:
            gone.update(await look(tx, sorted({hit.id for hit in found if hit.kind == code}), now))
    return gone


async def weighed(
    tx: SpaceTransaction, question: Question, now: datetime, found: Sequence[Found]
) -> Sequence[Found]:
    """Sort entries, best first, by all that counts for their kinds."""
    changes: dict[int, Parts | None] = {}
    for code in {hit.kind for hit in found}:
        weigh = BY_CODE[code].weigh
        if weigh is not None:
            changes |= await weigh(tx, question, now, [hit.id for hit in found if hit.kind == code])
    if not changes:
        return found
    kept = [_with(hit, parts) for hit in found if (parts := changes.get(hit.id, {})) is not None]
    return sorted(kept, key=lambda hit: -hit.score)


def _with(found: Found, parts: Parts) -> Found:
    score = min(1.0, max(0.0, found.score + sum(parts.values())))
    return replace(found, score=round(score, 6), parts={**found.parts, **parts}) if parts else found


async def sources(tx: SpaceTransaction, found: Sequence[Found]) -> Mapping[int, Sequence[int]]:
    """Return the messages that entries rest on, by their entries."""
    rests_on: dict[int, Sequence[int]] = {}
    for code in {hit.kind for hit in found}:
        look = BY_CODE[code].sources
        if look is not None:
            rests_on |= await look(tx, sorted({hit.id for hit in found if hit.kind == code}))
    return rests_on


async def cite(tx: SpaceTransaction, found: Iterable[Found]) -> Mapping[int, Cited]:
    """Return the texts of entries; those that their kind does not show any more are left out."""
    ids: defaultdict[int, set[int]] = defaultdict(set)
    for hit in found:
        ids[hit.kind].add(hit.id)
    cited: dict[int, Cited] = {}
    for code, entries in ids.items():
        cited |= await BY_CODE[code].cite(tx, sorted(entries))
    return cited


async def cite_linked(tx: SpaceTransaction, found: Sequence[Found]) -> store.Linked:
    """Return the texts of entries as `cite` does, with the links of the messages among them."""
    messages = {hit.id for hit in found if hit.kind == MESSAGE}
    said = await store.cite_linked(tx, messages) if messages else store.Linked()
    others = await cite(tx, (hit for hit in found if hit.kind != MESSAGE))
    return replace(said, cited={**said.cited, **others})


async def cite_sources(
    tx: SpaceTransaction, best: Sequence[tuple[Question, Sequence[Distinct]]], cited: Mapping[int, Cited]
) -> Mapping[int, Cited]:
    """Return the texts of messages that were not found themselves and stand under what rests on them."""
    ids = {id_ for _, hits in best for hit in hits for id_ in hit.rests_on} - cited.keys()
    return await BY_CODE[MESSAGE].cite(tx, sorted(ids)) if ids else {}
