"""Batches of lines, stored in one transaction with how far their files are read."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Int8s, Texts
from quipu.kernel.db.database import Connection, Rows, SpaceTransaction, ask
from quipu.kernel.prose.standing import read as instructions
from quipu.kinds.transcripts import jobs
from quipu.kinds.transcripts.formats.model import Details, TranscriptEntry
from quipu.kinds.transcripts.sync import rows
from quipu.kinds.transcripts.sync.model import Tally
from quipu.kinds.transcripts.sync.pieces import Batch
from quipu.kinds.transcripts.sync.rows import LineRow
from quipu.kinds.transcripts.sync.withheld import without_erased
from quipu.recall import deferred
from quipu.record import backlog
from quipu.record import store as record
from quipu.record.standing import intake as standing
from quipu.record.standing.intake import MessageRules
from quipu.record.store import growth

SQL: Final = queries.load("quipu.kinds.transcripts.sync")


@dataclass(frozen=True, slots=True)
class Written:
    """Outcome of a batch: lines that are new, messages among them, lines that were known or erased."""

    new: Sequence[LineRow]
    messages: int
    known: int
    withheld: int

    @property
    def counts(self) -> dict[str, int]:
        """The numbers of new rows by table, of known lines and of those withheld."""
        return {
            "messages": self.messages,
            "lines": len(self.new),
            "tool_calls": sum(len(row.entry.calls) for row in self.new),
            "tool_results": sum(len(row.entry.results) for row in self.new),
            "known": self.known,
            "withheld": self.withheld,
        }

    def count(self, batch: Batch, tally: Tally) -> None:
        """Add it to a report."""
        tally.counts.update(self.counts, bytes=batch.bytes, repaired=batch.repaired)
        tally.sessions.update(row.entry.session for row in self.new)
        for piece in batch.pieces:
            tally.paths.add(str(piece.file.path))
            tally.counts.update(piece.reading.came_back)
            tally.counts["inserted_characters"] += piece.reading.inserted
            tally.redacted.update(piece.reading.redacted)
            tally.unknown.update(piece.reading.unknown)
            tally.passed.update(piece.reading.passed)


class BatchWrite:
    """A batch to be stored: ``ask`` goes along while the space is entered, ``write`` does the rest.

    The sessions are locked until commit, so that no other sync writes the same lines.
    """

    def __init__(self, batch: Batch, *, space: str, began: datetime | None) -> None:
        """Prepare a batch of work that ``began`` then; None takes in what was erased, too."""
        self._space, self._began = space, began
        self._erased: Rows | None = None
        self._hold(batch)

    def _hold(self, batch: Batch) -> None:
        self._batch = batch
        names = {name for piece in batch.pieces for name in piece.reading.details}
        names |= {entry.session for piece in batch.pieces for entry in piece.reading.entries}
        self._sessions = record.Lookup([("", name) for name in names], is_new=True)

    async def ask(self, conn: Connection) -> None:
        """Let the transaction end before it is on the disk, and ask for the sessions, in a pipeline."""
        await ask(conn, SQL["lazily"], {})
        if self._began is not None:
            self._erased = await ask(conn, SQL["has_erased"], {"name": self._space})
        await self._sessions.ask(conn)

    async def write(self, tx: SpaceTransaction, *, now: datetime) -> Written:
        """Write the batch; what is there already is left as it is.

        The sessions are held first, then the threads of the index, where messages get their ids; the row of
        the space comes last. While it waits for the server, the thread that reads files waits too, so there
        are five round trips, however large the batch.
        """
        withheld = await self._leave_out_erased(tx)
        sessions = await self._sessions.sessions(tx)
        entries = [entry for piece in self._batch.pieces for entry in piece.reading.entries]
        new, said = await _new(tx, entries, sessions)
        await _number(tx, said)
        details = _details(self._batch, sessions)
        async with tx.conn.pipeline():
            if said:
                await _messages(tx, said, now)
            if new:
                await _lines(tx, new)
            if details:
                await tx.run(SQL["upsert_details"], rows.details(details))
            if summaries := [one for piece in self._batch.pieces for one in piece.reading.summaries]:
                await tx.run(SQL["insert_summaries"], rows.summaries(summaries))
            await tx.run(SQL["upsert_files"], rows.files(self._batch.pieces))
            if new:
                await jobs.ask(tx, now=now)
        if rules := await _rules(tx, said):
            await standing.keep(tx, rules, now=now)
        return Written(new, len(said), len(entries) - len(new), withheld)

    async def _leave_out_erased(self, tx: SpaceTransaction) -> int:
        """Take the lines out of the batch that were erased, if anything was; how many these are."""
        if self._began is None or self._erased is None or (await self._erased.fetchone()) == (False,):
            return 0
        batch, withheld = await without_erased(tx, self._batch, began=self._began)
        if withheld:
            self._hold(batch)
            await self._sessions.ask(tx.conn)
        self._batch = batch
        return withheld


async def _new(
    tx: SpaceTransaction, entries: Sequence[TranscriptEntry], sessions: Mapping[str, int]
) -> tuple[list[LineRow], list[LineRow]]:
    """Return the lines that are not stored yet; and those of them whose message is new to the record."""
    once: dict[tuple[str, int], LineRow] = {}
    for entry in entries:
        session = sessions[entry.session]
        once.setdefault((entry.uuid, session), LineRow(entry, session))
    if not once:
        return [], []
    new = list(once.values())
    said = [row for row in new if row.entry.said and (row.entry.text or "").strip()]
    async with tx.conn.pipeline():
        known = await tx.run(SQL["known_lines"], _names(new))
        messages = await tx.run(SQL["known_messages"], _names(said))
        numbers = await tx.run(SQL["line_numbers"], {"count": len(new)}, binary=True)
    for row, number in zip(new, (await numbers.fetchall())[0][0], strict=True):
        row.line = number
    for (place,) in await known.fetchall():
        new[place].line = 0
    for place, message in await messages.fetchall():
        said[place].message = message
    return [row for row in new if row.line], [row for row in said if row.line and not row.message]


def _names(lines: Sequence[LineRow]) -> dict[str, object]:
    return {
        "uuids": Texts([row.entry.uuid for row in lines]),
        "sessions": Int8s([row.session for row in lines]),
    }


async def _number(tx: SpaceTransaction, said: list[LineRow]) -> None:
    """Give messages their ids, in the order of time."""
    said.sort(key=lambda row: (row.session, row.entry.happened_at))
    reserved = await deferred.reserve(tx, Counter(row.session for row in said))
    ids = {thread: iter(numbers) for thread, numbers in reserved.items()}
    for row in said:
        row.message = next(ids[row.session])


async def _messages(tx: SpaceTransaction, said: Sequence[LineRow], now: datetime) -> None:
    await record.run(tx, "insert_messages", rows.messages(said, now))
    await record.run(tx, "grow_sessions", growth((row.session, row.entry.happened_at) for row in said))
    await backlog.leave(tx, {row.message: row.entry.happened_at for row in said})


async def _lines(tx: SpaceTransaction, new: Sequence[LineRow]) -> None:
    await tx.run(SQL["insert_lines"], rows.lines(new))
    if responses := rows.responses(new):
        await tx.run(SQL["insert_responses"], responses)
    if calls := rows.calls(new):
        await tx.run(SQL["insert_calls"], calls)
    if results := rows.results(new):
        await tx.run(SQL["insert_results"], results)


async def _rules(tx: SpaceTransaction, said: Sequence[LineRow]) -> list[MessageRules]:
    """Return the standing rules that people gave the agent, leaving out recalled memory."""
    prompts = [row for row in said if row.entry.is_prompt]
    own = await tx.spoken([row.entry.text or "" for row in prompts])
    return [
        MessageRules(row.message, None, text, row.entry.happened_at, found)
        for row, text in zip(prompts, own, strict=True)
        if (found := instructions(text))
    ]


def _details(batch: Batch, sessions: Mapping[str, int]) -> dict[int, list[Details]]:
    by_session: defaultdict[int, list[Details]] = defaultdict(list)
    for piece in batch.pieces:
        for name, details in piece.reading.details.items():
            by_session[sessions[name]].append(details)
    return dict(by_session)
