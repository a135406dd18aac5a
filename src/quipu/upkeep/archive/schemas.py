"""Tables of agents in an archive: a dump of each schema, and what agents may do there."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from anyio import CancelScope, to_thread

from quipu.errors import Conflict
from quipu.kernel.db import queries
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.upkeep.archive.manifest import ArchivedFile, ArchivedSchema, Manifest
from quipu.upkeep.snapshots.capture import Capture
from quipu.upkeep.snapshots.shelf import digest
from quipu.upkeep.snapshots.snapshots import AsyncSnapshots

_SQL: Final = queries.load("quipu.upkeep.archive")
KIND: Final = "tables"
_COMING: Final = "quipu: an archive is being taken in here"


@dataclass(frozen=True, slots=True)
class Dumped:
    """A schema that was written: its entry in the manifest, and its file with the sum of that."""

    schema: ArchivedSchema
    file: ArchivedFile
    sha256: str


class AgentSchemas:
    """Writes the schemas of a space, and puts them in place.

    They have logins and transactions of their own, so they come before the records of an archive, and go
    again where these do not come. A schema that is not finished says so in its description: after a crash,
    taking the archive in again goes on from there.
    """

    def __init__(self, database: Database, capture: Capture, snapshots: AsyncSnapshots) -> None:
        self._database = database
        self._capture = capture
        self._snapshots = snapshots

    async def write(self, tx: SpaceTransaction, folder: Path) -> Sequence[Dumped]:
        """Write a dump of each schema, as of the moment of the transaction."""
        described = dict(await tx.rows(_SQL["descriptions"]))
        if not described:
            return []
        await to_thread.run_sync(lambda: (folder / KIND).mkdir(exist_ok=True))
        ((moment,),) = await tx.rows(_SQL["moment"])
        return [
            await self._write(tx.space.name, name, described[name], folder, moment)
            for name in sorted(described)
        ]

    async def _write(
        self, space: str, name: str, description: str | None, folder: Path, moment: str
    ) -> Dumped:
        ground = self._capture.ground
        target = await ground.find(space, name)
        file = f"{KIND}/{name}.sql"
        path = folder / file
        sums = await self._capture.write_out(target, path, moment=moment)
        rows = sum(one.rows for one in sums.values())
        grants = dict(sorted((await ground.grants(target)).items()))
        return Dumped(
            ArchivedSchema(name=name, file=file, description=description, rows=rows, grants=grants),
            ArchivedFile(name=file, kind=KIND, records=rows, bytes=path.stat().st_size),
            await to_thread.run_sync(digest, path),
        )

    async def refuse_others(self, tx: SpaceTransaction) -> None:
        """Check that the space has no schema but those that an earlier attempt has begun.

        Raises:
            Conflict: it has one.
        """
        for (name,) in await tx.rows(_SQL["finished_schemas"], coming=_COMING):
            raise Conflict(
                f"The space {tx.space.name!r} has tables of agents, in the schema {name!r}.",
                field="space",
                hint="An archive is taken in as it is: name a space that is not there yet.",
            )

    @asynccontextmanager
    async def coming(self, folder: Path, manifest: Manifest, space: str) -> AsyncGenerator[None]:
        """Put the schemas of an archive in place for a block that finishes them; else they are dropped.

        Raises:
            BadInput: a dump holds what none may hold; the line is named.
        """
        finished = False
        try:
            for one in manifest.schemas:
                await self._put(folder, one, space)
            yield
            finished = True
        finally:
            if not finished and manifest.schemas:
                with CancelScope(shield=True):
                    await self._withdraw(space)

    async def _put(self, folder: Path, one: ArchivedSchema, space: str) -> None:
        target = await self._capture.ground.find(space, one.name, make=True)
        async with self._database.write(space) as tx:
            await tx.execute(_SQL["describe"], name=one.name, description=_COMING)
        await self._snapshots.import_dump(folder / one.file, space=space, schema=one.name, confirm=True)
        await self._capture.ground.grant(target, one.grants)

    async def _withdraw(self, space: str) -> None:
        async with self._database.transaction(space) as tx:
            described = {} if tx is None else dict(await tx.rows(_SQL["descriptions"]))
        for name, description in described.items():
            if description == _COMING:
                await self._capture.ground.drop(await self._capture.ground.find(space, name))

    async def finish(self, tx: SpaceTransaction, manifest: Manifest) -> None:
        """Say of the schemas that they are there."""
        for one in manifest.schemas:
            await tx.execute(_SQL["describe"], name=one.name, description=one.description)
