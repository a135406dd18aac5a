"""Answers about values that changed: what is read for them, and the order that they get."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from quipu.kernel.db.database import SpaceTransaction
from quipu.kernel.prose.changes import time_asked, wants_one_value
from quipu.recall import store as index
from quipu.recall.changes import Pair, arranged, candidates, likely, satisfies, shown
from quipu.recall.model import Cited, Filters
from quipu.recall.neighbours import THREAD_SHIFT
from quipu.recall.question import Question
from quipu.recall.repeats import Distinct
from quipu.record import relations, store
from quipu.record.service import MESSAGE

_DEPTH: Final = 60  # the newer value shares less with the question than the older: it is looked for so deep

Ranked = list[tuple[Question, list[Distinct]]]


def depth(questions: Sequence[str], least: int) -> int:
    """Return how many entries are to be ranked: more where a question asks for one value of the present."""
    return max(least, _DEPTH) if any(map(wants_one_value, questions)) else least


async def arrange(
    tx: SpaceTransaction, answers: Ranked, cited: Mapping[int, Cited], filters: Filters
) -> tuple[Ranked, Mapping[int, Cited]]:
    """Put what replaces each other into the order that each question wants; return the texts, too.

    Statements that are linked to what was found are brought in, if they satisfy the filters.
    """
    ids = {one.found.id for _, hits in answers for one in hits if one.found.kind == MESSAGE}
    pairs, cited = await _linked(tx, ids, cited, filters)
    found: Ranked = []
    for question, hits in answers:
        asked = time_asked(question.text)
        here = [p for p in pairs if not ids.isdisjoint((p.newer, p.older))]
        guessed = await _guessed(tx, question, hits, cited) if wants_one_value(question.text) else []
        known = {p.older for p in here}
        every = [*here, *(p for p in guessed if p.older not in known)]
        entries = arranged(asked, hits, every, cited, as_of=_as_of(question))
        found.append((question, shown(entries, here, cited)))
    return found, cited


async def _linked(
    tx: SpaceTransaction, ids: set[int], cited: Mapping[int, Cited], filters: Filters
) -> tuple[list[Pair], Mapping[int, Cited]]:
    """Return the links of messages, and the texts with those of their other ends that are not there."""
    links = {
        (one.newer, one.older): one for row in (await relations.of(tx, sorted(ids))).values() for one in row
    }
    others = {end for pair in links for end in pair} - cited.keys()
    thread = filters.thread
    others = {end for end in others if thread is None or end >> THREAD_SHIFT == thread}
    told = await store.cite(tx, sorted(others)) if others else {}
    more = {end: one for end, one in told.items() if satisfies(one, filters)}
    return [Pair(one.newer, one.older, one.reason) for one in links.values()], {**cited, **more}


async def _guessed(
    tx: SpaceTransaction, question: Question, hits: Sequence[Distinct], cited: Mapping[int, Cited]
) -> list[Pair]:
    """Return pairs that nobody linked, of which the newer statement in all likelihood replaces the older."""
    among = candidates(hits, cited, kind=MESSAGE)
    generation = tx.space.generation
    if not among or generation is None:
        return []
    ends = {found.id for older, newer, _ in among for found in (older, newer)}
    compared = await index.compared(tx, sorted(ends), generation=generation)
    return likely(question, among, cited, compared)


def _as_of(question: Question) -> datetime | None:
    """Return the end of the time that a question names; None if it names none."""
    return max((window.until for window in question.windows), default=None)
