"""The search over one space: file what waits, a first pass over the signatures, one statement that ranks."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import anyio
import numpy as np
from anyio import move_on_after
from numpy.typing import NDArray

from quipu.kernel.base.clock import Clock
from quipu.kernel.base.scope import acting_for, at_primary, bound_person
from quipu.kernel.db.arrays import Float8s, Int4s, Int8s, Moments, Vector, sign_bits
from quipu.kernel.db.database import Ask, Database, SpaceTransaction, leaving_what_is_held
from quipu.recall import store
from quipu.recall.generations import Models
from quipu.recall.model import THREAD_SHIFT, Filters, Found
from quipu.recall.question import Question, Window, understand
from quipu.recall.ranking import Weights, scored, selectivity, session_weight
from quipu.recall.signatures import Cache, Signatures, View, as_words, closest

CatchUp = Callable[[Database, Models, str], Awaitable[None]]
"""Files what the index does not know of a kind in a space: ``await catch_up(database, models, space)``."""

_HELD_MILLISECONDS: Final = 50

# Two directions that have nothing to do with each other rarely have a cosine above this.
FLOOR = 0.12
_ALWAYS = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NONE = np.zeros(0, dtype=np.int64)
_ALONE = Int4s((0,))  # steps from an entry to itself
_HEIRS = Int4s((0, 1, 2, -1))  # and to those that inherit from it

# The rarer words of a question find entries until they have found this many; the commoner ones only add
# to the score of what was found. Below this size of the space nothing is left out.
_POSTINGS = 1_000

# A word in more entries than this is looked up in the candidates instead of being read through.
_RARE = 2_000

# The nearest by sign bits, this many, are ordered by their exact cosine.
_NEAR = 200
_SEEDS = 120
_POOL = 200
_DATED = 200


_WEIGHTS = tuple((field.name, f"w_{field.name}") for field in fields(Weights))


@dataclass(frozen=True, slots=True)
class EmbeddedQuestions:
    """Questions with their vectors, and the view of the space by which they were understood."""

    view: View
    questions: Sequence[Question]


class Search:
    """Ranks the entries of a space for a question. Holds the signatures of the spaces it searched."""

    def __init__(self, models: Models, *, clock: Clock, cache: Cache) -> None:
        self._models = models
        self._clock = clock
        self._cache = cache
        self._weights = Weights()
        self._reading = anyio.Lock(fast_acquire=True)

    @property
    def models(self) -> Models:
        """Models that embed questions."""
        return self._models

    async def find(
        self, tx: SpaceTransaction, questions: Sequence[str], *, filters: Filters, limit: int
    ) -> list[tuple[Question, list[Found]]]:
        """Understand each question and find its best entries, at most ``limit``."""
        return await self.rank(tx, await self.understood(tx, questions), filters=filters, limit=limit)

    async def understood(self, tx: SpaceTransaction, questions: Sequence[str]) -> EmbeddedQuestions:
        """Understand and embed questions to the space of the transaction, in which they are to be ranked."""
        view = await self._view(tx)
        understood = [self._understand(text, tx, view) for text in questions]
        meanings = [one.meaning for one in understood]
        embedded = await self._models.embed(meanings, generation=tx.space.generation, role="query")
        vectors = zip(understood, embedded.vectors, strict=True)
        return EmbeddedQuestions(view, [replace(question, vector=vector) for question, vector in vectors])

    async def rank(
        self,
        tx: SpaceTransaction,
        questions: EmbeddedQuestions,
        *,
        filters: Filters,
        limit: int,
        floor: float = FLOOR,
    ) -> list[tuple[Question, list[Found]]]:
        """Find the best entries of each question, at most ``limit``.

        What shares no word with a question is left out where its cosine is below ``floor``.
        """
        owners = await _owners(tx, filters)
        nobody = owners is not None and not owners
        return [
            (one, [] if nobody else await self._rank(tx, questions.view, one, filters, owners, limit, floor))
            for one in questions.questions
        ]

    async def _view(self, tx: SpaceTransaction) -> View:
        space, person = tx.space, bound_person()
        async with self._reading:  # one at a time: what one has read, the next need not
            held = self._cache.get((space.id, person), epoch=space.epoch)
            sessions = _NONE if person is None else await store.sessions_of_person(tx)
            if held is None or not np.isin(held.sessions, sessions).all():
                every = store.read_signatures if person is None else store.read_signatures_of_person
                signatures = await every(tx)
            elif held.signatures.version >= space.version and len(held.sessions) == len(sessions):
                return held
            else:
                signatures = await _grown(tx, held, sessions)
            view = View(signatures, await store.names(tx), sessions, await store.aliases(tx))
            self._cache.put((space.id, person), view)
            return view

    def _understand(self, text: str, tx: SpaceTransaction, view: View) -> Question:
        now = self._clock.now()
        times = view.signatures.happened
        first, last = (_moment(times.min()), _moment(times.max())) if len(times) else (now, now)
        return understand(
            text,
            people=view.people,
            aliases=view.aliases,
            languages=tx.space.languages,
            now=now,
            first=first,
            last=last,
        )

    async def _rank(
        self,
        tx: SpaceTransaction,
        view: View,
        question: Question,
        filters: Filters,
        owners: Sequence[int] | None,
        limit: int,
        floor: float,
    ) -> list[Found]:
        vector = question.vector
        assert vector is not None  # it is embedded
        if not question.terms and not vector.any():
            return []
        held = view.signatures
        allowed = _allowed(held, filters, owners)
        dated = _dated(held.happened, question.windows)
        weights = self._in_force(question, tx, _share(dated, allowed))
        values = self._values(tx, question, vector, filters, owners, weights, limit)
        places = np.arange(len(held.ids)) if allowed is None else np.flatnonzero(allowed)
        if not (held.ids[places] > 0).any():  # what stands alone inherits from nobody
            values = {**values, "reach": _ALONE}
        distances = held.distances(as_words(sign_bits(vector[np.newaxis]))[:, 0])
        timely = _timely(held, question.windows, dated, places, distances, count=max(_DATED, limit))
        wanted = max(_NEAR + len(places) // 1000, 4 * limit)
        while True:
            near = held.nearest(places, distances, vector, wanted)
            ids = {"near": Int8s(held.ids[_union(near, timely)]), "timely": Int8s(held.ids[timely])}
            rows = await store.search(tx, {**values, **ids, "floor": floor})
            if len(rows) >= limit or len(near) == len(places) or not vector.any():
                break
            wanted *= 8  # the nearest by sign bits were not all that is relevant
        most = weights.meaning + weights.words + weights.session + weights.longest
        most += weights.speaker + weights.asker + weights.people + weights.date + weights.when + weights.tells
        return [_found(row, most) for row in rows]

    def _in_force(self, question: Question, tx: SpaceTransaction, dated_share: float) -> Weights:
        """Return the weights for this question; signals that it gives no cause for weigh nothing."""
        w = self._weights
        together = min((m.person.share for m in question.mentions), default=1.0)
        return Weights(
            meaning=w.meaning,
            words=w.words if question.terms else 0.0,
            session=session_weight(w, tx.space.threads) if question.terms else 0.0,
            speaker=w.speaker if question.speakers else 0.0,
            asker=w.asker if question.asker else 0.0,
            people=w.people * selectivity(together) if question.mentions else 0.0,
            date=w.date * selectivity(dated_share) if question.windows else 0.0,
            when=w.when if question.when else 0.0,
            tells=w.tells,
            length=w.length,
        )

    def _values(
        self,
        tx: SpaceTransaction,
        question: Question,
        vector: NDArray[np.float32],
        filters: Filters,
        owners: Sequence[int] | None,
        weights: Weights,
        limit: int,
    ) -> Mapping[str, object]:
        space = tx.space
        pairs = [(h, number) for number, hashes in enumerate(question.terms.values()) for h in hashes]
        thread = filters.thread
        return {
            "generation": space.generation,
            "hashes": Int4s([h for h, _ in pairs]),
            "numbers": Int4s([number for _, number in pairs]),
            "vector": Vector(vector),
            "entries": space.entries,
            "threads": space.threads,
            "mean_tokens": max(1.0, space.tokens / max(1, space.entries)),
            "mean_mixed": max(1.0, space.mixed_tokens / max(1, space.entries)),
            "mean_thread": max(1.0, space.tokens / max(1, space.threads)),
            "kinds": None if filters.kinds is None else Int4s(filters.kinds),
            "owners": None if owners is None else Int4s(owners),
            "ids": None if filters.ids is None else Int8s(filters.ids),
            "first": -(2**63) if thread is None else thread << THREAD_SHIFT,
            "last": 2**63 - 1 if thread is None else ((thread + 1) << THREAD_SHIFT) - 1,
            "since": filters.since or _ALWAYS[0],
            "until": filters.until or _ALWAYS[1],
            "reach": _ALONE if filters == Filters() else _HEIRS,
            "postings": _POSTINGS,
            "rare": _RARE,
            "dated": bool(question.windows),
            "filtered": filters != Filters(),
            "seeds": max(_SEEDS, limit),
            "pool": max(_POOL, 2 * limit),
            "speakers": Int4s(question.speakers),
            "people": Int4s(question.people),
            "limit": limit,
            **_date_values(question.windows),
            **{parameter: getattr(weights, name) for name, parameter in _WEIGHTS},
        }


@asynccontextmanager
async def filed(
    database: Database,
    models: Models,
    space: str,
    behind: Mapping[int, CatchUp],
    *,
    seconds: float | None = None,
    ask: Ask | None = None,
) -> AsyncGenerator[SpaceTransaction | None]:
    """Open the space for reading, after filing what kinds of memory, by their codes, have left unindexed.

    What takes longer than ``seconds`` is left for the next time, and so is what a transaction of SQL has
    locked: nobody knows when that ends. The queries of ``ask`` go to the server with what opens the space.
    """
    async with database.snapshot_read(space, ask=ask) as tx:
        late = [] if tx is None else [code for code in behind if tx.space.unindexed & 1 << (code - 1)]
        if tx is None or not late:
            yield tx
            return
        by_hand = await store.is_written_by_hand(tx)
    # What waits is everybody's, and it is not shown.
    with acting_for(None), at_primary(), move_on_after(seconds):
        for code in late:
            with leaving_what_is_held(_HELD_MILLISECONDS) if by_hand else nullcontext():
                await behind[code](database, models, space)
    async with database.snapshot_read(space, ask=ask) as tx:
        yield tx


async def file_all(database: Database, models: Models, space: str, behind: Mapping[int, CatchUp]) -> None:
    """File what kinds of memory have left unindexed, until all is filed, or a round files nothing more."""
    before = (-1, -1)
    while True:
        async with filed(database, models, space, behind) as tx:
            now = (0, 0) if tx is None else (tx.space.unindexed, tx.space.entries)
        if not now[0] or now == before:
            return
        before = now


async def _grown(tx: SpaceTransaction, held: View, sessions: NDArray[np.int64]) -> Signatures:
    """Return held signatures, with those written since and older ones of sessions now the person's."""
    since = held.signatures.version
    signatures = held.signatures.merged(await store.read_signatures(tx, since=since))
    gained = sessions[~np.isin(sessions, held.sessions)]
    if len(gained):
        older = await store.read_signatures_of_sessions(tx, gained, until=since)
        signatures = signatures.merged(older)
    return signatures


