"""Filing entries and taking them out: ids, neighbours, vectors, terms and the counters of the space.

A turn such as "Yes, in June" means nothing by itself; with the question before it, it does. So an entry
takes over a share of its neighbours' words and of their direction: less the longer it is itself (a long
message explains itself), no more than a short message's worth from a long neighbour, nothing across a
pause of more than an hour, and most from a question that it answers. (Rule and constants: measured on
five kinds of conversation; docs/decisions/recall.md.)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import accumulate
from typing import Final

import numpy as np
from numpy.typing import NDArray

from quipu.errors import BadInput
from quipu.kernel.db.arrays import (
    Bits,
    Bools,
    Float4s,
    Int2s,
    Int4s,
    Int8s,
    Moments,
    Texts,
    Vectors,
    sign_bits,
)
from quipu.kernel.db.database import Connection, Rows, SpaceTransaction
from quipu.recall import store
from quipu.recall.model import MOST_ENTRIES_OF_A_THREAD, THREAD_SHIFT, Draft, GenerationChanged

PAUSE: Final = timedelta(hours=1)
ANSWER, PREVIOUS, NEXT, BEFORE = 0.9, 0.5, 0.3, 0.25
_SHORT_WORDS: Final = 30
_DONOR_WORDS: Final = 60


@dataclass(frozen=True, slots=True)
class EntryValues:
    """Values of an entry that the rule needs.

    ``speaker`` tells voices apart; ``words`` counts all its words.
    """

    position: int
    speaker: str
    words: int
    asks: bool
    happened_at: datetime


@dataclass(frozen=True, slots=True)
class Shares:
    """Shares (0 to 1) inherited from the entries at position - 1, position - 2 and position + 1."""

    previous: float = 0.0
    before: float = 0.0
    next: float = 0.0


@dataclass(slots=True)
class Row:
    """An entry on its way into the database, or one that is there and gets a new neighbour."""

    id: int
    turn: EntryValues
    tokens: int
    own: NDArray[np.float32] | None  # None: not there yet
    shares: Shares = field(default_factory=Shares)
    donors: Sequence[tuple[float, Row]] = ()
    mixed_tokens: float = 0.0
    draft: Draft | None = None
    speaker: int = 0
    owner: int = 0


@dataclass(frozen=True, slots=True)
class Locked:
    """Facts and locks needed before entries are filed, kept until the transaction ends.

    ``generation`` is the model of the space; ``numbers`` are those of names; ``ends`` and ``tails`` say where
    the threads go on, ``made`` how many of them are new; ``alone`` are ids for entries that stand alone.
    """

    generation: int
    numbers: Mapping[str, int]
    ends: Mapping[int, store.Thread]
    made: int
    tails: Sequence[store.Tail]
    alone: Sequence[int]


@dataclass(frozen=True, slots=True)
class Gap:
    """A place that is taken and has no entry: at the end of a thread, or (None) one that stands alone."""

    thread: int | None


@dataclass(frozen=True, slots=True)
class PreparedEntries:
    """Entries with all that can be said of them before their vectors are there.

    ``fitted`` are old entries that inherit from them; ``columns`` are as they go to the server. ``ids`` are
    those of entries and gaps in their order; ``ends`` says where threads go on behind them.
    """

    held: Locked
    rows: Sequence[Row]
    fitted: Sequence[Row]
    columns: Mapping[str, object]
    ids: Sequence[int]
    ends: Mapping[int, int] = field(default_factory=dict[int, int])


@dataclass(frozen=True, slots=True)
class SentEntries:
    """Entries that were sent to the database, before it says that it took them."""

    filed: Rows
    generation: int

    async def check(self) -> None:
        """Raise unless the entries were filed.

        Raises:
            GenerationChanged: the space has another model now, or it was forgotten while we waited for it.
        """
        await store.check_filed(self.filed, generation=self.generation)


async def remove(tx: SpaceTransaction, ids: Sequence[int]) -> None:
    """Remove entries and what their neighbours inherited from them; drop every copy of the space.

    The transaction must keep those who write out of the space (``Database.erase``). The space is held
    first, so that nobody changes its embedding model half-way.
    """
    generation = await store.lock_space(tx)
    if generation is None:
        return
    gone = Int8s(np.array(sorted(ids), dtype=np.int64))
    await store.run(tx, "take_out", {"ids": gone})
    around = await store.neighbours_of(tx, gone, generation=generation)
    await refit(tx, around, beside=set(ids), generation=generation)
    await store.run(tx, "recount_space", {})


async def withdraw(tx: SpaceTransaction, ids: Sequence[int]) -> None:
    """Take out entries that stand alone and are not to be found any more, among others who write.

    Copies of the space keep their signatures until they are read again; nothing is found by them. For what
    must be forgotten, use ``remove``.
    """
    if await store.lock_space(tx) is None or not ids:
        return
    gone = Int8s(np.array(sorted(ids), dtype=np.int64))
    await store.run(tx, "discount_space", {"ids": gone, "more_mixed_tokens": 0.0})
    await store.run(tx, "take_out", {"ids": gone})


async def take_back(tx: SpaceTransaction, ids: Sequence[int], *, thread: int, whole: bool = False) -> None:
    """Take entries out of a thread among others who write, and what their neighbours inherited from them.

    Copies of the space keep their signatures, as in ``withdraw``, and learn of the neighbours. Some of the
    ``ids`` may have no entry; if they are ``whole``, the thread has no others. It is held first, as by
    whoever files.

    Raises:
        GenerationChanged: the space went to another model meanwhile. The transaction must be given up.
    """
    # Whoever waited for a thread may have entered its space before that had a generation.
    generation = tx.space.generation or await store.generation_of_space(tx)
    if generation is None or not ids:
        return
    gone = Int8s(np.array(sorted(ids), dtype=np.int64))
    beside = Int8s([]) if whole else gone
    around = await store.hold_around(tx, [thread], beside, generation=generation)
    taken = set(ids)
    known = {tail.id: standing(tail) for tail in around if tail.id not in taken}
    touched = [row for row in known.values() if any(row.id + step in taken for step in (-2, -1, 1))]
    was = {row.id: (row.shares, row.mixed_tokens) for row in touched}
    for row in touched:
        fit(row, known)
    touched = [row for row in touched if was[row.id] != (row.shares, row.mixed_tokens)]
    more = sum(row.mixed_tokens - was[row.id][1] for row in touched)
    async with tx.conn.pipeline():
        # The row of the space is the last lock, as of every write, and all that is counted comes under it.
        now = await store.discount(tx, gone, more_mixed_tokens=more)
        await store.run(tx, "take_out", {"ids": gone})
        if touched:
            await _refit(tx, touched, generation=generation)
    await store.check_generation(now, generation=generation)


async def hold(
    tx: SpaceTransaction, *, threads: Collection[int], names: Collection[str], alone: int
) -> Locked:
    """Hold the threads that are to grow, in ascending order, and what must be known to let them grow.

    ``names`` are those of speakers and owners, ``alone`` is how many entries stand alone.
    """
    return await Reserved().held(tx, threads=threads, names=names, alone=alone)


class Reserved:
    """Ids for entries that stand alone and numbers of names, asked for while their space is entered.

    ``alone`` is how many ids there are to be; unused ones are lost. ``names`` are all that may be needed.
    """

    def __init__(self, *, alone: int = 0, names: Collection[str] = ()) -> None:
        self._alone = alone
        self._names = sorted(names)
        self._ids: Rows | None = None
        self._numbers: Rows | None = None

    async def ask(self, conn: Connection) -> None:
        """Ask in a pipeline."""
        if self._alone:
            self._ids = await store.ask_alone_ids(conn, self._alone)
        if self._names:
            self._numbers = await store.ask_names(conn, self._names)

    async def held(
        self,
        tx: SpaceTransaction,
        *,
        threads: Collection[int] = (),
        names: Collection[str] = (),
        alone: int = 0,
    ) -> Locked:
        """Return the result of ``hold``, asking the server only for what was not reserved."""
        generation = tx.space.generation or await store.first_generation(tx)
        numbers = {} if self._numbers is None else dict(await self._numbers.fetchall())
        if not numbers.keys() >= set(names):
            numbers = await store.numbers_of(tx, sorted(names))
        if threads or alone > self._alone:
            held = await store.hold(tx, sorted(threads), alone=alone, generation=generation)
            return Locked(generation, numbers, *held)
        ids = [] if self._ids is None else [row[0] for row in await self._ids.fetchall()]
        return Locked(generation, numbers, {}, 0, (), ids[:alone])


async def file(tx: SpaceTransaction, drafts: Sequence[Draft], *, generation: int) -> list[int]:
    """Make ``drafts`` findable and return their ids, in the same order.

    The entries of a thread must come in the order in which they follow each other. The threads are
    locked first, in ascending order, and the counters of the space last.

    Raises:
        GenerationChanged: the vectors of the drafts are of another ``generation`` than those of the space.
            The transaction must be given up.
    """
    if not drafts:
        return []
    held = await hold(
        tx,
        threads={d.thread for d in drafts if d.thread is not None},
        names={n for d in drafts for n in (d.speaker, d.owner) if n},
        alone=sum(d.thread is None for d in drafts),
    )
    entries = ready(held, drafts)
    await file_ready(tx, entries, generation=generation)
    return list(entries.ids)


async def file_ready(tx: SpaceTransaction, entries: PreparedEntries, *, generation: int) -> None:
    """File entries whose drafts have their vectors, as ``file`` does."""
    async with tx.conn.pipeline():
        await send_terms(tx, entries)
        vectors = [row.draft.vector for row in entries.rows if row.draft is not None]
        sent = await send(tx, entries, vectors, generation=generation)
    await sent.check()


def ready(held: Locked, drafts: Sequence[Draft | Gap]) -> PreparedEntries:
    """Make the entries of drafts ready for ``send`` while their vectors are computed; gaps get places."""
    ids, ends = _number(drafts, held)
    rows = [
        new_row(draft, id, -1 if draft.thread is None else id & (MOST_ENTRIES_OF_A_THREAD - 1), held.numbers)
        for draft, id in zip(drafts, ids, strict=True)
        if isinstance(draft, Draft)
    ]
    fitted = _inherit(rows, held.tails)
    columns = _columns(rows, fitted, held, ends) if rows else {}
    return PreparedEntries(held, rows, fitted, columns, ids, ends)


def ready_rows(held: Locked, rows: Sequence[Row], fitted: Sequence[Row]) -> PreparedEntries:
    """Make entries ready that were numbered before and have been fitted to each other."""
    ends = {thread: end.next_position for thread, end in held.ends.items()}
    return PreparedEntries(held, rows, fitted, _columns(rows, fitted, held, ends), [row.id for row in rows])


async def keep_places(tx: SpaceTransaction, entries: PreparedEntries) -> None:
    """Let threads go on behind places that were taken where nothing at all is filed, in an open pipeline."""
    ends = {"threads": Int8s(list(entries.ends)), "positions": Int4s(list(entries.ends.values()))}
    if entries.ends:
        await store.run(tx, "keep_places", ends)
    if made := entries.held.made:
        await store.run(tx, "count_threads", {"threads": made, "generation": entries.held.generation})


async def send_terms(tx: SpaceTransaction, entries: PreparedEntries) -> None:
    """File the terms of entries that follow in the same transaction, in a pipeline that is open."""
    await store.run(tx, "file_terms", entries.columns)


async def send(
    tx: SpaceTransaction,
    entries: PreparedEntries,
    vectors: Sequence[NDArray[np.float32] | None],
    *,
    generation: int,
) -> SentEntries:
    """File entries with their vectors in an open pipeline; call ``check`` on the result after its end.

    Raises:
        GenerationChanged: the vectors are of another ``generation`` than those of the space. The
            transaction must be given up.
    """
    if entries.held.generation != generation:
        raise GenerationChanged(entries.held.generation)
    for row, vector in zip(entries.rows, vectors, strict=True):
        assert vector is not None
        # As it is read again: what an entry inherits must not depend on when those beside it were filed.
        row.own = vector.astype(np.float16).astype(np.float32)
    contexts = _contexts(entries.rows)
    own = np.stack([_own(row) for row in entries.rows])
    values = {"bits": Bits(sign_bits(contexts)), "own": Vectors(own), "context": Vectors(contexts)}
    filed = await store.file_entries(tx, {**entries.columns, **values})
    if entries.fitted:
        await _refit(tx, entries.fitted, generation=generation)
    return SentEntries(filed, generation)


async def refit(
    tx: SpaceTransaction, around: Sequence[store.Tail], *, beside: set[int], generation: int
) -> None:
    """Fit the entries beside removed ones again; ``around`` has them and their own neighbours."""
    known = {tail.id: standing(tail) for tail in around}
    touched = [row for row in known.values() if any(row.id + step in beside for step in (-2, -1, 1))]
    if not touched:
        return
    for row in touched:
        fit(row, known)
    # The counters are taken again and every copy of the space is dropped, so the version stays as it is.
    await _refit(tx, touched, generation=generation)


def _number(drafts: Sequence[Draft | Gap], held: Locked) -> tuple[list[int], dict[int, int]]:
    """Return an id for each, and where the threads go on behind them."""
    alone = iter(held.alone)
    position = {thread.id: thread.next_position for thread in held.ends.values()}
    ids: list[int] = []
    for draft in drafts:
        if draft.thread is None:
            ids.append(next(alone))
            continue
        place = position[draft.thread]
        if place >= MOST_ENTRIES_OF_A_THREAD:
            raise BadInput(
                "This session has 16 million messages.", field="session", hint="Begin a new session."
            )
        ids.append(entry_id(draft.thread, place))
        position[draft.thread] = place + 1
    return ids, position


def new_row(draft: Draft, id: int, place: int, numbers: Mapping[str, int]) -> Row:
    """Return the row of an entry that is not in the database yet; ``numbers`` are those of names."""
    speaker = numbers[draft.speaker] if draft.speaker else 0
    owner = numbers[draft.owner] if draft.owner else 0
    turn = EntryValues(place, _voice(speaker, draft.by_user), draft.bag.words, draft.asks, draft.happened_at)
    return Row(id, turn, draft.bag.tokens, None, draft=draft, speaker=speaker, owner=owner)


def _voice(speaker: int, by_user: bool) -> str:
    """Return the speaker key by which the rule of neighbours tells people apart."""
    return str(speaker) if speaker else "user" if by_user else "other"


def _inherit(rows: Sequence[Row], tails: Sequence[store.Tail]) -> list[Row]:
    """Work out what each new entry inherits, and the last old one of each thread, whose next now exists.

    Returns the old entries that changed.
    """
    old = [standing(tail) for tail in tails]
    known = {row.id: row for row in [*old, *rows]}
    first_new = {row.id >> THREAD_SHIFT: row.id for row in reversed(rows) if row.draft and row.id > 0}
    for row in rows:
        fit(row, known)
    ends = [row for row in old if row.id + 1 == first_new.get(row.id >> THREAD_SHIFT)]
    for row in ends:
        fit(row, known)
    return [row for row in ends if row.shares.next]  # the others stay as they are


def standing(tail: store.Tail) -> Row:
    """Return the row of an entry that is in the database."""
    turn = EntryValues(
        tail.id & (MOST_ENTRIES_OF_A_THREAD - 1),
        _voice(tail.speaker, tail.by_user),
        tail.words,
        tail.asks,
        tail.happened_at,
    )
    given = Shares(tail.from_previous, tail.from_before)
    return Row(tail.id, turn, tail.tokens, tail.own, shares=given, mixed_tokens=tail.mixed_tokens)


def fit(row: Row, known: dict[int, Row]) -> None:
    """Work out what an entry inherits from those beside it, as far as they are known."""
    around = [known.get(row.id + step) if row.id > 0 else None for step in (-1, -2, 1)]
    previous, before, following = (r.turn if r else None for r in around)
    row.shares = shares(row.turn, previous=previous, before=before, next=following)
    taken = (row.shares.previous, row.shares.before, row.shares.next)
    row.donors = [(share, r) for share, r in zip(taken, around, strict=True) if r and share]
    row.mixed_tokens = row.tokens + sum(share * r.tokens for share, r in row.donors)


def _own(row: Row) -> NDArray[np.float32]:
    assert row.own is not None
    return row.own


def _contexts(rows: Sequence[Row]) -> NDArray[np.float32]:
    """Return the vectors of fitted entries, with what they inherit: shape (n, d)."""
    return np.stack([context(_own(row), [(share, _own(r)) for share, r in row.donors]) for row in rows])


def _columns(
    rows: Sequence[Row], fitted: Sequence[Row], held: Locked, places: Mapping[int, int]
) -> dict[str, object]:
    """Return all columns of entries to file, except vectors and what older entries now inherit from them."""
    drafts = [row.draft for row in rows if row.draft is not None]
    bounds = [0, *accumulate(len(d.bag.hashes) for d in drafts)]
    return {
        "generation": held.generation,
        "id": Int8s([row.id for row in rows]),
        "happened_at": Moments([d.happened_at for d in drafts]),
        "recorded_at": Moments([d.recorded_at for d in drafts]),
        "kind": Int2s([d.kind for d in drafts]),
        "by_user": Bools([d.by_user for d in drafts]),
        "asks": Bools([d.asks for d in drafts]),
        "has_time": Bools([d.has_time for d in drafts]),
        "speaker": Int4s([row.speaker for row in rows]),
        "owner": Int4s([row.owner for row in rows]),
        "words": Int4s([d.bag.words for d in drafts]),
        "tokens": Int4s([row.tokens for row in rows]),
        "mixed_tokens": Float4s([row.mixed_tokens for row in rows]),
        "language": Texts([d.bag.language for d in drafts]),
        **_inherited(rows),
        "source_table": Texts([d.source_table for d in drafts]),
        "source_id": Texts([d.source_id for d in drafts]),
        "field": Texts([d.field for d in drafts]),
        "chunk": Int4s([d.chunk for d in drafts]),
        "content": Texts([d.content for d in drafts]),
        "first": Int4s([start + 1 for start in bounds[:-1]]),
        "last": Int4s(bounds[1:]),
        **_terms(rows, drafts),
        **_thread_growth(rows, held.ends, places),
        **_space_growth(rows, fitted, held),
    }


def _space_growth(rows: Sequence[Row], fitted: Sequence[Row], held: Locked) -> dict[str, object]:
    was = {tail.id: tail.mixed_tokens for tail in held.tails}
    mixed = sum(row.mixed_tokens for row in rows) + sum(r.mixed_tokens - was[r.id] for r in fitted)
    return {
        "new_threads": held.made,
        "new_tokens": sum(row.tokens for row in rows),
        "new_mixed_tokens": float(mixed),
    }


def _place(row: Row) -> int:
    return row.id & (MOST_ENTRIES_OF_A_THREAD - 1)


def _thread_growth(
    rows: Sequence[Row], ends: Mapping[int, store.Thread], places: Mapping[int, int]
) -> dict[str, object]:
    grown: defaultdict[int, list[Row]] = defaultdict(list)
    for row in rows:
        if row.id > 0:
            grown[row.id >> THREAD_SHIFT].append(row)
    threads = sorted(places)
    new_speakers = [
        sorted({r.speaker for r in grown[t] if r.speaker} - set(ends[t].speakers)) for t in threads
    ]
    return {
        "thread": Int8s(threads),
        "thread_position": Int4s([max([places[t], *(_place(row) + 1 for row in grown[t])]) for t in threads]),
        "thread_tokens": Int4s([sum(r.tokens for r in grown[t]) for t in threads]),
        "thread_speakers": Texts([",".join(map(str, s)) for s in new_speakers]),
        "thread_assistant": Bools(
            [any(r.draft is not None and not r.draft.by_user for r in grown[t]) for t in threads]
        ),
    }


def _inherited(rows: Sequence[Row]) -> dict[str, object]:
    return {
        "from_previous": Float4s([row.shares.previous for row in rows]),
        "from_before": Float4s([row.shares.before for row in rows]),
        "from_next": Float4s([row.shares.next for row in rows]),
    }


def _terms(rows: Sequence[Row], drafts: Sequence[Draft]) -> dict[str, object]:
    """Return the terms of the entries, three ways.

    First one entry after the other; then sorted, so that the index is written in its own order; then the
    number of entries in which each occurs.
    """
    counts = [len(d.bag.hashes) for d in drafts]
    term = np.concatenate([d.bag.hashes for d in drafts])
    entry = np.repeat(np.array([row.id for row in rows], dtype=np.int64), counts)
    tokens = np.repeat(np.array([min(row.tokens, 32_000) for row in rows], dtype=np.int16), counts)
    occurrences = np.concatenate([d.bag.occurrences for d in drafts])
    order = np.lexsort((entry, term)) if len(drafts) > 1 else slice(None)  # one has them sorted
    posted = term[order]
    is_first = np.ones(len(posted), dtype=bool)
    is_first[1:] = posted[1:] != posted[:-1]
    begins = np.flatnonzero(is_first)
    return {
        "terms": Int4s(term),
        "posted_term": Int4s(posted),
        "posted_entry": Int8s(entry[order]),
        "posted_occurrences": Int2s(occurrences[order]),
        "posted_tokens": Int2s(tokens[order]),
        "counted_term": Int4s(posted[begins]),
        "counted_entries": Int4s(np.diff(np.append(begins, len(posted)))),
    }


async def _refit(tx: SpaceTransaction, rows: Sequence[Row], *, generation: int) -> None:
    """Write what entries inherit now. The entries are held first: whoever makes their vectors of another
    generation from what they inherited before is through by then, and its work is dropped with the rest."""
    contexts = _contexts(rows)
    ids = Int8s([row.id for row in rows])
    mixed = Float4s([row.mixed_tokens for row in rows])
    values = {
        "id": ids,
        "mixed_tokens": mixed,
        "bits": Bits(sign_bits(contexts)),
        **_inherited(rows),
    }
    await store.run(tx, "refit_entries", values)
    await store.run(tx, "refit_vectors", {"generation": generation, "id": ids, "context": Vectors(contexts)})


def entry_id(thread: int, position: int) -> int:
    """Return the id of the entry at ``position`` (0 …) of ``thread``; its neighbours are id - 1, id + 1."""
    return thread << THREAD_SHIFT | position


def shares(
    turn: EntryValues, *, previous: EntryValues | None, before: EntryValues | None, next: EntryValues | None
) -> Shares:
    """Return the shares that ``turn`` inherits from its neighbours; a missing neighbour gives nothing."""
    answers = previous is not None and previous.asks and previous.speaker != turn.speaker
    return Shares(
        previous=_share(turn, previous, ANSWER if answers else PREVIOUS),
        before=_share(turn, before, BEFORE),
        next=_share(turn, next, NEXT),
    )


def _share(turn: EntryValues, donor: EntryValues | None, base: float) -> float:
    if donor is None or abs(turn.happened_at - donor.happened_at) > PAUSE:
        return 0.0
    return base / (1 + turn.words / _SHORT_WORDS) * min(1.0, _DONOR_WORDS / max(1, donor.words))


def context(
    own: NDArray[np.float32], donors: Sequence[tuple[float, NDArray[np.float32]]]
) -> NDArray[np.float32]:
    """Mix the neighbours' shares into an entry's direction: unit length, or zero where all are."""
    mixed = own.astype(np.float32, copy=True)
    for share, direction in donors:
        mixed += np.float32(share) * direction
    length = float(np.linalg.norm(mixed))
    return mixed / np.float32(length) if length > 0 else mixed
