"""Everything that recall reads for what it ranked: texts, sources, changed values and standing rules."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from quipu.app.kinds import KINDS
from quipu.kernel.db.database import Connection, Rows, SpaceTransaction
from quipu.kinds.plug import Parts
from quipu.recall import store as index
from quipu.recall.changes import Pair, Statements, arranged, satisfies, shown, statements
from quipu.recall.model import THREAD_SHIFT, Cited, Filters, Found, Hit, Source
from quipu.recall.question import Question
from quipu.recall.ranking import Distinct
from quipu.recall.render import RuleLine
from quipu.recall.terms import bag
from quipu.record import store
from quipu.record.model import MESSAGE
from quipu.record.standing import store as rules_store
from quipu.record.standing.model import Known

BY_CODE: Final = {kind.code: kind for kind in KINDS}


@dataclass(frozen=True, slots=True)
class Used:
    """A memory that was used, and when it was last; ``kind``, ``text`` and ``source`` as of a hit."""

    kind: str
    text: str
    used_at: datetime
    source: Source


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


_DEPTH: Final = 60  # the newer value shares less with the question than the older: it is looked for so deep

Ranked = list[tuple[Question, list[Distinct]]]


def depth(questions: Sequence[Question], least: int) -> int:
    """Return the number of entries to rank: more if the question asks for one present value."""
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
        told = [one for one in here if not (one.ended and question.time_asked == "present")]
        found.append((question, shown(entries[:limit], told, cited)))
    return found, cited


def _satisfying(ends: Mapping[int, Cited], filters: Filters) -> dict[int, Cited]:
    """Return the messages that may be brought in."""
    thread = filters.thread
    return {
        end: one
        for end, one in ends.items()
        if (thread is None or end >> THREAD_SHIFT == thread)
        and (filters.ids is None or end in filters.ids)
        and satisfies(one, filters)
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
        self._known = await rules_store.ask_in_force(conn, self._users)

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
        near = await rules_store.nearness(tx, messages, question.vector, generation=tx.space.generation)
    every = [Standing(one, _nearness(one, question, near)) for one in known]
    return sorted(every, key=lambda one: -one.nearness)


async def nearest(
    tx: SpaceTransaction, rules: Sequence[Sequence[Standing]]
) -> tuple[list[Distinct | None], Mapping[int, Cited]]:
    """Return the nearest rule for each question as the message that it was said in, and these messages."""
    said_in = ([one.rule.message for one in every if one.rule.message is not None] for every in rules)
    numbers = [next(iter(every), None) for every in said_in]
    wanted = sorted({number for number in numbers if number is not None})
    said = await store.cite(tx, wanted) if wanted else {}
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
    if filters.ids is not None and one.message not in filters.ids:
        return False
    after = filters.since is None or one.since >= filters.since
    return after and (filters.until is None or one.since < filters.until)


def _nearness(one: Known, question: Question, near: Mapping[int, float]) -> float:
    held = {h for hashes in question.terms.values() for h in hashes}
    cosine = near.get(one.message, 0.0) if one.message is not None else 0.0
    in_scope = not held.isdisjoint(bag(one.scope).hashes.tolist())
    shared = len(held.intersection(bag(one.text).hashes.tolist()))
    return cosine + _IN_SCOPE * in_scope + _SHARED * shared
