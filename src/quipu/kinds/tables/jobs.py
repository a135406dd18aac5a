"""Jobs of tables, done without being asked for."""

from __future__ import annotations

from quipu.kinds.plug import Context, Schedule


async def _snapshots(context: Context) -> None:
    """Take a snapshot of each schema of a space, and thin out the old ones."""
    # Not at the top: only a worker needs this, and every recall would wait for it.
    from quipu.kinds.tables.keeping import Grounds  # noqa: PLC0415
    from quipu.kinds.tables.logins import Logins  # noqa: PLC0415
    from quipu.upkeep.snapshots.snapshots import AsyncSnapshots  # noqa: PLC0415

    logins = Logins(context.database, statement_seconds=context.settings.statement_seconds or 3600)
    try:
        ground = Grounds(context.database, context.models, logins)
        kept = AsyncSnapshots(context.database, ground, settings=context.settings, clock=context.clock)
        await kept.scheduled(space=context.space)
    finally:
        await logins.aclose()


SNAPSHOTS = Schedule(name="snapshots", cron="0 * * * *", each_space=True, handler=_snapshots)
