"""Snapshots as a program sees them: ``memory.snapshots``. Agents have no way to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Annotated

from anyio import Path as AsyncPath
from anyio import to_thread
from typing_extensions import Doc

from quipu.errors import BadInput, Conflict, DatabaseError, NotFound
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.parameters import Confirm, Example, OnlySchema, SchemaName, Space
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.upkeep.snapshots.capture import Capture
from quipu.upkeep.snapshots.load import BytesRead, DumpSource, look_through, schema_named
from quipu.upkeep.snapshots.model import Ground, HandedOut, Restored, Snapshot, Thinned, Tier
from quipu.upkeep.snapshots.replacement import Replacement
from quipu.upkeep.snapshots.rights import SCHEMA, STAYS, roles, still
from quipu.upkeep.snapshots.shelf import Shelf
from quipu.upkeep.snapshots.tiers import keep, settled

SnapshotName = Annotated[str, Doc("The name of the snapshot."), Example("memory_20260504_100000.sql")]
Progress = Annotated[BytesRead | None, Doc("Called with the number of bytes, whenever some were read.")]


class AsyncSnapshots:
    """Take snapshots of the schemas of agents, and put them back.

    A snapshot is a dump of one schema, in plain SQL, with sums of its tables and vectors of its rows beside
    it. A worker takes one of each schema every hour. Every call names the ``space``; ``schema`` is ``memory``
    or the short name of another one. It is for people and programs: no tool of an agent leads here.
    """

    def __init__(self, database: Database, ground: Ground, *, settings: Settings, clock: Clock) -> None:
        self._ground = ground
        self._clock = clock
        self._shelf = Shelf.of(settings, database.url)
        self._capture = Capture(database, settings, ground, self._shelf, clock)

    async def create(self, *, space: Space, schema: SchemaName = "memory") -> Snapshot:
        """Take a snapshot of a schema as it is now.

        It stays until the retention is over, whatever its hour.

        Raises:
            NotFound: There is no such schema.
            DatabaseUnsuitable: No pg_dump here fits the server.
            DatabaseError: It could not be written.
            Conflict: Something was forgotten in the space each time it was tried.
        """
        return await self._capture.take(await self._ground.find(space, schema), "manual")

    async def list(self, *, space: Space, schema: OnlySchema = None) -> Sequence[Snapshot]:
        """List the snapshots of a space, the newest first, with the tier that keeps each.

        Those of schemas that were dropped are among them.
        """
        snapshots: list[Snapshot] = []
        for own in (await self._groups(space, schema)).values():
            tiers = await self._tiers(space, own, now=self._clock.now())
            snapshots += [replace(one, tier=tiers.get(one.name, "kept")) for one in own]
        return sorted(snapshots, key=lambda one: (one.taken_at, one.name), reverse=True)

    async def get(self, name: SnapshotName, *, space: Space) -> Snapshot:
        """Show a snapshot.

        Raises:
            BadInput: That is no name of a snapshot.
            NotFound: There is no such snapshot.
        """
        return await self._find(space, name)

    async def path(self, name: SnapshotName, *, space: Space) -> Path:
        """Return the file of a snapshot.

        Raises:
            NotFound: There is no such snapshot.
        """
        snapshot = await self._find(space, name)
        return self._shelf.path(snapshot.space_id, snapshot.name)

    async def prune(self, *, space: Space, schema: OnlySchema = None, confirm: Confirm = False) -> Thinned:
        """Thin snapshots out, after a preview of which would go.

        24 hourly ones stay, 4 a day to 7 days, one a day to `memory_snapshot_retention_days`. Those taken by
        hand, or before a restore, stay until the retention is over.
        """
        return await self._thin_out(space, schema, confirm=confirm)

    async def erase(self, name: SnapshotName, *, space: Space, confirm: Confirm = False) -> Snapshot:
        """Erase a snapshot for good, after a preview of it.

        Raises:
            BadInput: That is no name of a snapshot.
            NotFound: There is no such snapshot.
        """
        snapshot = await self._find(space, name)
        if confirm:
            await to_thread.run_sync(self._shelf.delete, snapshot)
        return snapshot

    async def restore(
        self, name: SnapshotName, *, space: Space, confirm: Confirm = False, progress: Progress = None
    ) -> Restored:
        """Put a snapshot in the place of what its schema holds, after a preview of what would change.

        A snapshot of what is there now is taken first: restoring that undoes it. Then the schema is replaced
        as a whole, in one transaction, or stays as it is. A schema that was dropped is made again, with the
        grants of then. What SQL granted on its objects is as it was then, for roles that are still there;
        `lost` names the others. What was forgotten of a person or a session since does not come back.

        Raises:
            BadInput: That is no name of a snapshot, or its file was changed.
            NotFound: There is no such snapshot.
            Conflict: The schema is in use.
            DatabaseError: It could not be read or written.
        """
        snapshot = await self._find(space, name)
        path = await to_thread.run_sync(self._shelf.check, snapshot)
        stands = await self._is_there(space, snapshot.schema)
        was = {key: one for key, one in (snapshot.rights or {}).items() if not (stands and key in STAYS)}
        rights, lost = still(was, await self._ground.roles(space, roles(was)))
        if not confirm:
            before = await self._rows_now(space, snapshot.schema)
            after = {table: one.rows for table, one in snapshot.sums.items()}
            return Restored(
                source=name, schema=snapshot.schema, done=False, before=before, after=after, lost=lost
            )
        target = await self._ground.find(space, snapshot.schema, make=True)
        source = DumpSource(
            path=path,
            schema_name=await to_thread.run_sync(schema_named, path),
            code=True,
            sums=snapshot.sums,
            rights=None if snapshot.rights is None else rights,
        )
        vectors = await to_thread.run_sync(self._shelf.vectors, snapshot)
        if vectors is not None:
            async with self._capture.while_there(target):
                await self._ground.lend_vectors(target, vectors)
        replacement = Replacement(
            capture=self._capture,
            target=target,
            source=source,
            reason="before-restore",
            since=snapshot.taken_at,
            progress=progress,
        )
        done = await replacement.make(name)
        if not stands:  # what was revoked in a schema that stands stays revoked
            await self._ground.grant(target, snapshot.grants)
            await self._ground.admit(target, rights.get(SCHEMA, ()))
        return replace(done, lost=(*lost, *(one for one in done.lost if one not in lost)))

    async def export(
        self,
        path: Annotated[PathLike[str] | str, Doc("The file to write.")],
        *,
        structure: Annotated[
            bool, Doc("Tables without their rows; what they are for, and which fields are embedded, stays.")
        ] = False,
        replace_file: Annotated[bool, Doc("Replace a file that is there.")] = False,
        space: Space,
        schema: SchemaName = "memory",
    ) -> HandedOut:
        """Write a dump of a schema to a file of SQL.

        Raises:
            BadInput: The file is there already, and is not to be replaced.
            NotFound: There is no such schema.
            Conflict: Something was forgotten in the space meanwhile.
            DatabaseUnsuitable: No pg_dump here fits the server.
            DatabaseError: It could not be written.
        """
        place = _absolute(path)
        if not replace_file and await AsyncPath(place).exists():
            raise BadInput(f"{place} is there already.", field="path", hint="Name another file.")
        target = await self._ground.find(space, schema)
        return await self._capture.export(target, place, structure=structure)

    async def import_dump(
        self,
        path: Annotated[PathLike[str] | str, Doc("The file that an export wrote.")],
        *,
        space: Space,
        schema: SchemaName = "memory",
        confirm: Confirm = False,
        progress: Progress = None,
    ) -> Restored:
        """Put an exported file in the place of what a schema holds, after a trial that is undone.

        It may be of a schema of another name, and of another space or database. Only tables, sequences,
        views, types, indexes, constraints, comments and rows are taken: no functions, triggers, rules or
        policies. All of it runs with the rights of the schema's own agent. Rights of the schema's own logins
        go with it; those of others are not given, and `lost` names them. A snapshot is taken first. A person
        or a session that was ever forgotten in the space does not come in.

        Raises:
            BadInput: The file holds what no such dump holds; the line is named. Nothing was changed.
            Conflict: The schema is in use.
        """
        place = _absolute(path)
        schema_name = await to_thread.run_sync(schema_named, place)
        look = partial(look_through, place, schema_name, protected=self._ground.protected, code=False)
        rows = await to_thread.run_sync(look)
        if not confirm and not await self._is_there(space, schema):
            return Restored(source=place.name, schema=schema, done=False, before={}, after=rows)
        target = await self._ground.find(space, schema, make=True)
        source = DumpSource(path=place, schema_name=schema_name, code=False)
        replacement = Replacement(
            capture=self._capture,
            target=target,
            source=source,
            reason="before-import",
            since=None,
            progress=progress,
            trial=not confirm,
        )
        return await replacement.make(place.name)

    async def erase_all(
        self, snapshots: Annotated[Iterable[Snapshot], Doc("Snapshots as they were listed.")]
    ) -> None:
        """Erase snapshots of a space that is no more."""
        for one in snapshots:
            await to_thread.run_sync(self._shelf.delete, one)

    async def _is_there(self, space: str, schema: str) -> bool:
        try:
            await self._ground.find(space, schema)
        except NotFound:
            return False
        return True

    async def _groups(self, space: str, schema: str | None) -> Mapping[str, Sequence[Snapshot]]:
        """Return the snapshots of a space by their schema."""
        groups: dict[str, list[Snapshot]] = {}
        space_id = await self._ground.space_id(space)
        for one in [] if space_id is None else await to_thread.run_sync(self._shelf.all, space_id, space):
            if schema in (None, one.schema):
                groups.setdefault(one.schema, []).append(one)
        return groups

    async def _find(self, space: str, name: str) -> Snapshot:
        space_id = await self._ground.space_id(space)
        if space_id is None:
            raise NotFound(f"There is no space {space!r}.", hint="The list of spaces shows them.")
        return await to_thread.run_sync(self._shelf.find, space_id, space, name)

    async def _thin_out(
        self, space: str, schema: str | None, *, confirm: bool, careful: bool = False
    ) -> Thinned:
        """Delete what no tier keeps; ``careful`` where nobody looks on, and the clock may be wrong."""
        kept: list[str] = []
        deleted: list[str] = []
        for own in (await self._groups(space, schema)).values():
            now = self._clock.now()
            tiers = await self._tiers(
                space, own, now=settled((one.taken_at for one in own), now=now) if careful else now
            )
            for one in own:
                (kept if one.name in tiers else deleted).append(one.name)
                if one.name not in tiers and confirm:
                    await to_thread.run_sync(self._shelf.delete, one)
        return Thinned(kept=tuple(kept), deleted=tuple(deleted), done=confirm)

    async def _tiers(self, space: str, own: Sequence[Snapshot], *, now: datetime) -> dict[str, Tier]:
        """Return the names of snapshots that stay, with what keeps them."""
        days = await self._ground.retention_days(space)
        scheduled = keep(
            [one.taken_at for one in own if one.reason == "scheduled"], now=now, retention_days=days
        )
        tiers: dict[str, Tier] = {}
        for one in own:
            if one.reason != "scheduled":
                if now - one.taken_at < timedelta(days=days):
                    tiers[one.name] = "kept"
            elif one.taken_at in scheduled:
                tiers[one.name] = scheduled[one.taken_at]
        return tiers

    async def _rows_now(self, space: str, schema: str) -> dict[str, int]:
        """Return rows by table; none if there is no such schema."""
        if not await self._is_there(space, schema):
            return {}
        target = await self._ground.find(space, schema)
        return await self._capture.count(target)


class ScheduledSnapshots(AsyncSnapshots):
    """Snapshots as a worker takes them."""

    async def take(self, *, space: str) -> None:
        """Do what a worker does every hour: take a snapshot of each schema that has none of it, and thin out.

        Raises:
            DatabaseError: Some could not be taken; the others were.
        """
        failed: list[Exception] = []
        for target in await self._ground.every(space):
            await self._ground.tidy(target)
            try:
                hour = self._clock.now().replace(minute=0, second=0, microsecond=0)
                own = (await self._groups(space, target.schema)).get(target.schema, [])
                taken = [one.taken_at for one in own if one.reason == "scheduled"]
                if not any(hour <= at < hour + timedelta(hours=1) for at in taken):
                    await self._capture.take(target, "scheduled")
            except (BadInput, Conflict, DatabaseError) as error:
                failed.append(error)
        await self._thin_out(space, None, confirm=True, careful=True)
        space_id = await self._ground.space_id(space)
        if space_id is not None:
            await to_thread.run_sync(self._shelf.sweep, space_id)
        if failed:
            raise failed[0]


def _absolute(path: PathLike[str] | str) -> Path:
    return Path(path).expanduser().absolute()
