"""The restore of the embedded database as it was at a moment: in another home, or in place."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from quipu.errors import BadInput, Conflict, ServerError
from quipu.kernel.base.clock import Clock
from quipu.kernel.config import Settings
from quipu.kernel.db.embedded import lifecycle, recovery
from quipu.kernel.db.embedded.archive import Timeline, cluster_of, log_of, timeline_of
from quipu.kernel.db.embedded.basebackup import verify
from quipu.kernel.db.embedded.binaries import Binaries, choose_binaries
from quipu.kernel.db.embedded.cluster import RESTORED, data_major
from quipu.kernel.db.embedded.place import ClusterPlace, find_place, make_place
from quipu.upkeep.backup import shelf
from quipu.upkeep.backup.bases import listing
from quipu.upkeep.backup.model import Backups, Progress, Restored
from quipu.upkeep.backup.shelf import chosen, on_timeline


def restore(
    settings: Settings,
    *,
    at: datetime | None,
    clock: Clock,
    into: Path | None = None,
    confirm: bool = False,
    progress: Progress | None = None,
) -> Restored:
    """Bring the database back as it was ``at``, or as of the end of the log.

    ``into`` is a home that has no database yet. Without it the restore is done in place, and the present data
    are put aside. The restored data are completed elsewhere and take their place last, so a failure changes
    nothing. Without ``confirm`` it is a preview. It blocks; run it in a thread.

    Raises:
        NotFound: there is no base.
        BadInput: the moment is not within what can be restored.
        Conflict: there is a database in ``into``.
        ServerError, DiskFull: it could not be restored, for example in place while others use it; nothing was
            changed.
    """
    backups = listing(settings)
    clusters = {one.name: cluster_of(backups.directory / one.name / shelf.DATA) for one in backups.bases}
    logs = {one: _log(find_place(settings), settings, backups, one) for one in set(clusters.values())}
    ends = {one.name: shelf.end(backups.directory / one.name) for one in backups.bases}
    followed = [one for one in backups.bases if on_timeline([one], ends, logs[clusters[one.name]].timeline)]
    base = chosen(followed, at, now=clock.now())
    home = settings.home.expanduser().absolute() if into is None else into.expanduser().absolute()
    plan = Restored(done=False, base=base, at=at, home=home)
    if into is not None and (home / "postgres" / "data").exists():
        raise Conflict(f"There is a database in {home}.", field="into", hint="Name another directory.")
    if not confirm:
        return plan
    source = make_place(settings)
    binaries = choose_binaries(settings, source.account, data_major=base.major)
    verify(binaries, backups.directory / base.name / shelf.DATA)
    _flush(source, settings, backups)
    log = logs[clusters[base.name]]
    if into is not None:
        return _elsewhere(plan, log, binaries, replace(settings, home=home), progress)
    return _in_place(plan, log, binaries, settings, source, clock, progress)


@dataclass(frozen=True, slots=True)
class _Log:
    """The backups, and of the cluster of a base: its kept log, the timeline in it that is followed, and the
    log of the data that are there, if they are of that cluster."""

    backups: Backups
    directory: Path
    timeline: Timeline
    left: Path | None


def _elsewhere(
    plan: Restored, log: _Log, binaries: Binaries, settings: Settings, progress: Progress | None
) -> Restored:
    target = make_place(settings)
    with lifecycle.turn(target), lifecycle.scratch(target) as scratch:
        last = _replayed(plan, log, binaries, settings, scratch, progress, keeps_log=False)
        scratch.data.rename(target.data)
    return replace(plan, done=True, last_change=last)


def _in_place(
    plan: Restored,
    log: _Log,
    binaries: Binaries,
    settings: Settings,
    source: ClusterPlace,
    clock: Clock,
    progress: Progress | None,
) -> Restored:
    lifecycle.stop(source, force=False)
    with lifecycle.unused(source), lifecycle.scratch(source) as scratch:
        keeps_log = log.backups.log.kept
        last = _replayed(plan, log, binaries, settings, scratch, progress, keeps_log=keeps_log)
        aside = lifecycle.put_aside(source, scratch, at=clock.now())
    return replace(plan, done=True, last_change=last, put_aside=aside)


def _replayed(
    plan: Restored,
    log: _Log,
    binaries: Binaries,
    settings: Settings,
    scratch: ClusterPlace,
    progress: Progress | None,
    *,
    keeps_log: bool,
) -> datetime | None:
    shelf.copy(log.backups.directory / plan.base.name / shelf.DATA, scratch.data, progress=progress)
    try:
        return recovery.replay(
            scratch,
            binaries,
            settings,
            at=plan.at,
            wal=log.directory,
            left=log.left,
            timeline=log.timeline.number,
            keeps_log=keeps_log,
        )
    except ServerError as error:
        if recovery.NOT_REACHED not in str(error):
            raise
        raise BadInput(
            "the log that is kept does not reach that moment.",
            field="at",
            hint=f"Leave --at out to restore as far as it reaches. {_reach(log.backups)}",
        ) from error


def _reach(backups: Backups) -> str:
    if backups.log.until is None:
        return "No log is kept: QUIPU_ARCHIVE=true begins it."
    return f"Its last part was closed at {backups.log.until:%Y-%m-%d %H:%M:%S} UTC."


def _log(source: ClusterPlace, settings: Settings, backups: Backups, cluster: str | None) -> _Log:
    """Return the log of a cluster, on the right timeline.

    That is the timeline of the existing data, or of those that an interrupted restore completed, if they
    belong to this cluster; else its newest.
    """
    directory = log_of(source, settings, cluster)
    places = (source.data, source.state / RESTORED)
    data = next((one for one in places if one.exists()), None)
    if data is not None and cluster_of(data) != cluster:
        data = None
    binaries = choose_binaries(settings, source.account, data_major=data_major(source))
    timeline = timeline_of(data, wal=directory, binaries=binaries, account=source.account)
    return _Log(backups, directory, timeline, None if data is None else source.data / "pg_wal")


def _flush(source: ClusterPlace, settings: Settings, backups: Backups) -> None:
    """Send what was committed until now to the archive, if there are data and their log is kept."""
    with lifecycle.turn(source):
        lifecycle.settle(source)
    if not backups.log.kept or data_major(source) is None:
        return
    share = lifecycle.join(source, settings)
    try:
        recovery.flush(share.door)
    finally:
        lifecycle.leave(share)
