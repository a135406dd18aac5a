"""Tables as a kind: everything that they register with the system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.plug import Context, Kind, Parts, Schedule
from quipu.kinds.tables.embedding import store
from quipu.kinds.tables.embedding.follow import TOPIC, catch_up, embed
from quipu.kinds.tables.embedding.indexing import TABLES as CODE
from quipu.kinds.tables.eraser import TablesEraser
from quipu.kinds.tables.settings import SETTINGS
from quipu.recall.model import Cited, Source
from quipu.recall.question import Question


async def _snapshots(context: Context) -> None:
    """Take a snapshot of each schema of a space, and thin out the old ones."""
    # Not at the top: only a worker needs this, and every recall would wait for it.
    from quipu.kinds.tables.logins import Logins  # noqa: PLC0415
    from quipu.kinds.tables.snapshot_source import SnapshotSource  # noqa: PLC0415
    from quipu.upkeep.snapshots.snapshots import ScheduledSnapshots  # noqa: PLC0415

    logins = Logins(context.database, statement_seconds=context.settings.statement_seconds or 3600)
    try:
        ground = SnapshotSource(context.database, context.models, logins)
        kept = ScheduledSnapshots(context.database, ground, settings=context.settings, clock=context.clock)
        await kept.take(space=context.space)
    finally:
        await logins.aclose()


SNAPSHOTS = Schedule(name="snapshots", cron="0 * * * *", each_space=True, handler=_snapshots)


async def cite(tx: SpaceTransaction, ids: Sequence[int]) -> dict[int, Cited]:
    """Return the texts of entries, by id; rows that changed and were not followed yet are left out.

    The source names the primary key of the row as its message (a JSON array where it has several columns),
    and ``schema.table.field`` as the role. The text is that of the field, or of the part that was found.
    """
    return {
        entry: Cited(
            text=text, happened_at=happened, recorded_at=recorded, source=Source(key, None, role=place)
        )
        for entry, text, happened, recorded, key, place in await store.cited(tx, ids)
    }


async def weigh(
    tx: SpaceTransaction, _question: Question, _now: datetime, ids: Sequence[int]
) -> Mapping[int, Parts | None]:
    """Return None for entries that must not come back: their row changed, or it is gone."""
    if not ids:
        return {}
    stand = {row[0] for row in await store.cited(tx, ids)}
    return {one: None for one in ids if one not in stand}


TABLES = Kind(
    name="tables",
    code=CODE,
    package="quipu.kinds.tables",
    cite=cite,
    weigh=weigh,
    eraser=TablesEraser(),
    catch_up=catch_up,
    handlers={TOPIC: embed},
    job_seconds={TOPIC: 3600},
    schedules=(SNAPSHOTS,),
    settings=SETTINGS,
)
