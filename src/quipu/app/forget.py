"""Forgetting over all kinds: what is of somebody, their names in what is not, and what stays on the disk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from anyio import to_thread

from quipu.app.kinds import ERASERS, NAMED_IN, NOTED
from quipu.app.parts import Parts
from quipu.errors import BadInput
from quipu.kernel.config import Settings
from quipu.kinds.tables.person_names import PersonNames, Removal
from quipu.upkeep.backup.bases import listing, put_aside
from quipu.upkeep.erasure import service as erasure
from quipu.upkeep.erasure.model import Erasure, What
from quipu.upkeep.erasure.names import checked, pattern
from quipu.upkeep.erasure.service import Search
from quipu.upkeep.snapshots.model import Snapshot
from quipu.upkeep.snapshots.shelf import Shelf
from quipu.upkeep.snapshots.snapshots import AsyncSnapshots


class ForgetRequest:
    """One call of ``forget`` in a space."""

    def __init__(
        self, parts: Parts, settings: Settings, snapshots: AsyncSnapshots, *, space: str, now: datetime
    ) -> None:
        self._parts = parts
        self._settings = settings
        self._snapshots = snapshots
        self._space = space
        self._now = now
        self._touched: list[tuple[str, str]] = []

    async def forget(self, what: What, *, names: Sequence[str], everywhere: bool, confirm: bool) -> Erasure:
        """Forget, or without ``confirm`` show what that would take.

        Raises:
            BadInput: a name cannot be taken, or ``everywhere`` names nobody.
        """
        if what.everything:
            if names or everywhere:
                raise BadInput("the whole space has no rest.", field="names", hint="Name whom to forget.")
            return await self._forget_all(what, confirm=confirm)
        person = what.user if what.session is None and what.message is None else None
        if not (confirm or person or names or everywhere):
            return await erasure.preview(self._parts.database, ERASERS, what, space=self._space)
        search = await self._search(person, checked(names), everywhere=everywhere, trial=not confirm)
        done = await erasure.erase_named(
            self._parts.database, ERASERS, what, search, self._touched, space=self._space, now=self._now
        )
        return await self._finish(done)

    async def _forget_all(self, what: What, *, confirm: bool) -> Erasure:
        kept = await self._snapshots.list(space=self._space)
        if not confirm:
            found = await erasure.preview(self._parts.database, ERASERS, what, space=self._space)
        else:
            found = await erasure.erase(
                self._parts.database,
                ERASERS,
                what,
                self._touched,
                space=self._space,
                now=self._now,
                noted=NOTED,
            )
            kept = await self._of_gone(found)
            await self._snapshots.erase_all(kept)
            found = await self._finish(found)
        return replace(found, counts={**found.counts, "snapshots": len(kept)}) if kept else found

    async def _of_gone(self, done: Erasure) -> list[Snapshot]:
        """Return the snapshots of the forgotten space, including those taken meanwhile."""
        from quipu.upkeep.erasure import forgotten  # noqa: PLC0415 - as in ``_finish``

        if done.receipt is None:
            return []
        space = await forgotten.find(self._parts.database, self._space, done.receipt)
        assert space is not None, "a receipt was written, and its space is not found"
        shelf = Shelf.of(self._settings, self._parts.database.url)
        return await to_thread.run_sync(shelf.all, space.id, space.name)

    async def _search(
        self, person: str | None, given: Sequence[str], *, everywhere: bool, trial: bool
    ) -> Search:
        """Find names of the person, and find or remove them in the tables of agents.

        These tables have transactions of their own, which come first: what fails in between is finished by
        forgetting again.
        """
        if everywhere and not (person or given):
            raise BadInput("whose names?", field="everywhere", hint="Name the person, or give names.")
        names = await erasure.names_of(self._parts.database, person, given, space=self._space)
        naming = PersonNames(self._parts.database, self._parts.models, self._parts.logins)
        seen = Removal()
        if names and everywhere:
            seen = await naming.take_out(self._space, names, trial=trial)
            self._touched += seen.touched
        elif names:
            seen.left += await naming.search(self._space, pattern(names))
        return Search(
            names=names,
            named=NAMED_IN,
            everywhere=everywhere,
            trial=trial,
            noted=NOTED,
            left=seen.left,
            counts=seen.counts,
        )

    async def _finish(self, done: Erasure) -> Erasure:
        """Vacuum what an erasure touched, and sign a note on what is still on the disk."""
        # Not at the top: as what signs, only who forgets needs it.
        from quipu.upkeep.erasure import aftermath, forgotten  # noqa: PLC0415

        if done.receipt is None:
            return done
        database, settings = self._parts.database, self._settings
        space = await forgotten.find(database, self._space, done.receipt)
        assert space is not None, "a receipt was written, and its space is not found"
        remains = await aftermath.vacuum(database, self._touched)
        copies = aftermath.Copies(
            snapshots=await self._snapshots.list(space=self._space),
            exports=await aftermath.exports_of(database, space),
            backups=None if settings.database_url else await to_thread.run_sync(listing, settings),
            aside=() if settings.database_url else put_aside(settings),
        )
        remains |= aftermath.kept(copies)
        await aftermath.note(database, done.receipt, remains, space=space, now=self._now)
        return replace(done, remains=remains)
