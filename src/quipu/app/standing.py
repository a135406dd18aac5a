"""Standing rules in answers: the lines that blocks begin with, and a place among the first hits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from quipu.kernel.db.database import Connection, Rows, SpaceTransaction
from quipu.recall.model import Cited, Filters, Found, Hit
from quipu.recall.neighbours import THREAD_SHIFT
from quipu.recall.question import Question
from quipu.recall.render import RuleLine
from quipu.recall.repeats import Distinct
from quipu.recall.terms import bag
from quipu.record import store as record
from quipu.record.model import MESSAGE
from quipu.record.standing import store
from quipu.record.standing.model import Known

RULE: Final = "rule"
"""Name of the part that a hit has which stands where it does for being a standing rule."""

PLACE: Final = 10
"""The nearest rule that applies is among so many hits."""

_FEWEST: Final = 5
"""Of fewer hits none is given up for a rule."""

_IN_SCOPE: Final = 0.5  # added to the nearness of a rule whose scope the question names
_SHARED: Final = 0.1  # for each word that it shares with the question


@dataclass(frozen=True, slots=True)
class Standing:
    """A rule in force for a question; ``nearness`` is the greater, the surer it applies."""

    rule: Known
    nearness: float

    @property
    def shown(self) -> RuleLine:
        """The rule as a block tells it."""
        rule = self.rule
        return RuleLine(rule.line, None if rule.message is None else str(rule.message))


class Rules:
    """The rules in force: those of the user and of the whole space, where a user is named, else everybody's.

    They are asked for while the space is entered (``ask``), and read then (``standing``).
    """

    def __init__(self, filters: Filters) -> None:
        self._users = None if filters.user is None else [filters.user]
        self._known: Rows | None = None

    async def ask(self, conn: Connection) -> None:
        """Ask in a pipeline."""
        self._known = await store.ask_in_force(conn, self._users)

    async def standing(
        self, tx: SpaceTransaction, questions: Sequence[Question], filters: Filters
    ) -> list[list[Standing]]:
        """Return the rules that satisfy the filters and may be told for each question, the nearest first."""
        assert self._known is not None  # the space was entered
        found = [Known(*row) for row in await self._known.fetchall()]
        known = [one for one in found if _satisfies(one, filters)]
        return [await _ranked(tx, known, question) for question in questions]


async def _ranked(tx: SpaceTransaction, known: Sequence[Known], question: Question) -> list[Standing]:
    """Return rules with how near they are to a question, the nearest first."""
    near: Mapping[int, float] = {}
    messages = [one.message for one in known if one.message is not None]
    if messages and question.vector is not None:
        near = await store.nearness(tx, messages, question.vector, generation=tx.space.generation)
    every = [Standing(one, _nearness(one, question, near)) for one in known]
    return sorted(every, key=lambda one: -one.nearness)


async def nearest(
    tx: SpaceTransaction, rules: Sequence[Sequence[Standing]]
) -> tuple[list[Distinct | None], Mapping[int, Cited]]:
    """Return the nearest rule for each question as the message that it was said in, and these messages."""
    said_in = ([one.rule.message for one in every if one.rule.message is not None] for every in rules)
    numbers = [next(iter(every), None) for every in said_in]
    wanted = sorted({number for number in numbers if number is not None})
    said = await record.cite(tx, wanted) if wanted else {}
    return [
        None if number is None or number not in said else Distinct(Found(number, MESSAGE, 0.0, {}))
        for number in numbers
    ], said


def with_rule(hits: Sequence[Hit], rule: Hit | None, *, limit: int) -> list[Hit]:
    """Return the hits, best first, with the rule in the last of the first ten places if it is not there.

    It takes the score of the hit whose place it takes: what it lacks is its part ``rule``.
    """
    place = min(PLACE, limit) - 1
    first = [name for hit in hits[: place + 1] for name in (hit.id, *(one.id for one in hit.repeats))]
    if rule is None or limit < _FEWEST or not hits or rule.id in first:
        return list(hits)
    own = next((hit for hit in hits if hit.id == rule.id), rule)
    others = [hit for hit in hits if hit.id != rule.id]
    score = others[min(place, len(others) - 1)].score
    parts = {**own.parts, RULE: round(score - own.score, 6)}
    return [*others[:place], replace(own, score=score, parts=parts), *others[place:]][:limit]


def _satisfies(one: Known, filters: Filters) -> bool:
    if filters.kinds is not None and MESSAGE not in filters.kinds:
        return False
    if filters.thread is not None and (one.message is None or one.message >> THREAD_SHIFT != filters.thread):
        return False
    after = filters.since is None or one.since >= filters.since
    return after and (filters.until is None or one.since < filters.until)


def _nearness(one: Known, question: Question, near: Mapping[int, float]) -> float:
    held = {h for hashes in question.terms.values() for h in hashes}
    cosine = near.get(one.message, 0.0) if one.message is not None else 0.0
    in_scope = not held.isdisjoint(bag(one.scope).hashes.tolist())
    shared = len(held.intersection(bag(one.text).hashes.tolist()))
    return cosine + _IN_SCOPE * in_scope + _SHARED * shared
