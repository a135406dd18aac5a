"""Writer of what was settled: beliefs, their entries in the index, and their conflicts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID, uuid4

from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.episodes.extraction.beliefs import indexing, store
from quipu.kinds.episodes.extraction.beliefs.keys import form_of, holds_many
from quipu.kinds.episodes.extraction.beliefs.model import Claim, Ending, Strategy
from quipu.kinds.episodes.extraction.beliefs.settlement import Settled
from quipu.kinds.episodes.extraction.beliefs.store import StoredBelief
from quipu.recall.generations import PreparedVectors
from quipu.recall.index import withdraw


class BeliefWriter:
    """Keeps beliefs, within a transaction that holds them."""

    def __init__(self, tx: SpaceTransaction, prepared: PreparedVectors, *, now: datetime) -> None:
        self._within = tx
        self._prepared = prepared
        self._now = now

    async def keep(self, settled: Settled) -> None:
        """Write the outcome of a claim.

        Raises:
            Moved, Unprepared: the transaction must be given up.
        """
        claim = settled.claim
        new = uuid4() if settled.enter is not None else None
        if settled.end:
            await self._end(settled.end, ending=settled.ending or "corrected")
        if new is not None:
            await self._enter(settled, new)
        if settled.confirm is not None:
            await self._within.execute(
                store.SQL["confirm"],
                id=settled.confirm,
                confidence=settled.confidence,
                said_at=claim.said_at,
                source=claim.source,
            )
            await self._say(claim, settled.confirm)
        if settled.stand is not None:
            await self._stand(settled.stand)
        if settled.end and (successor := new or settled.confirm) is not None:
            await store.succeed(self._within, settled.end, successor)
        if settled.settle is not None:
            await store.settle(self._within, settled.end, strategy=settled.settle, at=self._now)

    async def _end(self, ids: Sequence[UUID], *, ending: Ending) -> None:
        """End beliefs; they stay in history, and leave recall."""
        entries = await store.entries(self._within, ids)
        await self._within.execute(store.SQL["end"], ids=list(ids), ending=ending, at=self._now)
        if entries:
            await withdraw(self._within, entries)

    async def _stand(self, id_: UUID) -> None:
        """Let a contested belief stand from now on, and be found."""
        row = await store.row(self._within, id_)
        entry = await self._file(row.id, row.person, row.key, row.value, row.nature, row.user, row.said_at)
        await self._within.execute(store.SQL["stand"], id=id_, entry=entry)

    async def by_hand(self, row: StoredBelief, value: str) -> UUID:
        """Put a value that a person gave in the place of a belief; settle its conflicts."""
        id_, now = uuid4(), self._now
        slot = form_of(value) if row.slot else ""
        gone = [row.id, *await store.beside(self._within, row, slots=[row.slot, slot])]
        await self._end(gone, ending="by_hand")
        entry = await self._file(id_, row.person, row.key, value, row.nature, row.user, now)
        values = {
            "id": id_,
            "person": row.person,
            "user": row.user,
            "key": row.key,
            "slot": slot,
            "value": value,
            "form": form_of(value),
            "nature": row.nature,
            "category": row.category,
            "confidence": 1.0,
            "source": "explicit_correction",
            "state": "standing",
            "by_hand": True,
            "said_at": now,
            "ending": None,
            "ended_at": None,
            "entry": entry,
        }
        await store.insert(self._within, values)
        await store.succeed(self._within, gone, id_)
        await store.settle(self._within, gone, strategy="user_clarified", at=now)
        return id_

    async def choose(
        self, keep: StoredBelief, gone: Sequence[UUID], *, strategy: Strategy, ending: Ending
    ) -> None:
        """Choose one side of a conflict: it stands, the others end."""
        await self._end(gone, ending=ending)
        if keep.state != "standing":
            await self._stand(keep.id)
        await store.succeed(self._within, gone, keep.id)
        await store.settle(self._within, [keep.id, *gone], strategy=strategy, at=self._now)

    async def forget(self, row: StoredBelief) -> None:
        """Delete a belief and its conflicts; what contested it stands then, the surest of them."""
        rivals = await self._rivals(row)
        entries = await store.entries(self._within, [row.id])
        await store.delete(self._within, [row.id])
        if entries:
            await withdraw(self._within, entries)
        await self._stand_instead(rivals)

    async def reject(self, row: StoredBelief) -> None:
        """End a wrong belief and its conflicts; what contested it stands then, the surest of them."""
        rivals = await self._rivals(row)
        await self._end([row.id], ending="wrong")
        await store.settle(self._within, [row.id], strategy="user_clarified", at=self._now)
        await self._stand_instead(rivals)

    async def accept(self, row: StoredBelief) -> None:
        """Let a belief that was wrong stand again, unless another stands in its place."""
        if await store.is_free(self._within, row):
            entry = await self._file(
                row.id, row.person, row.key, row.value, row.nature, row.user, row.said_at
            )
            await self._within.execute(store.SQL["stand_again"], id=row.id, entry=entry)

    async def _rivals(self, row: StoredBelief) -> Sequence[UUID]:
        """Return the beliefs that contest a standing one, the surest first."""
        return [] if row.state != "standing" else await store.beside(self._within, row, slots=[])

    async def _stand_instead(self, rivals: Sequence[UUID]) -> None:
        """Let the first of what contested a belief stand, and end the others."""
        if rivals:
            await self._stand(rivals[0])
            await self._end(rivals[1:], ending="weaker")
            await store.succeed(self._within, rivals[1:], rivals[0])

    async def decay(self, belief: UUID, rival: UUID) -> None:
        """End a conflict of which nothing was heard for long: the standing belief goes on."""
        await self._end([rival], ending="weaker")
        await store.succeed(self._within, [rival], belief)
        await store.settle(self._within, [rival], strategy="decayed", at=self._now)

    async def _enter(self, settled: Settled, id_: UUID) -> None:
        claim, state = settled.claim, settled.enter
        entry = None
        if state == "standing":
            entry = await self._file(
                id_, claim.person, claim.key, claim.value, claim.nature, claim.user, claim.said_at
            )
        ended = state == "superseded"
        values = {
            "id": id_,
            "person": claim.person,
            "user": claim.user,
            "key": claim.key,
            "slot": form_of(claim.value) if holds_many(claim.key) else "",
            "value": claim.value,
            "form": form_of(claim.value),
            "nature": claim.nature,
            "category": claim.category,
            "confidence": settled.confidence,
            "source": claim.source,
            "state": state,
            "by_hand": False,
            "said_at": claim.said_at,
            "ending": settled.ending if ended else None,
            "ended_at": self._now if ended else None,
            "entry": entry,
        }
        await store.insert(self._within, values)
        await self._say(claim, id_)
        if settled.contests is not None:
            await self._within.execute(
                store.SQL["contest"],
                belief=settled.contests,
                rival=id_,
                severity=settled.severity,
                at=claim.said_at,
            )

    async def _say(self, claim: Claim, id_: UUID) -> None:
        await self._within.execute(
            store.SQL["insert_source"],
            belief=id_,
            message=claim.message,
            excerpt=claim.excerpt,
            said_at=claim.said_at,
        )

    async def _file(
        self, id_: UUID, person: str, key: str, value: str, nature: str, user: str | None, said_at: datetime
    ) -> int:
        return await indexing.file(
            self._within,
            self._prepared,
            id_=str(id_),
            text=indexing.text_of(person, key, value, nature),
            user=user,
            said_at=said_at,
            now=self._now,
        )
