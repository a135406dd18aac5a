"""Storing a batch of what was read, in one transaction with how far its files are read."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from quipu.kernel.db.arrays import Int8s, Moments
from quipu.kernel.db.database import Connection, Rows, SpaceTransaction
from quipu.kinds.transcripts import jobs
from quipu.kinds.transcripts.message_index import CODE
from quipu.kinds.transcripts.reading.model import Details, Entry
from quipu.kinds.transcripts.syncing import rows, store
from quipu.kinds.transcripts.syncing.model import Tally
from quipu.kinds.transcripts.syncing.pieces import Batch
from quipu.kinds.transcripts.syncing.rows import Row
from quipu.kinds.transcripts.syncing.withholding import without_erased
from quipu.recall import deferred
from quipu.record import store as record

_BIT: Final = 1 << (CODE - 1)


@dataclass(frozen=True, slots=True)
class Written:
    """Outcome of a batch: lines that are new, messages among them, lines that were known or erased."""

    new: Sequence[Row]
    messages: int
    known: int
    withheld: int

    def count(self, batch: Batch, tally: Tally) -> None:
        """Add it to a report."""
        tally.counts.update(
            bytes=batch.bytes,
            lines=len(self.new),
            messages=self.messages,
            known=self.known,
            withheld=self.withheld,
            tool_calls=sum(len(row.entry.calls) for row in self.new),
            tool_results=sum(len(row.entry.results) for row in self.new),
            repaired=batch.repaired,
        )
        tally.sessions.update(row.entry.session for row in self.new)
        for piece in batch.pieces:
            tally.paths.add(str(piece.file.path))
            tally.counts.update(piece.reading.came_back)
            tally.counts["inserted_characters"] += piece.reading.inserted
            tally.redacted.update(piece.reading.redacted)
            tally.unknown.update(piece.reading.unknown)
            tally.passed.update(piece.reading.passed)


class Asked:
    """Questions asked while the space is entered: a lazy transaction, and the sessions' numbers.

    They are locked until commit, so that no other sync writes the same lines. If anything was ever erased in
    the space, ``left`` is the batch without that.
    """

    def __init__(self, batch: Batch, *, space: str, began: datetime | None) -> None:
        """Ask for a batch of work that ``began`` then; None takes in what was erased, too."""
        self._batch, self._space, self._began = batch, space, began
        self._erased: Rows | None = None
        self._hold(batch)

    def _hold(self, batch: Batch) -> None:
        names = {name for piece in batch.pieces for name in piece.reading.details}
        names |= {entry.session for piece in batch.pieces for entry in piece.reading.entries}
        self._sessions = record.Asked([("", name) for name in names], is_new=True)

    async def ask(self, conn: Connection) -> None:
        """Ask in the pipeline in which the space is entered."""
        await store.lazily(conn)
        if self._began is not None:
            self._erased = await store.has_erased(conn, self._space)
        await self._sessions.ask(conn)

    async def left(self, tx: SpaceTransaction) -> tuple[Batch, int]:
        """Return the batch without lines that were erased, and how many these are; before ``sessions``."""
        if self._began is None or self._erased is None or (await self._erased.fetchone()) == (False,):
            return self._batch, 0
        batch, withheld = await without_erased(tx, self._batch, began=self._began)
        if withheld:
            self._hold(batch)
            await self._sessions.ask(tx.conn)
        return batch, withheld

    async def sessions(self, tx: SpaceTransaction) -> Mapping[str, int]:
        """Return the numbers of the sessions."""
        return await self._sessions.sessions(tx)


async def write(tx: SpaceTransaction, asked: Asked, *, now: datetime) -> Written:
    """Write the batch that was asked for; what is there already is left as it is.

    The sessions are held first, then the threads of the index, where messages get their ids; the row of the
    space comes last. Every journey to the server is one more wait for the thread that reads files meanwhile,
    so there are five, however large the batch.
    """
    batch, withheld = await asked.left(tx)
    sessions = await asked.sessions(tx)
    entries = [entry for piece in batch.pieces for entry in piece.reading.entries]
    new, said = await _new(tx, entries, sessions)
    await _number(tx, said)
    told = _details(batch, sessions)
    async with tx.conn.pipeline():
        if said:
            await _messages(tx, said, now)
        if new:
            await _lines(tx, new)
        if told:
            await store.run(tx, "upsert_details", rows.details(told))
        if found := [summary for piece in batch.pieces for summary in piece.reading.summaries]:
            await store.run(tx, "insert_summaries", rows.summaries(found))
        await store.run(tx, "upsert_files", rows.files(batch.pieces))
        if said:
            await store.run(tx, "mark_unfiled", {"bit": _BIT})
        if new:
            await jobs.ask(tx, now=now)
    return Written(new, len(said), len(entries) - len(new), withheld)


async def _new(
    tx: SpaceTransaction, entries: Sequence[Entry], sessions: Mapping[str, int]
) -> tuple[list[Row], list[Row]]:
    """Return the lines that are not stored yet; and those of them whose message is new to the record."""
    once: dict[store.Line, Row] = {}
    for entry in entries:
        session = sessions[entry.session]
        once.setdefault((entry.uuid, session), Row(entry, session))
    if not once:
        return [], []
    said = {line: row for line, row in once.items() if row.entry.said and (row.entry.text or "").strip()}
    known = await store.Known.of(tx, list(once), list(said))
    rows, spoken = list(once.values()), list(said.values())
    for row, line in zip(rows, known.numbers, strict=True):
        row.line = line
    for place in known.lines:
        rows[place].line = 0
    for place, message in known.messages.items():
        spoken[place].message = message
    return [row for row in rows if row.line], [row for row in spoken if row.line and not row.message]


async def _number(tx: SpaceTransaction, said: list[Row]) -> None:
    """Give messages their ids, in the order of time."""
    said.sort(key=lambda row: (row.session, row.entry.happened_at))
    reserved = await deferred.reserve(tx, Counter(row.session for row in said))
    ids = {thread: iter(numbers) for thread, numbers in reserved.items()}
    for row in said:
        row.message = next(ids[row.session])


async def _messages(tx: SpaceTransaction, said: Sequence[Row], now: datetime) -> None:
    await record.run(tx, "insert_messages", rows.messages(said, now))
    unfiled = {
        "id": Int8s([row.message for row in said]),
        "happened_at": Moments([row.entry.happened_at for row in said]),
    }
    await store.run(tx, "insert_unfiled", unfiled)
    await record.run(tx, "grow_sessions", rows.growth(said))


async def _lines(tx: SpaceTransaction, new: Sequence[Row]) -> None:
    await store.run(tx, "insert_lines", rows.lines(new))
    for name, values in (
        ("insert_responses", rows.responses(new)),
        ("insert_calls", rows.calls(new)),
        ("insert_results", rows.results(new)),
    ):
        if values is not None:
            await store.run(tx, name, values)


def _details(batch: Batch, sessions: Mapping[str, int]) -> dict[int, list[Details]]:
    found: defaultdict[int, list[Details]] = defaultdict(list)
    for piece in batch.pieces:
        for name, details in piece.reading.details.items():
            found[sessions[name]].append(details)
    return dict(found)
