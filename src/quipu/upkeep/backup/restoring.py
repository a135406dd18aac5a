"""Bringing the embedded database back as it was at a moment: in another home, or in place."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from quipu.errors import BadInput, Conflict, ServerError
from quipu.kernel.base.clock import Clock
from quipu.kernel.config import Settings
from quipu.kernel.db.embedded import lifecycle, recovery
from quipu.kernel.db.embedded.basebackup import verify
from quipu.kernel.db.embedded.binaries import Binaries, choose_binaries
from quipu.kernel.db.embedded.cluster import ASIDE, RESTORED, data_major
from quipu.kernel.db.embedded.locate import find_place, make_place
from quipu.kernel.db.embedded.place import Place
from quipu.kernel.db.embedded.timelines import Timeline, timeline_of
from quipu.upkeep.backup import shelf
from quipu.upkeep.backup.model import Backups, Progress, Restored
from quipu.upkeep.backup.rules import chosen, on_timeline
from quipu.upkeep.backup.taking import listing


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

    ``into`` is a home that has no database yet; without it, it is done in place, and what was there is put
    aside beside it. What is restored is made whole apart from all others and takes its place last, so a
    failure leaves everything as it was. Without ``confirm`` it is only looked at. It blocks; run it in a
    thread.

    Raises:
        NotFound: there is no base.
        BadInput: the moment is not within what can be restored.
        Conflict: there is a database in ``into``.
        ServerError, DiskFull: it could not be restored, such as in place while others use it; nothing was
            changed.
    """
    found = listing(settings)
    timeline = _timeline(find_place(settings), settings, found)
    ends = {one.name: shelf.end(found.directory / one.name) for one in found.bases}
    base = chosen(on_timeline(found.bases, ends, timeline), at, now=clock.now())
    home = settings.home.expanduser().absolute() if into is None else into.expanduser().absolute()
    plan = Restored(done=False, base=base, at=at, home=home)
    if into is not None and (home / "postgres" / "data").exists():
        raise Conflict(f"There is a database in {home}.", field="into", hint="Name another directory.")
    if not confirm:
        return plan
    source = make_place(settings)
    binaries = choose_binaries(settings, source.account, data_major=base.major)
    verify(binaries, found.directory / base.name / shelf.DATA)
    _flush(source, settings, found)
    log = _Log(found, timeline.number, source.data / "pg_wal")
    if into is not None:
        return _elsewhere(plan, log, binaries, replace(settings, home=home), progress)
    return _in_place(plan, log, binaries, settings, source, clock, progress)


@dataclass(frozen=True, slots=True)
class _Log:
    """The backups, the timeline of the log that is followed, and the log of the data that are there."""

    backups: Backups
    timeline: int
    left: Path


def _elsewhere(
    plan: Restored, log: _Log, binaries: Binaries, settings: Settings, progress: Progress | None
) -> Restored:
    target = make_place(settings)
    with lifecycle.turn(target):
        scratch = _scratch(target)
        try:
            last = _replayed(plan, log, binaries, settings, scratch, progress, keeps_log=False)
            scratch.data.rename(target.data)
        finally:
            shutil.rmtree(scratch.state, ignore_errors=True)
    return replace(plan, done=True, last_change=last)


def _in_place(
    plan: Restored,
    log: _Log,
    binaries: Binaries,
    settings: Settings,
    source: Place,
    clock: Clock,
    progress: Progress | None,
) -> Restored:
    lifecycle.stop(source, force=False)
    with lifecycle.unused(source):
        scratch = _scratch(source)
        try:
            keeps_log = log.backups.log.kept
            last = _replayed(plan, log, binaries, settings, scratch, progress, keeps_log=keeps_log)
            aside = source.state / f"{ASIDE}{clock.now():%Y%m%dT%H%M%S}Z"
            restored = source.state / RESTORED
            scratch.data.rename(restored)  # cut off from here on, the next start finishes it
            if source.data.exists():
                source.data.rename(aside)
            restored.rename(source.data)
        finally:
            shutil.rmtree(scratch.state, ignore_errors=True)
    return replace(plan, done=True, last_change=last, put_aside=aside if aside.exists() else None)


def _replayed(
    plan: Restored,
    log: _Log,
    binaries: Binaries,
    settings: Settings,
    scratch: Place,
    progress: Progress | None,
    *,
    keeps_log: bool,
) -> datetime | None:
    found = log.backups
    shelf.copy(found.directory / plan.base.name / shelf.DATA, scratch.data, progress=progress)
    try:
        return recovery.replay(
            scratch,
            binaries,
            settings,
            at=plan.at,
            wal=found.log.directory,
            left=log.left,
            timeline=log.timeline,
            keeps_log=keeps_log,
        )
    except ServerError as error:
        if recovery.NOT_REACHED not in str(error):
            raise
        raise BadInput(
            "the log that is kept does not reach that moment.",
            field="at",
            hint=f"Leave --at out to restore as far as it reaches. {_reach(found)}",
        ) from error


def _reach(found: Backups) -> str:
    if found.log.until is None:
        return "No log is kept: QUIPU_ARCHIVE=true begins it."
    return f"Its last part was closed at {found.log.until:%Y-%m-%d %H:%M:%S} UTC."


def _timeline(source: Place, settings: Settings, found: Backups) -> Timeline:
    """The timeline of the data that are there, or that a restore which was cut off made whole."""
    places = (source.data, source.state / RESTORED)
    data = next((one for one in places if one.exists()), None)
    binaries = choose_binaries(settings, source.account, data_major=data_major(source))
    return timeline_of(data, wal=found.log.directory, binaries=binaries, account=source.account)


def _flush(source: Place, settings: Settings, found: Backups) -> None:
    """What was committed until now goes to the archive, where the data are there and their log is kept."""
    with lifecycle.turn(source):
        lifecycle.settle(source)
    if not found.log.kept or data_major(source) is None:
        return
    share = lifecycle.join(source, settings)
    try:
        recovery.flush(share.door)
    finally:
        lifecycle.leave(share)


def _scratch(place: Place) -> Place:
    """A place of its own beside the data, empty."""
    lifecycle.settle(place)
    scratch = lifecycle.scratch_of(place)
    scratch.state.mkdir()
    scratch.state.chmod(0o711 if place.account.borrowed else 0o700)
    return scratch
