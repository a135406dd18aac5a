"""Corrections, as a room of the memory."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, TypeVar
from uuid import UUID

from typing_extensions import Doc

from quipu.errors import BadInput, NotFound
from quipu.kernel.base import scope
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.parameters import MOST_PASSED_OVER, Example, Id, Limit, Offset, Reason, Space
from quipu.kernel.base.scope import bound_person, check_name, optional_name, reads_only
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.recall.generations import Models, Unprepared, prepare
from quipu.recall.model import GenerationChanged
from quipu.record.corrections import store
from quipu.record.corrections.model import (
    CORRECTED_KINDS,
    MARKED_WRONG,
    CorrectedKind,
    Correction,
    Derived,
    RuleCount,
)
from quipu.record.corrections.statements import Act, Statements
from quipu.record.replacements import reason_of

_T = TypeVar("_T")

OnlyKind = Annotated[CorrectedKind | None, Doc("Only of this kind."), Example("longterm")]
OfKind = Annotated[
    CorrectedKind | None, Doc("The kind of the memory; without it, all kinds are looked through.")
]


class AsyncCorrections:
    """Mark what was derived from messages as wrong: it goes, and no reader makes it of these words again.

    The id is that of a long-term memory, a belief, a loop, a lesson or a standing rule.
    """

    def __init__(
        self,
        database: Database,
        models: Models,
        derived: Sequence[Statements],
        *,
        clock: Clock,
        settings: Settings,
    ) -> None:
        self._database = database
        self._models = models
        self._derived = derived
        self._clock = clock
        self._settings = settings

    async def add(self, id: Id, *, space: Space, kind: OfKind = None, reason: Reason = None) -> Correction:
        """Mark a memory as wrong, and return the correction.

        The memory is recalled no more, nor is what else claims the same and rests on the same messages alone.
        The correction wins over that claim whenever these messages are read again; another message may still
        tell it. `remove` takes it back. Adding it again changes nothing.

        Raises:
            NotFound: There is no such memory.
            BadInput: A person wrote it by hand, several ids begin so, or an argument is invalid.
        """
        why = reason_of(reason, secrets=self._settings.redact)
        wanted = None if kind is None else scope.one_of("kind", kind, CORRECTED_KINDS)
        async with self._database.snapshot_read(check_name("space", space)) as reading:
            found = await self._found(reading, id, wanted)

        async def change(act: Act) -> Correction:
            for one in await self._of(found.kind).of_ids(act.tx, [found.id]):
                await self._mark(act, one, marked=one.id, reason=why)
                for other in await self._without_words(act.tx, one):
                    await self._mark(act, other, marked=one.id, reason=None)
            return await store.correction(act.tx, found.id)

        return await self._changed(space, change, reason=why or MARKED_WRONG)

    @reads_only
    async def list(
        self,
        *,
        space: Space,
        kind: OnlyKind = None,
        rule: Annotated[str | None, Doc("Only what this rule made."), Example("home")] = None,
        memory: Annotated[UUID | None, Doc("Only the correction of the memory with this id.")] = None,
        limit: Limit = 50,
        offset: Offset = 0,
    ) -> Sequence[Correction]:
        """List corrections, the latest first.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        wanted = None if kind is None else scope.one_of("kind", kind, CORRECTED_KINDS)
        made_by = optional_name("rule", rule)
        scope.whole("limit", limit)
        scope.whole("offset", offset, least=0, most=MOST_PASSED_OVER)
        async with self._database.list_read(check_name("space", space)) as tx:
            if tx is None:
                return []
            return await store.listed(tx, kind=wanted, rule=made_by, id=memory, limit=limit, offset=offset)

    @reads_only
    async def counts(self, *, space: Space) -> Sequence[RuleCount]:
        """Count corrections by the rule that made the statement, the most corrected first.

        Beside them stands how many statements of the rule are stored, corrected ones included.
        """
        async with self._database.list_read(check_name("space", space)) as tx:
            if tx is None:
                return []
            counted = [
                RuleCount(
                    kind=kind,
                    rule=rule,
                    statements=max(wrong, await self._of(kind).count(tx, rule)),
                    wrong=wrong,
                )
                for kind, rule, wrong in await store.counts(tx)
                if kind in {one.kind for one in self._open_to_me()}
            ]
        return sorted(counted, key=lambda one: (-one.wrong, one.kind, one.rule))

    async def remove(self, id: Id, *, space: Space) -> Correction:
        """Take a correction back, and return it as it was.

        The memory comes back, unless another says so by now or stands in its place, and readers may make it
        of these words again. So does what went with it.

        Raises:
            NotFound: No memory with this id is marked as wrong.
            BadInput: Several ids begin so, or it is no id.
        """
        async with self._database.snapshot_read(check_name("space", space)) as reading:
            found = await store.correction(reading, id)

        async def change(act: Act) -> Correction:
            was = await store.correction(act.tx, found.id)
            for gone in await store.remove(act.tx, was.marked):
                if gone.was_live:
                    await self._restore(act, gone.kind, gone.id)
            return was

        return await self._changed(space, change, reason="not wrong")

    async def _found(
        self, tx: SpaceTransaction | None, id_: UUID | str, kind: CorrectedKind | None
    ) -> Derived:
        """Return the statement with an id, of a kind or of any."""
        found: list[Derived] = []
        for one in self._open_to_me():
            if tx is not None and kind in (None, one.kind):
                try:
                    found += await one.of_ids(tx, [await one.find(tx, id_)])
                except NotFound:
                    continue
        if not found:
            raise NotFound(
                f"There is no memory {id_} in this space that was derived from messages.",
                hint="The lists of long-term memories, beliefs, loops, lessons and rules show them.",
            )
        if len(found) > 1:
            kinds = " and ".join(f"a {one.kind}" for one in found)
            raise BadInput(f"{kinds} begin with {id_}.", field="id", hint="Give more of it, or the kind.")
        _check_derived(found[0])
        return found[0]

    async def _mark(self, act: Act, one: Derived, *, marked: UUID, reason: str | None) -> None:
        await store.add(act.tx, one, marked=marked, reason=reason, now=act.now)
        if one.live:
            await self._of(one.kind).withdraw(act, one.id)

    async def _without_words(self, tx: SpaceTransaction, one: Derived) -> Sequence[Derived]:
        """Return statements that claim the same as a wrong one, and rest on none but its messages."""
        others: list[Derived] = []
        for kind in self._open_to_me():
            others += await kind.of_messages(tx, one.messages)
        live = [other for other in others if other.live and other.id != one.id]
        standing = {other.id for other in await store.stand(tx, live)}
        return [other for other in live if other.id not in standing]

    async def _restore(self, act: Act, kind: CorrectedKind, id_: UUID) -> None:
        for one in await self._of(kind).of_ids(act.tx, [id_]):
            if not one.live:
                await self._of(kind).restore(act, one.id)

    async def _changed(self, space: str, change: Callable[[Act], Awaitable[_T]], *, reason: str) -> _T:
        """Return the result of a change in one transaction; the vectors that it needs are made before."""
        texts: list[str] = []
        while True:
            prepared = await prepare(self._database, self._models, space, texts)
            try:
                async with self._database.write(space) as tx:
                    prepared.check(tx)
                    for one in self._open_to_me():
                        await one.hold(tx)
                    return await change(Act(tx, prepared, self._clock.now(), reason))
            except Unprepared as lacking:
                texts.append(lacking.text)
            except GenerationChanged:
                continue

    def _open_to_me(self) -> Sequence[Statements]:
        """Return the kinds that this task may see."""
        return [one for one in self._derived if bound_person() is None or not one.is_of_everybody]

    def _of(self, kind: CorrectedKind) -> Statements:
        return next(one for one in self._derived if one.kind == kind)


def _check_derived(one: Derived) -> None:
    if not one.messages:
        raise BadInput(
            "it rests on no message: a person wrote it.",
            field="id",
            hint="Archive or edit it; only what was derived from messages is marked as wrong.",
        )
