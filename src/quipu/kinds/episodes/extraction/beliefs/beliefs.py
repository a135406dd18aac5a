"""Beliefs and conflicts as a caller meets them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Annotated, Final, Literal, TypeVar
from uuid import UUID

from typing_extensions import Doc

from quipu.errors import BadInput, NotFound
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.parameters import Confirm, Example, Id, Limit, Offset, OnlyUser, Space
from quipu.kernel.base.scope import check_name, optional_name, reads_only, whole
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kinds.episodes.extraction import store as marks
from quipu.kinds.episodes.extraction.arguments import one_or_all, words_of
from quipu.kinds.episodes.extraction.beliefs import indexing, store
from quipu.kinds.episodes.extraction.beliefs.keys import form_of, key_of
from quipu.kinds.episodes.extraction.beliefs.model import (
    BELIEF_STATES,
    SEVERITIES,
    Belief,
    BeliefSource,
    Conflict,
)
from quipu.kinds.episodes.extraction.beliefs.store import StoredBelief
from quipu.kinds.episodes.extraction.beliefs.writer import BeliefWriter
from quipu.recall.generations import Models, Unprepared, prepare
from quipu.recall.model import GenerationChanged

_LONGEST_VALUE: Final = 500
_Changed = TypeVar("_Changed")


def weight(conflict: Conflict) -> int:
    """Return the severity left of a conflict: 1 (low) to 4 (critical), one less each time it was asked."""
    return SEVERITIES.index(conflict.severity) + 1 - conflict.surfaced


def askable(conflicts: Sequence[Conflict]) -> Conflict | None:
    """Return the conflict to ask about, the latest in a tie; None if each was asked about often enough.

    A conflict that began as low is not asked about: both values may well be true.
    """
    pressing = [one for one in conflicts if weight(one) > 0 and one.severity != "low"]
    return max(pressing, key=lambda one: (weight(one), one.opened_at, one.id), default=None)


def current(conflict: Conflict) -> Conflict:
    """Return the conflict with the severity that is left of it."""
    return replace(conflict, severity=SEVERITIES[max(0, weight(conflict) - 1)])


class AsyncBeliefs:
    """Look up and settle what people said of themselves: facts and traits, one value for a key, with history.

    Workers settle what is said when they write it: the same again makes a belief surer, a correction takes
    its place, and another value without a correction is a conflict that can be asked about.
    """

    def __init__(self, database: Database, models: Models, *, clock: Clock, settings: Settings) -> None:
        self._database = database
        self._models = models
        self._clock = clock
        self._settings = settings

    @reads_only
    async def list(
        self,
        *,
        space: Space,
        user: OnlyUser = None,
        key: Annotated[str | None, Doc("Only what is about this."), Example("home")] = None,
        state: Annotated[
            Literal["standing", "contested", "superseded", "all"],
            Doc("Beliefs that stand, that another value contests, that were superseded, or all."),
        ] = "standing",
        ended: Annotated[bool, Doc("List what a message replaced, too.")] = False,
        limit: Limit = 50,
        offset: Offset = 0,
    ) -> Sequence[Belief]:
        """List beliefs, the surest first.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        wanted, person = one_or_all("state", state, BELIEF_STATES), optional_name("user", user)
        about = None if key is None else key_of(key)
        whole("limit", limit)
        whole("offset", offset, least=0, most=10**9)
        async with self._database.list_read(check_name("space", space)) as tx:
            if tx is None:
                return []
            current_at = self._clock.now() if state == "standing" and not ended else None
            return await store.beliefs(
                tx,
                person=person,
                key=about,
                state=wanted,
                current_at=current_at,
                limit=limit,
                offset=offset,
            )

    @reads_only
    async def get(self, id: Id, *, space: Space) -> Belief:
        """Show a belief.

        Raises:
            NotFound: There is no such belief.
        """
        async with self._database.list_read(check_name("space", space)) as tx:
            row = await store.row(tx, id)
            assert tx is not None
            return (await store.beliefs(tx, ids=[row.id]))[0]

    @reads_only
    async def sources(self, id: Id, *, space: Space) -> Sequence[BeliefSource]:
        """List the messages that said a belief, the latest first.

        Raises:
            NotFound: There is no such belief.
        """
        async with self._database.list_read(check_name("space", space)) as tx:
            row = await store.row(tx, id)
            assert tx is not None
            return await tx.fetch(BeliefSource, store.SQL["sources"], id=row.id)

    @reads_only
    async def history(self, id: Id, *, space: Space) -> Sequence[Belief]:
        """List all values that the key of a belief ever had for its person, the latest first.

        Raises:
            NotFound: There is no such belief.
        """
        async with self._database.list_read(check_name("space", space)) as tx:
            row = await store.row(tx, id)
            assert tx is not None
            versions = await store.beliefs(tx, person=row.person, key=row.key)
        return sorted(versions, key=lambda one: (one.state != "superseded", one.said_at), reverse=True)

    @reads_only
    async def conflicts(
        self,
        *,
        space: Space,
        user: OnlyUser = None,
        settled: Annotated[bool, Doc("Settled conflicts, too.")] = False,
        limit: Limit = 50,
    ) -> Sequence[Conflict]:
        """List open conflicts with both values, the most severe first.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        person = optional_name("user", user)
        whole("limit", limit)
        async with self._database.list_read(check_name("space", space)) as tx:
            if tx is None:
                return []
            rows = await store.conflicts(tx, person=person, settled=settled, limit=limit)
        return [current(one) for one in rows]

    async def ask(self, *, space: Space, user: OnlyUser = None) -> Conflict | None:
        """Choose the conflict to ask the person about, if any.

        Its `question` can be put to them as it stands. Each time lowers its severity; one that was asked
        about often enough is not chosen again, but stays open.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        person = optional_name("user", user)
        async with self._database.write(check_name("space", space)) as tx:
            await marks.hold(tx)
            one = askable(await store.conflicts(tx, person=person))
            if one is None:
                return None
            await tx.execute(store.SQL["surface"], id=one.id, at=self._clock.now())
            return current((await store.conflicts(tx, id=one.id))[0])

    async def resolve(
        self,
        id: Id,
        keep: Annotated[
            str, Doc("`belief` (what stands), `rival`, or the value that is right."), Example("rival")
        ],
        *,
        space: Space,
    ) -> Belief:
        """Settle a conflict, and return the belief that stands.

        Raises:
            NotFound: There is no such conflict.
            BadInput: It is settled already, or `keep` is blank or too long.
        """
        value = words_of("keep", keep, longest=_LONGEST_VALUE, secrets=self._settings.redact)

        async def change(tx: SpaceTransaction, keeping: BeliefWriter) -> UUID:
            conflict = await store.conflict(tx, id)
            if conflict.resolved_at is not None:
                raise BadInput("this conflict is settled already.", field="id")
            row = await store.row(tx, conflict.belief.id)
            chosen = _chosen(conflict, value)
            if chosen is None:
                return await keeping.by_hand(row, value)
            kept = await store.row(tx, chosen)
            gone = [row.id, *await store.beside(tx, row, slots=[row.slot])]
            others = [one for one in gone if one != chosen]
            await keeping.choose(kept, others, strategy="user_clarified", ending="by_hand")
            return chosen

        async def texts(tx: SpaceTransaction) -> Sequence[str]:
            conflict = await store.conflict(tx, id)
            row = await store.row(tx, conflict.belief.id)
            return [_text(row, value), _text(await store.row(tx, conflict.rival.id))]

        return await self.get(await self._changed(space, texts, change), space=space)

    async def correct(
        self,
        id: Id,
        value: Annotated[str, Doc("The value that is right."), Example("Lisbon")],
        *,
        space: Space,
    ) -> Belief:
        """Replace the value of a belief.

        Its conflicts are settled; the old value stays in the history.

        Raises:
            NotFound: There is no such belief.
            BadInput: `value` is blank or too long.
        """
        said = words_of("value", value, longest=_LONGEST_VALUE, secrets=self._settings.redact)

        async def change(tx: SpaceTransaction, keeping: BeliefWriter) -> UUID:
            return await keeping.by_hand(await store.row(tx, id), said)

        async def texts(tx: SpaceTransaction) -> Sequence[str]:
            return [_text(await store.row(tx, id), said)]

        return await self.get(await self._changed(space, texts, change), space=space)

    async def erase(self, id: Id, *, space: Space, confirm: Confirm = False) -> Belief:
        """Delete a belief and its conflicts for good.

        The surest value that contested it stands then. The messages that said it stay.

        Raises:
            NotFound: There is no such belief.
        """
        if not confirm:
            return await self.get(id, space=space)

        async def change(tx: SpaceTransaction, keeping: BeliefWriter) -> Belief:
            row = await store.row(tx, id)
            (erased,) = await store.beliefs(tx, ids=[row.id])
            await keeping.forget(row)
            return erased

        async def texts(tx: SpaceTransaction) -> Sequence[str]:
            row = await store.row(tx, id)
            beside = await store.beside(tx, row, slots=[])
            return [_text(await store.row(tx, one)) for one in beside]

        return await self._changed(space, texts, change)

    async def _changed(
        self,
        space: str,
        texts: Callable[[SpaceTransaction], Awaitable[Sequence[str]]],
        change: Callable[[SpaceTransaction, BeliefWriter], Awaitable[_Changed]],
    ) -> _Changed:
        """Change beliefs in a transaction; the vectors that it may need are made before."""
        check_name("space", space)
        while True:
            async with self._database.snapshot_read(space) as reading:
                if reading is None:
                    raise NotFound(f"There is no space {space!r}.")
                wanted = await texts(reading)
            prepared = await prepare(self._database, self._models, space, wanted)
            try:
                async with self._database.write(space) as tx:
                    await marks.hold(tx)
                    return await change(tx, BeliefWriter(tx, prepared, now=self._clock.now()))
            except (GenerationChanged, Unprepared):
                continue


def _text(row: StoredBelief, value: str | None = None) -> str:
    return indexing.text_of(row.person, row.key, value or row.value, row.nature)


def _chosen(conflict: Conflict, keep: str) -> UUID | None:
    """Return the chosen side; None if it is a third value."""
    sides = {"belief": conflict.belief, "rival": conflict.rival}
    if keep in sides:
        return sides[keep].id
    return next((one.id for one in sides.values() if form_of(one.value) == form_of(keep)), None)
