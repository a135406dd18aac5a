"""Answers about values that changed: what is read for them, and the order that they get."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from quipu.kernel.db.database import SpaceTransaction
from quipu.recall import store as index
from quipu.recall.changes import Pair, arranged, satisfies, shown
from quipu.recall.model import Cited, Filters
from quipu.recall.neighbours import THREAD_SHIFT
from quipu.recall.outdated import Statements, statements
from quipu.recall.question import Question
from quipu.recall.repeats import Distinct
from quipu.record import store
from quipu.record.model import MESSAGE

_DEPTH: Final = 60  # the newer value shares less with the question than the older: it is looked for so deep

Ranked = list[tuple[Question, list[Distinct]]]


def depth(questions: Sequence[Question], least: int) -> int:
    """Return how many entries are to be ranked: more where a question asks for one value of the present."""
    return max(least, _DEPTH) if any(one.wants_one_value for one in questions) else least


async def arrange(
    tx: SpaceTransaction, answers: Ranked, linked: store.Linked, filters: Filters, *, limit: int
) -> tuple[Ranked, Mapping[int, Cited]]:
    """Return the best entries of each question in the order that it wants of what replaces each other.

    Statements that are linked to what was found are brought in, if they satisfy the filters. The texts are
    returned, too.
    """
    ids = {one.found.id for _, hits in answers for one in hits if one.found.kind == MESSAGE}
    here = [p for p in linked.pairs if not ids.isdisjoint((p.newer, p.older))]
    known = {p.older for p in here}
    cited = {**linked.cited, **_satisfying(linked.ends, filters)}
    found: Ranked = []
    for question, hits in answers:
        guessed = await _guessed(tx, question, hits, cited)
        every = [*here, *(p for p in guessed if p.older not in known)]
        entries = arranged(question.time_asked, hits, every, cited, as_of=_as_of(question))
        found.append((question, shown(entries[:limit], here, cited)))
    return found, cited


def _satisfying(ends: Mapping[int, Cited], filters: Filters) -> dict[int, Cited]:
    """Return the messages that may be brought in."""
    thread = filters.thread
    return {
        end: one
        for end, one in ends.items()
        if (thread is None or end >> THREAD_SHIFT == thread) and satisfies(one, filters)
    }


async def _guessed(
    tx: SpaceTransaction, question: Question, hits: Sequence[Distinct], cited: Mapping[int, Cited]
) -> list[Pair]:
    """Return pairs that nobody linked, of which the newer statement has probably replaced the older."""
    if not question.wants_one_value:
        return []
    among = statements(hits, cited, kind=MESSAGE)
    generation = tx.space.generation
    if len(among) < 2 or generation is None:
        return []
    compared = await index.compared(tx, sorted(one.id for one in among), generation=generation)
    return [Pair(one.newer, one.older) for one in Statements(question, among, cited, compared).replaced()]


def _as_of(question: Question) -> datetime | None:
    """Return the end of the time that a question names; None if it names none."""
    return max((window.until for window in question.windows), default=None)
