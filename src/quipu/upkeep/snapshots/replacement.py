"""Replacement of what a schema holds by a dump, while nobody else loads there or forgets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from anyio import to_thread

from quipu.errors import BadInput, Conflict
from quipu.kernel.db import queries
from quipu.kernel.db.database import Connection
from quipu.upkeep.snapshots.capture import Capture
from quipu.upkeep.snapshots.load import BytesRead, DumpSource, Forgotten, Load, Loaded
from quipu.upkeep.snapshots.model import Reason, Restored, Snapshot, Target

_SECONDS: Final = 3600.0  # a load may take so long
_SQL = queries.load("quipu.upkeep.snapshots")


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacement:
    """Replacement of a schema's content by a dump.

    ``reason`` is that of the snapshot that is taken first, to undo it. What was forgotten ``since`` does not
    come back. A ``trial`` is rolled back at its end.
    """

    capture: Capture
    target: Target
    source: DumpSource
    reason: Reason
    since: datetime | None
    progress: BytesRead | None
    trial: bool = False

    async def make(self, name: str) -> Restored:
        """Take a snapshot to undo it, and replace the content. ``name`` is that of the dump.

        Raises:
            BadInput: the dump is none that may be loaded; nothing was changed.
            Conflict: the schema is in use.
        """
        capture, ground, target, trial = self.capture, self.capture.ground, self.target, self.trial
        before: Mapping[str, int] = {}
        undo: Snapshot | None = None

        async def ready() -> None:
            nonlocal before, undo
            if trial:
                before = await capture.count(target)
                return
            undo = await capture.take(target, self.reason)
            before = {table: one.rows for table, one in undo.sums.items()}

        async def work(conn: Connection) -> Loaded:
            load = Load(conn, target, self.source, progress=self.progress)
            return await load.replace(ground, await self._forgotten(), ready=ready, seconds=_SECONDS)

        async with (
            capture.while_there(target),
            capture.database.owner() as holder,
            holder.transaction(),
        ):
            await self._take_turn(holder)
            try:
                loaded = await ground.change(target, work, seconds=_SECONDS, trial=trial)
            except BadInput:  # then nothing was changed, and there is nothing to undo
                if undo is not None:
                    await to_thread.run_sync(capture.shelf.delete, undo)
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
            embedded=0 if trial else await ground.follow(target),
        )

    async def _take_turn(self, holder: Connection) -> None:
        if not await holder.value(_SQL["take_turn"], schema_name=self.target.schema_name):
            raise Conflict(
                f"The schema {self.target.schema!r} is in use: something is being loaded into it.",
                field="schema",
                hint="Nothing was changed. Try again when that is done.",
            )
        await holder.execute(_SQL["keep_from_erasing"], {"name": self.target.space})

    async def _forgotten(self) -> Forgotten:
        """Return persons and sessions that were forgotten in the space."""
        space = self.target.space
        async with self.capture.database.transaction(space) as tx:
            if tx is None:
                return Forgotten(space, ())
            rows = await tx.rows(_SQL["erased_since"], since=self.since)
            ((key,),) = await tx.rows(_SQL["names_key"])
        return Forgotten(space, [row[0] for row in rows], key)
