"""The findings of one session among the lessons that are there, in one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID, uuid4

from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.transcripts.extract.model import Extractor, Finding
from quipu.kinds.transcripts.extract.sameness import normal_hash
from quipu.kinds.transcripts.lessons import index, store
from quipu.kinds.transcripts.lessons.derived import wrong_places
from quipu.kinds.transcripts.lessons.index import LessonEntry
from quipu.kinds.transcripts.lessons.merge import KnownLesson, contradicted, merge, revived, twins
from quipu.kinds.transcripts.lessons.model import SessionExtraction
from quipu.kinds.transcripts.lessons.store import SQL, Due
from quipu.recall.generations import PreparedVectors
from quipu.recall.index import withdraw

FORGOTTEN: Final = "It was forgotten meanwhile."


@dataclass(frozen=True, slots=True)
class SessionFindings:
    """Findings of an extractor in a session, secrets cut out, and when it began to read.

    ``error`` says why it did not get to the end.
    """

    session: Due
    findings: Sequence[Finding]
    dropped: int
    began_at: datetime
    error: str | None = None

    def said_at(self, place: int) -> datetime:
        """Return the time at which a finding was said."""
        return self.findings[place].happened_at or self.began_at


class Findings:
    """Keeps findings as lessons, within a transaction. ``prepared`` has the vectors of the findings."""

    def __init__(
        self, tx: SpaceTransaction, extractor: Extractor, prepared: PreparedVectors, *, now: datetime
    ) -> None:
        self._tx = tx
        self._extractor = extractor
        self._prepared = prepared
        self._now = now

    async def keep(self, read: SessionFindings) -> SessionExtraction:
        """Put the findings in the place of what the extractor found in the session before; note the outcome.

        A finding whose message was forgotten meanwhile is left out. Memories that nothing tells any more go,
        but for those that a person edited, confirmed or archived. Where the extractor did not get to the
        end of the session, what it found there before stays.

        Raises:
            GenerationChanged: see ``filing.file``.
        """
        tx, session, name = self._tx, read.session, self._extractor.name
        if not await store.is_there(tx, session.number):
            return SessionExtraction(session=session.name, status="failed", error=FORGOTTEN)
        await tx.execute(SQL["hold"])
        rows = await tx.rows(SQL["sources_of"], session=session.name, extractor=name)
        before: set[UUID] = {id_ for (id_,) in rows}
        if read.error is None:
            await tx.execute(SQL["drop_sources"], session=session.name, extractor=name)
        said = await self._said(read)
        added, told = await self._place(read, said)
        gone = await self._drop_orphans(before - told) if read.error is None else 0
        status = "partial" if read.dropped or read.error else "done"
        await store.mark(
            tx, session, self._extractor, status, at=read.began_at, memories=len(told), error=read.error
        )
        return SessionExtraction(
            session=session.name,
            status=status,
            found=len(said),
            added=added,
            merged=len(told - before) - added,
            removed=gone,
            dropped=read.dropped,
            error=read.error,
        )

    async def _said(self, read: SessionFindings) -> list[int]:
        """Return the places of the findings whose messages still exist, and that nobody marked as wrong."""
        cited = [one.message_id for one in read.findings if one.message_id is not None]
        rows = await self._tx.rows(SQL["messages_there"], ids=Int8s(cited)) if cited else []
        there = {id_ for (id_,) in rows}
        wrong = await wrong_places(self._tx, read.findings)
        return [
            place
            for place, one in enumerate(read.findings)
            if place not in wrong and (one.message_id is None or one.message_id in there)
        ]

    async def _place(self, read: SessionFindings, said: Sequence[int]) -> tuple[int, set[UUID]]:
        """Write new facts and their sources; return the number of new ones, and all memories of a session."""
        if not said:
            return 0, set()
        findings = [read.findings[place] for place in said]
        vectors, _ = self._prepared.of([one.fact for one in findings])
        read = SessionFindings(read.session, findings, read.dropped, read.began_at)
        known = await store.known(self._tx, read.session.project)
        near = await store.near(self._tx, read.session.project, vectors)
        merged = merge(findings, known, near=near, twins=twins(vectors))
        new = await self._add(read, sorted(set(merged.fresh.values())))
        await self._contradict(read, new, known)
        await self._restate(read, merged.known, known)
        says = {**merged.known, **{place: new[first] for place, first in merged.fresh.items()}}
        for place, memory in says.items():
            await self._tell(read.session, findings[place], memory)
        return len(new), set(says.values())

    async def _add(self, read: SessionFindings, places: Sequence[int]) -> dict[int, UUID]:
        """File and write new memories; their ids by the place of the finding."""
        ids = {place: uuid4() for place in places}
        entries = [
            LessonEntry(ids[place], read.findings[place].fact, read.said_at(place)) for place in places
        ]
        filed = await self._file(entries, [one.fact for one in entries])
        for place, entry in zip(places, filed, strict=True):
            await self._insert(read, place, ids[place], entry)
        return ids

    async def _insert(self, read: SessionFindings, place: int, id_: UUID, entry: int) -> None:
        finding = read.findings[place]
        await self._tx.execute(
            SQL["insert_memory"],
            id=id_,
            session=read.session.name,
            fact=finding.fact,
            category=finding.category,
            confidence=finding.confidence,
            now=self._now,
            origin="extracted",
            project=read.session.project,
            extractor=self._extractor.name,
            version=self._extractor.version,
            form=normal_hash(finding.fact),
            happened_at=read.said_at(place),
            entry=entry,
            metadata=None,
        )

    async def _contradict(
        self, read: SessionFindings, new: Mapping[int, UUID], known: Sequence[KnownLesson]
    ) -> None:
        """Link new memories with those they contradict; of each pair the earlier one loses."""
        there = list(known)
        for place, id_ in new.items():
            finding, said_at = read.findings[place], read.said_at(place)
            await store.contradict(self._tx, id_, *contradicted(finding.fact, said_at, there), now=self._now)
            forms = frozenset(((normal_hash(finding.fact), finding.category),))
            there.append(
                KnownLesson(
                    id=id_,
                    fact=finding.fact,
                    category=finding.category,
                    forms=forms,
                    archived=False,
                    happened_at=said_at,
                    archived_at=said_at,
                )
            )

    async def _restate(
        self, read: SessionFindings, says: Mapping[int, UUID], known: Sequence[KnownLesson]
    ) -> None:
        """Strengthen lessons that were said again: later, or more surely; archived ones may come back."""
        by_id = {one.id: one for one in known}
        back: set[UUID] = set()
        for place, id_ in says.items():
            finding, said_at, memory = read.findings[place], read.said_at(place), by_id[id_]
            values = {"id": id_, "confidence": finding.confidence, "happened_at": said_at, "now": self._now}
            await self._tx.execute(SQL["strengthen"], **values)
            if id_ not in back and revived(memory, finding.fact, said_at):
                back.add(id_)
                entry = LessonEntry(id_, memory.fact, said_at)
                filed = await self._file([entry], [finding.fact])
                await self._tx.execute(SQL["revive"], id=id_, entry=filed[0], now=self._now)

    async def _file(self, entries: Sequence[LessonEntry], texts: Sequence[str]) -> list[int]:
        """File memories by the vectors of texts; of none, nothing."""
        if not entries:
            return []
        vectors, generation = self._prepared.of(texts)
        return await index.file(self._tx, entries, vectors, generation=generation, now=self._now)

    async def _tell(self, session: Due, finding: Finding, memory: UUID) -> None:
        await self._tx.execute(
            SQL["insert_source"],
            memory=memory,
            session=session.name,
            turn=finding.turn_index,
            message=finding.message_id,
            excerpt=finding.excerpt,
            extractor=self._extractor.name,
            version=self._extractor.version,
            now=self._now,
        )

    async def _drop_orphans(self, ids: set[UUID]) -> int:
        orphans = await self._tx.rows(SQL["orphans"], ids=sorted(ids)) if ids else []
        if orphans:
            await withdraw(self._tx, sorted(entry for _, entry in orphans if entry is not None))
            await self._tx.execute(SQL["delete_memories"], ids=[id_ for id_, _ in orphans])
        return len(orphans)
