"""Storing a batch of what was read, in one transaction with how far its files are read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from quipu.kernel.db.arrays import Int8s, Moments
from quipu.kernel.db.database import Within
from quipu.kinds.transcripts import outbox
from quipu.kinds.transcripts.filing.messages import CODE
from quipu.kinds.transcripts.reading.model import Details, Entry
from quipu.kinds.transcripts.syncing import rows, store
from quipu.kinds.transcripts.syncing.model import Tally
from quipu.kinds.transcripts.syncing.pieces import Batch
from quipu.kinds.transcripts.syncing.rows import Row
from quipu.recall import late
from quipu.record import store as record

_BIT: Final = 1 << (CODE - 1)


@dataclass(frozen=True, slots=True)
class Written:
    """What became of a batch: lines that are new, messages among them, lines that were known."""

    new: Sequence[Row]
    messages: int
    known: int

    def count(self, batch: Batch, tally: Tally) -> None:
        """Add it to a report."""
        tally.counts.update(
            bytes=batch.bytes,
            lines=len(self.new),
            messages=self.messages,
            known=self.known,
            tool_calls=sum(len(row.entry.calls) for row in self.new),
            tool_results=sum(len(row.entry.results) for row in self.new),
            repaired=batch.repaired,
        )
        tally.sessions.update(row.entry.session for row in self.new)
        for piece in batch.pieces:
            tally.paths.add(str(piece.file.path))
            tally.redacted.update(piece.reading.redacted)
            tally.unknown.update(piece.reading.unknown)
            tally.passed.update(piece.reading.passed)


async def write(within: Within, batch: Batch, *, now: datetime) -> Written:
    """Write a batch; what is there already is left as it is.

    The sessions are held first, so that no other sync writes the same lines, then the threads of the index,
    where messages get their ids; the row of the space comes last.
    """
    names = sorted({name for piece in batch.pieces for name in piece.reading.details})
    names = sorted({*names, *(e.session for piece in batch.pieces for e in piece.reading.entries)})
    sessions = await record.lock_sessions(within, names)
    new, known = await _new(within, [e for piece in batch.pieces for e in piece.reading.entries], sessions)
    said = await _number(within, new)
    told = _details(batch, sessions)
    async with within.conn.pipeline():
        if said:
            await _messages(within, said, now)
        if new:
            await _lines(within, new)
        if told:
            await store.run(within, "upsert_details", rows.details(told))
        if found := [summary for piece in batch.pieces for summary in piece.reading.summaries]:
            await store.run(within, "insert_summaries", rows.summaries(found))
        await store.run(within, "upsert_files", rows.files(batch.pieces))
        if said:
            await store.run(within, "mark_unfiled", {"bit": _BIT})
        if new:
            await outbox.ask(within, now=now)
    return Written(new, len(said), known)


async def _new(within: Within, entries: Sequence[Entry], sessions: dict[str, int]) -> tuple[list[Row], int]:
    """The lines that are not stored yet, and how many are."""
    once: dict[tuple[str, int], Entry] = {}
    for entry in entries:
        once.setdefault((entry.uuid, sessions[entry.session]), entry)
    known = (
        await store.known_lines(within, [u for u, _ in once], [s for _, s in once]) if once else set[int]()
    )
    new = [
        Row(entry, session) for place, ((_, session), entry) in enumerate(once.items()) if place not in known
    ]
    if new:
        for row, line in zip(new, await store.line_numbers(within, len(new)), strict=True):
            row.line = line
    return new, len(entries) - len(new)


async def _number(within: Within, new: Sequence[Row]) -> list[Row]:
    """Give messages their ids; those that the record does not have yet are returned, in the order of time."""
    said = [row for row in new if row.entry.said is not None and (row.entry.text or "").strip()]
    if not said:
        return []
    there = await store.known_messages(within, [r.entry.uuid for r in said], [r.session for r in said])
    for place, message in there.items():
        said[place].message = message
    fresh = sorted((r for r in said if not r.message), key=lambda r: (r.session, r.entry.happened_at))
    counts: defaultdict[int, int] = defaultdict(int)
    for row in fresh:
        counts[row.session] += 1
    ids = {thread: iter(reserved) for thread, reserved in (await late.reserve(within, counts)).items()}
    for row in fresh:
        row.message = next(ids[row.session])
    return fresh


async def _messages(within: Within, said: Sequence[Row], now: datetime) -> None:
    await record.run(within, "insert_messages", rows.messages(said, now))
    unfiled = {
        "id": Int8s([row.message for row in said]),
        "happened_at": Moments([row.entry.happened_at for row in said]),
    }
    await store.run(within, "insert_unfiled", unfiled)
    await record.run(within, "grow_sessions", rows.growth(said))


async def _lines(within: Within, new: Sequence[Row]) -> None:
    await store.run(within, "insert_lines", rows.lines(new))
    for name, values in (
        ("insert_responses", rows.responses(new)),
        ("insert_calls", rows.calls(new)),
        ("insert_results", rows.results(new)),
    ):
        if values is not None:
            await store.run(within, name, values)


def _details(batch: Batch, sessions: dict[str, int]) -> dict[int, list[Details]]:
    found: defaultdict[int, list[Details]] = defaultdict(list)
    for piece in batch.pieces:
        for name, details in piece.reading.details.items():
            found[sessions[name]].append(details)
    return dict(found)
