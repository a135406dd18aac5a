"""The upgrade of the embedded database to the version of PostgreSQL that is installed."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from quipu.errors import DiskFull, NotFound, ServerError
from quipu.kernel.base.clock import Clock
from quipu.kernel.config import Settings
from quipu.kernel.db import queries
from quipu.kernel.db.embedded import cluster, lifecycle, postmaster, recovery
from quipu.kernel.db.embedded.basebackup import LONGEST_SECONDS
from quipu.kernel.db.embedded.binaries import Binaries, choose_binaries, old_binaries
from quipu.kernel.db.embedded.cluster import most_memory_mb
from quipu.kernel.db.embedded.door import DATABASE, Door, enter
from quipu.kernel.db.embedded.place import ClusterPlace, find_place, give, make_place
from quipu.kernel.db.embedded.server import size_of
from quipu.kernel.db.embedded.transfer import Counts, Side, transfer
from quipu.upkeep.backup.bases import refuse_server, watched
from quipu.upkeep.backup.model import Progress, PutAside, Upgraded
from quipu.upkeep.maintenance import statement

_SQL = queries.load("quipu.upkeep")
_OWN_SETTINGS = "postgresql.auto.conf"


def upgrade(
    settings: Settings,
    *,
    clock: Clock,
    old_programs: Path | None = None,
    confirm: bool = False,
    progress: Progress | None = None,
) -> Upgraded | None:
    """Rewrite all data for the PostgreSQL that is installed; None where they are of its version already.

    The old data are read by programs of their version: ``old_programs``, else those found on this machine.
    The new data are completed elsewhere and take their place last; the old data are put aside. If it breaks
    off before, nothing has changed, and the same call begins again. Without ``confirm`` it is a preview. It
    blocks; run it in a thread.

    Raises:
        BadInput: the settings name a server.
        NotFound: there is no database yet.
        ServerError, DiskFull: it cannot be done, and why; nothing was changed.
    """
    refuse_server(settings)
    place = make_place(settings)
    with lifecycle.turn(place):
        if not place.data.exists():
            lifecycle.settle(place)
    major = cluster.data_major(place)
    if major is None:
        raise NotFound(f"There is no database in {place.home}.")
    new = choose_binaries(settings, place.account, data_major=None)
    if new.major == major:
        return None
    if new.major < major:
        raise ServerError(
            f"The data is of PostgreSQL {major}, the programs here are {new.version}: there is no way back.",
            hint=f"Install programs of PostgreSQL {major} or newer, or name them in QUIPU_PG_BIN.",
        )
    old = old_binaries(settings, place.account, major=major, named=old_programs)
    size = size_of(place.data)
    plan = Upgraded(
        done=False,
        data=place.data,
        from_version=old.version,
        to_version=new.version,
        size_bytes=size,
        needed_bytes=2 * size,  # the data again, and what is written out in between
        free_bytes=shutil.disk_usage(place.state).free,
    )
    if not confirm:
        return plan
    if plan.free_bytes < plan.needed_bytes:
        raise DiskFull(
            f"The upgrade needs {plan.needed_bytes / 1e9:.1f} GB beside {place.data}, and"
            f" {plan.free_bytes / 1e9:.1f} GB are free.",
            hint="Make room; nothing was changed.",
        )
    lifecycle.stop(place, force=False)
    with lifecycle.unused(place), lifecycle.scratch(place) as scratch:
        counts = write_anew(place, old, scratch, new, settings, progress=progress)
        aside = lifecycle.put_aside(place, scratch, at=clock.now())
    return replace(plan, done=True, tables=len(counts), rows=sum(counts.values()), put_aside=aside)


def write_anew(
    place: ClusterPlace,
    old: Binaries,
    scratch: ClusterPlace,
    new: Binaries,
    settings: Settings,
    *,
    progress: Progress | None = None,
) -> Counts:
    """Make in ``scratch`` a data directory of ``new`` with all that ``place`` has; its rows by table.

    Both servers have stopped when it returns. The caller sees to it that nobody uses either.
    """
    lifecycle.configure(place, settings, old.major, archive=lifecycle.keeping(place, settings))
    try:
        source = postmaster.launch(place, old)
        if place.password_file.exists():
            shutil.copy2(place.password_file, scratch.password_file)
        cluster.create_cluster(scratch, new)
        own = scratch.data / _OWN_SETTINGS
        shutil.copyfile(place.data / _OWN_SETTINGS, own)
        give(own, place.account)
        lifecycle.configure(scratch, settings, new.major, archive=None)
        try:
            target = postmaster.launch(scratch, new, most_memory_mb=most_memory_mb(settings))
            with watched(scratch.data, progress):
                counts = transfer(Side(source, old), Side(target, new), scratch.state)
            _tidy(target)
        finally:
            lifecycle.put_down(scratch)
        recovery.flush(source)  # so that every moment until now can be restored, by the old programs
    finally:
        lifecycle.put_down(place)
    return counts


def put_aside(settings: Settings) -> list[PutAside]:
    """Return the data that restores and upgrades put aside, oldest first."""
    refuse_server(settings)
    paths = sorted(find_place(settings).state.glob(f"{cluster.ASIDE}*"))
    return [
        PutAside(path=path, major=(path / "PG_VERSION").read_text("utf-8").strip(), size_bytes=size_of(path))
        for path in paths
    ]


def remove_put_aside(settings: Settings) -> list[PutAside]:
    """Remove the data that restores and upgrades put aside, and return what was removed.

    Raises:
        ServerError: the data that took their place are not there.
    """
    place = make_place(settings)
    with lifecycle.turn(place):
        if not place.data.exists():
            raise ServerError(f"{place.data} is not there, so nothing was removed.")
        removed = put_aside(settings)
        for one in removed:
            shutil.rmtree(one.path)
    return removed


def _tidy(door: Door) -> None:
    """Give the planner its statistics and recall its indexes alone, as they had them before."""
    with enter(door, DATABASE, answer_seconds=LONGEST_SECONDS) as conn:
        for name in conn.execute(_SQL["searched"]).fetchall():  # none where it was never migrated
            conn.execute(statement("vacuum", name))
