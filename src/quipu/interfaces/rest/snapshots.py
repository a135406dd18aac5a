"""Snapshots of agents' schemas: taken, listed, thinned out, put back, deleted."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from pydantic import Field

from quipu.interfaces.rest.asking import Acting
from quipu.interfaces.rest.door import Administering, Reading, refused, room
from quipu.interfaces.rest.models import Asked
from quipu.interfaces.rest.showing import shown_first
from quipu.interfaces.rest.told.items import Confirmable, Items
from quipu.interfaces.rest.told.snapshots import RestoredTold, SnapshotTold, ThinnedTold
from quipu.upkeep.snapshots.model import Restored, Snapshot, Thinned

router = room("snapshots")

_CHANGED = refused(_404="There is no such snapshot.", _412="What would be done is no longer what was shown.")
_Name = Annotated[str, Field(max_length=512, examples=["memory_20260504_100000.sql"])]
_Schema = Annotated[str, Field(description="Its short name.", examples=["memory"])]


class Taken(Asked):
    """Schema of which a snapshot is taken."""

    schema_: Annotated[_Schema, Field(alias="schema")] = "memory"


@router.post(
    "", status_code=201, summary="Take a snapshot", responses=refused(_404="There is no such schema.")
)
async def create(asked: Taken, here: Administering) -> SnapshotTold:
    """Keep the schema as it is now, until the retention is over."""
    return SnapshotTold.of(await here.memory.snapshots.create(space=here.space, schema=asked.schema_))


@router.get("", summary="Snapshots, the newest first")
async def listing(
    here: Reading,
    schema: Annotated[str | None, Query(description="Only of this schema.", examples=["memory"])] = None,
) -> Items[SnapshotTold]:
    """Return the snapshots with the tier that keeps each; those of dropped schemas are among them."""
    found = await here.memory.snapshots.list(space=here.space, schema=schema)
    return Items(items=[SnapshotTold.of(one) for one in found])


class Thinning(Acting):
    """Of which schema; null: of all."""

    schema_: Annotated[_Schema | None, Field(alias="schema")] = None


@router.post("/prune", summary="Thin snapshots out", responses=_CHANGED)
async def prune(asked: Thinning, here: Administering) -> Confirmable[ThinnedTold]:
    """Return a preview with a token first; with that token, delete the snapshots that no tier keeps."""

    async def do(confirm: bool) -> Thinned:
        return await here.memory.snapshots.prune(space=here.space, schema=asked.schema_, dry_run=not confirm)

    return await shown_first(
        "thin out",
        asked.confirm,
        do,
        tell=ThinnedTold.model_validate,
        counts=lambda found: {"space": here.space, "deleted": sorted(found.deleted)},
    )


class SnapshotNamed(Acting):
    """Snapshot that is meant."""

    name: _Name


@router.post("/delete", summary="Delete a snapshot", responses=_CHANGED)
async def delete(asked: SnapshotNamed, here: Administering) -> Confirmable[SnapshotTold]:
    """Return what it holds first, with a token; with that token, delete it for good."""

    async def do(confirm: bool) -> Snapshot:
        act = here.memory.snapshots.delete if confirm else here.memory.snapshots.find
        return await act(asked.name, space=here.space)

    return await shown_first(
        "delete snapshot",
        asked.confirm,
        do,
        tell=SnapshotTold.of,
        counts=lambda found: {"space": here.space, "name": found.name, "sha256": found.sha256},
    )


@router.post(
    "/restore",
    summary="Restore a snapshot",
    responses=refused(
        _404="There is no such snapshot.",
        _409="The schema is in use.",
        _412="What would be done is no longer what was shown.",
    ),
)
async def restore(asked: SnapshotNamed, here: Administering) -> Confirmable[RestoredTold]:
    """Return what would change first, with a token; with that token, replace what the schema holds.

    A snapshot of what is there now is taken first: restoring `undo` takes it back.
    """

    async def do(confirm: bool) -> Restored:
        return await here.memory.snapshots.restore(asked.name, space=here.space, confirm=confirm)

    return await shown_first(
        "restore",
        asked.confirm,
        do,
        tell=RestoredTold.model_validate,
        counts=lambda found: {
            "space": here.space,
            "name": asked.name,
            "before": dict(found.before),
            "after": dict(found.after),
        },
    )
