"""Snapshots as a program sees them: ``memory.snapshots``. Agents have no way to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

from anyio import Path as AsyncPath
from anyio import to_thread

from quipu.errors import BadInput, Conflict, DatabaseError, NotFound
from quipu.kernel.base.clock import Clock
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.upkeep.snapshots import taking
from quipu.upkeep.snapshots.ground import Ground
from quipu.upkeep.snapshots.loading import BytesRead, Source
from quipu.upkeep.snapshots.looking import look_through, schema_named
from quipu.upkeep.snapshots.model import HandedOut, Reason, Restored, Snapshot, Target, Thinned, Tier
from quipu.upkeep.snapshots.replacement import Replacement
from quipu.upkeep.snapshots.rights import SCHEMA, STAYS, roles, still
from quipu.upkeep.snapshots.shelf import Shelf
from quipu.upkeep.snapshots.tiers import keep, settled


class AsyncSnapshots:
    """Snapshots of the schemas of agents: taken, listed, thinned out, put back, handed out, taken in.

    A snapshot is a dump of one schema, in plain SQL, with sums of its tables and vectors of its rows beside
    it. A worker takes one of each schema every hour. Every call names the ``space``; ``schema`` is ``memory``
    or the short name of another one. It is for people and programs: no tool of an agent leads here.
    """

    def __init__(self, database: Database, ground: Ground, *, settings: Settings, clock: Clock) -> None:
        self._database = database
        self._ground = ground
        self._settings = settings
        self._clock = clock
        self._shelf = Shelf.of(settings, database.url)

    async def create(self, *, space: str, schema: str = "memory") -> Snapshot:
        """Take a snapshot of the schema as it is now.

        It stays until the retention is over, whatever its hour.

        Raises:
            NotFound: there is no such schema.
            DatabaseUnsuitable: no pg_dump here fits the server.
            DatabaseError: it could not be written.
            Conflict: something was forgotten in the space each time it was tried.
        """
        return await self._take(await self._ground.find(space, schema), "manual")

    async def list(self, *, space: str, schema: str | None = None) -> list[Snapshot]:
        """Return the snapshots of a space, or of one schema, newest first, with the tier that keeps each.

        Those of schemas that were dropped are among them.
        """
        found: list[Snapshot] = []
        for own in (await self._groups(space, schema)).values():
            tiers = await self._tiers(space, own, now=self._clock.now())
            found += [replace(one, tier=tiers.get(one.name, "kept")) for one in own]
        return sorted(found, key=lambda one: (one.taken_at, one.name), reverse=True)

    async def find(self, name: str, *, space: str) -> Snapshot:
        """Return the snapshot of that name.

        Raises:
            BadInput: that is no name of a snapshot.
            NotFound: there is none of that name.
        """
        return await self._find(space, name)

    async def path(self, name: str, *, space: str) -> Path:
        """Return the file of a snapshot.

        Raises:
            NotFound: there is none of that name.
        """
        found = await self._find(space, name)
        return self._shelf.path(found.space_id, found.name)

    async def prune(self, *, space: str, schema: str | None = None, dry_run: bool = False) -> Thinned:
        """Thin out: 24 hourly ones stay, 4 a day to 7 days, one a day to ``memory_snapshot_retention_days``.

        Those taken by hand, or before a restore, stay until the retention is over. ``dry_run`` changes
        nothing.
        """
        return await self._thin_out(space, schema, dry_run=dry_run)

    async def delete(self, name: str, *, space: str) -> Snapshot:
        """Delete a snapshot; what it was. It cannot be undone.

        Raises:
            BadInput: that is no name of a snapshot.
            NotFound: there is none of that name.
        """
        snapshot = await self._find(space, name)
        await to_thread.run_sync(self._shelf.delete, snapshot)
        return snapshot

    async def restore(
        self, name: str, *, space: str, confirm: bool = False, progress: BytesRead | None = None
    ) -> Restored:
        """Put a snapshot in the place of what its schema holds; without ``confirm``, what that would change.

        A snapshot of what is there now is taken first: restoring that undoes it. Then the schema is replaced
        as a whole, in one transaction, or stays as it is. A schema that was dropped is made again, with the
        grants of then. What SQL granted on its objects is as it was then, for roles that are still there;
        ``Restored.lost`` names the others. What was forgotten of a person or a session since does not come
        back. ``progress`` is called with the bytes read.

        Raises:
            BadInput: no name of a snapshot; its file was changed; its rows are not what the manifest says.
            NotFound: there is none of that name in the space.
            Conflict: the schema is in use.
            DatabaseError: it could not be read or written.
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
        source = Source(
            path=path,
            schema_name=snapshot.schema_name,
            code=True,
            sums=snapshot.sums,
            rights=None if snapshot.rights is None else rights,
        )
        vectors = await to_thread.run_sync(self._shelf.vectors, snapshot)
        if vectors is not None:
            async with taking.while_there(self._ground, target):
                await self._ground.lend_vectors(target, vectors)
        done = await self._load(
            target,
            source,
            name=name,
            reason="before-restore",
            since=snapshot.taken_at,
            progress=progress,
        )
        if not stands:  # what was revoked in a schema that stands stays revoked
            await self._ground.grant(target, snapshot.grants)
            await self._ground.admit(target, rights.get(SCHEMA, ()))
        return replace(done, lost=(*lost, *(one for one in done.lost if one not in lost)))

    async def export(
        self,
        path: Path | str,
        *,
        structure: bool = False,
        replace_file: bool = False,
        space: str,
        schema: str = "memory",
    ) -> HandedOut:
        """Write a dump of the schema to a file: all of it, or the ``structure`` without rows but
        those of the registry: what tables are for, and which fields are embedded.

        Raises:
            BadInput: the file is there already, and ``replace_file`` is not said.
            NotFound: there is no such schema.
            Conflict: something was forgotten in the space meanwhile.
            DatabaseUnsuitable, DatabaseError: as `create`.
        """
        place = _absolute(path)
        if not replace_file and await AsyncPath(place).exists():
            raise BadInput(f"{place} is there already.", field="path", hint="Name another file.")
        target = await self._ground.find(space, schema)
        return await taking.export(
            self._database,
            self._settings,
            self._ground,
            target,
            place,
            structure=structure,
            now=self._clock.now(),
        )

    async def import_dump(
        self,
        path: Path | str,
        *,
        space: str,
        schema: str = "memory",
        confirm: bool = False,
        progress: BytesRead | None = None,
    ) -> Restored:
        """Put a dump that `export` made in the place of what a schema holds; without ``confirm``, try it.

        It may be of a schema of another name, and of another space or database. Only tables, sequences,
        views, types, indexes, constraints, comments and rows are taken: no functions, triggers, rules or
        policies. All of it runs with the rights of the schema's own agent. Rights of the schema's own logins
        go with it; those of others are not given, and ``Restored.lost`` names them. A snapshot is taken
        first. A person or a session that was ever forgotten in the space does not come in.

        Raises:
            BadInput: the file holds what no such dump holds; names the line. Nothing was changed.
            Conflict: the schema is in use.
        """
        place = _absolute(path)
        schema_name = await to_thread.run_sync(schema_named, place)
        look = partial(look_through, place, schema_name, protected=self._ground.protected, code=False)
        rows = await to_thread.run_sync(look)
        if not confirm and not await self._is_there(space, schema):
            return Restored(source=place.name, schema=schema, done=False, before={}, after=rows)
        target = await self._ground.find(space, schema, make=True)
        source = Source(path=place, schema_name=schema_name, code=False)
        return await self._load(
            target,
            source,
            name=place.name,
            reason="before-import",
            since=None,
            progress=progress,
            trial=not confirm,
        )

    async def scheduled(self, *, space: str) -> None:
        """Take a snapshot of each schema that has none of this hour, then thin out; a worker's hourly job.

        Raises:
            DatabaseError: some could not be taken; the others were.
        """
        failed: list[Exception] = []
        for target in await self._ground.every(space):
            await self._ground.tidy(target)
            try:
                hour = self._clock.now().replace(minute=0, second=0, microsecond=0)
                own = (await self._groups(space, target.schema)).get(target.schema, [])
                taken = [one.taken_at for one in own if one.reason == "scheduled"]
                if not any(hour <= at < hour + timedelta(hours=1) for at in taken):
                    await self._take(target, "scheduled")
            except (BadInput, Conflict, DatabaseError) as error:
                failed.append(error)
        await self._thin_out(space, None, careful=True)
        space_id = await self._ground.space_id(space)
        if space_id is not None:
            await to_thread.run_sync(self._shelf.sweep, space_id)
        if failed:
            raise failed[0]

    async def forget(self, snapshots: Iterable[Snapshot]) -> None:
        """Delete snapshots as they were listed, of a space that is no more."""
        for one in snapshots:
            await to_thread.run_sync(self._shelf.delete, one)

    async def _load(
        self,
        target: Target,
        source: Source,
        *,
        name: str,
        reason: Reason,
        since: datetime | None,
        progress: BytesRead | None,
        trial: bool = False,
    ) -> Restored:
        replacement = Replacement(
            database=self._database,
            ground=self._ground,
            target=target,
            source=source,
            since=since,
            progress=progress,
            trial=trial,
        )
        return await replacement.make(
            name, take=lambda: self._take(target, reason), drop=lambda undo: self.forget([undo])
        )

    async def _take(self, target: Target, reason: Reason) -> Snapshot:
        return await taking.take(
            self._database,
            self._settings,
            self._ground,
            self._shelf,
            target,
            reason=reason,
            now=self._clock.now(),
        )

    async def _is_there(self, space: str, schema: str) -> bool:
        try:
            await self._ground.find(space, schema)
        except NotFound:
            return False
        return True

    async def _groups(self, space: str, schema: str | None) -> Mapping[str, Sequence[Snapshot]]:
        """Return the snapshots of a space by their schema."""
        space_id = await self._ground.space_id(space)
        kept = [] if space_id is None else await to_thread.run_sync(self._shelf.all, space_id, space)
        return _by_schema(one for one in kept if schema in (None, one.schema))

    async def _find(self, space: str, name: str) -> Snapshot:
        space_id = await self._ground.space_id(space)
        if space_id is None:
            raise NotFound(f"There is no space {space!r}.", hint="The list of spaces shows them.")
        return await to_thread.run_sync(self._shelf.find, space_id, space, name)

    async def _thin_out(
        self, space: str, schema: str | None, *, dry_run: bool = False, careful: bool = False
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
                if one.name not in tiers and not dry_run:
                    await to_thread.run_sync(self._shelf.delete, one)
        return Thinned(kept=tuple(kept), deleted=tuple(deleted), dry_run=dry_run)

    async def _tiers(self, space: str, own: Sequence[Snapshot], *, now: datetime) -> dict[str, Tier]:
        """Return the names of snapshots that stay, with what keeps them."""
        days = await self._ground.retention_days(space)
        scheduled = keep(
            [one.taken_at for one in own if one.reason == "scheduled"], now=now, retention_days=days
        )
        found: dict[str, Tier] = {}
        for one in own:
            if one.reason != "scheduled":
                if now - one.taken_at < timedelta(days=days):
                    found[one.name] = "kept"
            elif one.taken_at in scheduled:
                found[one.name] = scheduled[one.taken_at]
        return found

    async def _rows_now(self, space: str, schema: str) -> dict[str, int]:
        """Return rows by table; none if there is no such schema."""
        if not await self._is_there(space, schema):
            return {}
        target = await self._ground.find(space, schema)
        return await taking.count(self._database, self._ground, target)


def _by_schema(snapshots: Iterable[Snapshot]) -> dict[str, list[Snapshot]]:
    groups: dict[str, list[Snapshot]] = {}
    for one in snapshots:
        groups.setdefault(one.schema, []).append(one)
    return groups


def _absolute(path: Path | str) -> Path:
    return Path(path).expanduser().absolute()
