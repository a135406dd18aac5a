"""A dump that takes the place of what a schema holds, while nobody else loads there or forgets."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from quipu.errors import BadInput, Conflict
from quipu.kernel.db import queries
from quipu.kernel.db.database import Connection, Database
from quipu.upkeep.snapshots import taking
from quipu.upkeep.snapshots.loading import Around, BytesRead, Forgotten, Loaded, Loading, Source
from quipu.upkeep.snapshots.model import Ground, Restored, Snapshot, Target

_SECONDS: Final = 3600.0  # a load may take so long
_SQL = queries.load("quipu.upkeep.snapshots")


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacement:
    """Replacement of a schema's content; what was forgotten ``since`` stays away; ``trial``: it is undone."""

    database: Database
    ground: Ground
    target: Target
    source: Source
    since: datetime | None
    progress: BytesRead | None
    trial: bool = False

    async def make(
        self,
        name: str,
        *,
        take: Callable[[], Awaitable[Snapshot]],
        drop: Callable[[Snapshot], Awaitable[None]],
    ) -> Restored:
        """Take a snapshot for the undo, and replace. ``drop`` deletes one that undoes nothing.

        Raises:
            BadInput: the dump is none that may be loaded; nothing was changed.
            Conflict: the schema is in use.
        """
        target, trial = self.target, self.trial
        before: Mapping[str, int] = {}
        undo: Snapshot | None = None

        async def ready() -> None:
            nonlocal before, undo
            if trial:
                before = await taking.count(self.database, self.ground, target)
                return
            undo = await take()
            before = {table: one.rows for table, one in undo.sums.items()}

        async def work(conn: Connection) -> Loaded:
            around = Around(
                tables=lambda: self.ground.tables_now(target),
                ready=ready,
                drops=lambda: self.ground.drops(target),
                rights=lambda conn: self.ground.rights(conn, target),
            )
            loading = Loading(conn, target, self.source, progress=self.progress)
            return await loading.replace(around, await self._forgotten(), seconds=_SECONDS)

        async with (
            taking.while_there(self.ground, target),
            self.database.owner() as holder,
            holder.transaction(),
        ):
            await self._take_turn(holder)
            try:
                loaded = await self.ground.change(target, work, seconds=_SECONDS, trial=trial)
            except BadInput:  # then nothing was changed, and there is nothing to undo
                if undo is not None:
                    await drop(undo)
                raise
        return Restored(
            source=name,
            schema=target.schema,
            done=not trial,
            before=before,
            after=loaded.rows,
            erased=loaded.erased,
            lost=loaded.lost,
            undo=None if undo is None else undo.name,
            embedded=0 if trial else await self.ground.follow(target),
        )

    async def _take_turn(self, holder: Connection) -> None:
        turn = await holder.execute(_SQL["take_turn"], {"schema_name": self.target.schema_name})
        if await turn.fetchone() != (True,):
            raise Conflict(
                f"The schema {self.target.schema!r} is in use: something is being loaded into it.",
                field="schema",
                hint="Nothing was changed. Try again when that is done.",
            )
        await holder.execute(_SQL["keep_from_erasing"], {"name": self.target.space})

    async def _forgotten(self) -> Forgotten:
        """Return persons and sessions that were forgotten in the space."""
        space = self.target.space
        async with self.database.transaction(space) as tx:
            if tx is None:
                return Forgotten(space, ())
            rows = await tx.rows(_SQL["erased_since"], since=self.since)
            ((key,),) = await tx.rows(_SQL["names_key"])
        return Forgotten(space, [row[0] for row in rows], key)
