"""Filing what stands in the index, so that recall finds it; taking out what stands no more.

A write files nothing: it marks the space, and the next recall there calls ``catch_up``. Many writes are
then filed together, and a value that was superseded in between is never embedded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kinds.ledger import store
from quipu.kinds.ledger.store import Marks, Unindexed
from quipu.recall import index
from quipu.recall.generations import Models
from quipu.recall.index import withdraw
from quipu.recall.model import Draft, GenerationChanged
from quipu.recall.store import is_left_alone
from quipu.recall.terms import DEFAULT, bag, tells_time

LEDGER: Final = 2  # core.recall_kinds.code
FACTS: Final = "chat_memory_events"
_AT_ONCE: Final = 500


_Vectors = dict[tuple[str, int], NDArray[np.float32]]

_HEADS: Final = ("value", "label", "assumption", "items")


def sentence(key: str, value: object) -> str:
    """Return ``baseline.scope: single (locationLabel Lisbon)``: key, value, and the rest in brackets."""
    return f"{key}: {_words(value)}"


def _words(value: object) -> str:
    match value:
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
        case Mapping():
            return _object(cast("Mapping[str, Any]", value))
        case str():
            return value
        case Sequence():
            return "; ".join(map(_words, cast("Sequence[object]", value)))
        case _:
            return str(value)


def _object(value: Mapping[str, Any]) -> str:
    head = next((name for name in _HEADS if value.get(name) is not None), None)
    rest = ", ".join(
        f"{name} {_words(inner)}" for name, inner in value.items() if name != head and inner is not None
    )
    if head is None:
        return rest
    return f"{_words(value[head])} ({rest})" if rest else _words(value[head])


async def catch_up(database: Database, models: Models, space: str) -> None:
    """File what the index does not know yet, and withdraw what stands no more.

    Texts are embedded before the writers of the space are held; then what is unindexed is looked up again, so
    that nothing written meanwhile is lost and nothing superseded is filed. It costs what was written since,
    however much stands.
    """
    generation: int | None = None
    vectors: _Vectors = {}
    while True:
        async with database.snapshot_read(space) as tx:
            if tx is None:
                return
            unindexed = await _unindexed(tx, await store.marks(tx))
            generation = generation or tx.space.generation
        new = [one for one in unindexed if one.place not in vectors]
        if new:
            texts = [sentence(one.key, one.value) for one in new]
            embedded = await models.embed(texts, generation=generation)
            generation = embedded.generation
            vectors |= dict(zip([one.place for one in new], embedded.vectors, strict=True))
        try:
            if await _follow(database, space, vectors, generation):
                return
        except GenerationChanged as moved:
            generation, vectors = moved.generation, {}


async def _unindexed(tx: SpaceTransaction, marks: Marks) -> list[Unindexed]:
    """Return unindexed facts, then evidence if there is room, so that both are in the order of their ids."""
    facts = await tx.fetch(Unindexed, store.SQL["unindexed_facts"], after=marks.event_id, limit=_AT_ONCE)
    room = _AT_ONCE - len(facts)
    if room == 0:
        return facts
    evidence = store.SQL["unindexed_evidence"]
    return facts + await tx.fetch(Unindexed, evidence, after=marks.evidence_id, limit=room)


async def _follow(database: Database, space: str, vectors: _Vectors, generation: int | None) -> bool:
    """Let the index follow as far as there are vectors; whether that is all the way.

    No door writes meanwhile, and where a transaction of SQL is open the marks stay: what it has written has
    lower numbers than what comes until it ends. All beyond the marks is then looked at again.
    """
    async with database.erase(space) as tx:
        if tx is None:
            return True
        alone = await is_left_alone(tx, LEDGER)
        marks = await store.marks(tx)
        unindexed = await _unindexed(tx, marks)
        ready = list(takewhile(lambda one: one.place in vectors, unindexed))
        done = len(ready) == len(unindexed) < _AT_ONCE
        reached = (await tx.rows(store.SQL["last_ids"]))[0] if done else _reached(ready, marks)
        await withdraw(tx, await _gone(tx, marks, reached[0]))
        if ready and generation is not None:
            fallback = next(iter(tx.space.languages), DEFAULT)
            drafts = [_draft(one, vectors[one.place], fallback) for one in ready]
            await index.file(tx, drafts, generation=generation)
        if alone:
            await tx.execute(store.SQL["move_marks"], event=reached[0], evidence=reached[1])
        if alone and done:
            await tx.execute(store.SQL["all_is_filed"])
        return done


def _reached(ready: Sequence[Unindexed], marks: Marks) -> tuple[int, int]:
    """Return the last event and the last evidence that are filed by then."""
    events = [one.id for one in ready if one.source_table == FACTS]
    evidence = [one.id for one in ready if one.source_table != FACTS]
    return max(events, default=marks.event_id), max(evidence, default=marks.evidence_id)


async def _gone(tx: SpaceTransaction, marks: Marks, upto: int) -> list[int]:
    """Return entries of what no longer stands."""
    if marks.expired_until is None:
        gone = await tx.rows(store.SQL["no_longer_standing"])
    else:
        gone = await tx.rows(store.SQL["superseded"], after=marks.event_id, upto=upto)
        gone += await tx.rows(store.SQL["expired"], since=marks.expired_until)
    return sorted({entry for (entry,) in gone})


def _draft(one: Unindexed, vector: NDArray[np.float32], fallback: str) -> Draft:
    text = sentence(one.key, one.value)
    return Draft(
        kind=LEDGER,
        bag=bag(text, fallback=fallback),
        vector=vector,
        happened_at=one.happened_at,
        recorded_at=one.recorded_at,
        owner=one.owner,
        by_user=one.said,
        has_time=tells_time(text),
        source_table=one.source_table,
        source_id=str(one.id),
        content=text,
    )