def _moment(microseconds: np.int64) -> datetime:
    return _EPOCH + timedelta(microseconds=int(microseconds))


def _microseconds(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(
        microseconds=1
    )  # a float of seconds would be off by one here and there


async def _owners(tx: SpaceTransaction, filters: Filters) -> list[int] | None:
    """Return the numbers of the wanted owners, 0 for nobody; None for everybody."""
    if filters.user is None:
        return None
    found = await store.owner(tx, filters.user)
    return [0] * filters.or_nobody + ([] if found is None else [found])


def _allowed(held: Signatures, filters: Filters, owners: Sequence[int] | None) -> NDArray[np.bool_] | None:
    """Return a mask of the entries that satisfy the filters; None if every one does."""
    masks: list[NDArray[np.bool_]] = []
    if filters.kinds is not None:
        masks.append(np.isin(held.kinds, np.array(filters.kinds, dtype=np.int16)))
    if owners is not None:
        masks.append(np.isin(held.owners, np.array(owners, dtype=np.int32)))
    if filters.ids is not None:
        masks.append(np.isin(held.ids, np.array(filters.ids, dtype=np.int64)))
    if filters.thread is not None:
        masks.append(held.ids >> THREAD_SHIFT == filters.thread)
    if filters.since is not None:
        masks.append(held.happened >= _microseconds(filters.since))
    if filters.until is not None:
        masks.append(held.happened < _microseconds(filters.until))
    return np.logical_and.reduce(masks) if masks else None


def _dated(happened: NDArray[np.int64], windows: Sequence[Window]) -> NDArray[np.bool_]:
    return _between(happened, [(w.since, w.until) for w in windows])


def _between(happened: NDArray[np.int64], spans: Iterable[tuple[datetime, datetime]]) -> NDArray[np.bool_]:
    """Return a mask of the moments that lie in one of the spans: the start is in, the end is not."""
    found = np.zeros(len(happened), dtype=bool)
    for since, until in spans:
        found |= (happened >= _microseconds(since)) & (happened < _microseconds(until))
    return found


def _share(dated: NDArray[np.bool_], allowed: NDArray[np.bool_] | None) -> float:
    among = dated if allowed is None else dated[allowed]
    return float(among.mean()) if len(among) else 0.0


def _timely(
    held: Signatures,
    windows: Sequence[Window],
    dated: NDArray[np.bool_],
    places: NDArray[np.intp],
    distances: NDArray[np.uint16],
    *,
    count: int,
) -> NDArray[np.intp]:
    """Return places that compete in any case, however far in meaning.

    These are the nearest from the time that the question names, and the nearest from the time after it, when
    people still tell of it.
    """
    if not windows:
        return np.zeros(0, dtype=np.intp)
    after = _between(held.happened, [(w.until, w.ends) for w in windows]) & ~dated
    return _union(*(closest(distances, places[mask[places]], count) for mask in (dated, after)))


def _union(one: NDArray[np.intp], other: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the places in either array, each once. numpy's own union loads a package that takes 20 ms."""
    both = np.sort(np.concatenate((one, other)))
    is_first = np.ones(len(both), dtype=bool)
    is_first[1:] = both[1:] != both[:-1]
    return both[is_first]


def _date_values(windows: Sequence[Window]) -> Mapping[str, object]:
    return {
        "date_from": Moments([w.since for w in windows]),
        "date_until": Moments([w.until for w in windows]),
        "date_end": Moments([w.ends for w in windows]),
        "date_score": Float8s([w.score for w in windows]),
        "date_after": Float8s([w.after for w in windows]),
        "date_fade": Float8s([w.fade.total_seconds() for w in windows]),
    }


def _found(row: Sequence[Any], most: float) -> Found:
    id_, kind, *added, cosine, coverage = row
    score, parts = scored(added, most=most)
    return Found(id_, kind, score, parts, cosine, coverage)
