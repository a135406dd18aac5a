"""Bases of the embedded database: taken, listed, and removed when newer ones are enough."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from quipu.errors import BadInput
from quipu.kernel.base.clock import Clock
from quipu.kernel.config import Settings
from quipu.kernel.db import queries
from quipu.kernel.db.embedded import lifecycle
from quipu.kernel.db.embedded.archive import backups_of, cluster_of, log_of
from quipu.kernel.db.embedded.basebackup import copy_running
from quipu.kernel.db.embedded.binaries import choose_binaries
from quipu.kernel.db.embedded.cluster import ASIDE, data_major
from quipu.kernel.db.embedded.door import Door, enter
from quipu.kernel.db.embedded.faults import file_failure
from quipu.kernel.db.embedded.place import find_place, make_directories, make_place
from quipu.upkeep.backup import shelf
from quipu.upkeep.backup.model import Backups, Base, Progress, Taken
from quipu.upkeep.backup.shelf import superseded, unneeded

_SQL = queries.load("quipu.kernel.db.embedded")
_WATCH_SECONDS: Final = 0.2
_LONGEST: Final = timedelta(days=1)  # that a base may take


def listing(settings: Settings) -> Backups:
    """Return the backups that can be restored. Starts and changes nothing.

    Raises:
        BadInput: the settings name a server, which has its own tools.
        ServerError: a note of a base cannot be read.
    """
    refuse_server(settings)
    place = find_place(settings)
    directory = backups_of(place, settings)
    kept = place.archive_note.exists() and settings.archive is not False
    where = log_of(place, settings, cluster_of(place.data))
    return Backups(
        directory=directory,
        bases=shelf.bases(directory),
        unfinished=shelf.unfinished(directory),
        log=shelf.log(where, kept=kept),
    )


def put_aside(settings: Settings) -> list[str]:
    """Return the directories of data that restores in place put aside, by name."""
    return sorted(path.name for path in find_place(settings).state.glob(f"{ASIDE}*"))


def size_of_all(settings: Settings) -> int:
    """Estimate the size of a base, in bytes."""
    share = lifecycle.join(make_place(settings), settings)
    try:
        return int(_value(share.door, "size_of_all") or 0)
    finally:
        lifecycle.leave(share)


def take(
    settings: Settings, *, clock: Clock, keep: int | None = None, progress: Progress | None = None
) -> Taken:
    """Copy the whole database while others use it; ``keep`` is the number of latest bases that stay.

    Log that no base needs is removed too. This blocks; run it in a thread.

    Raises:
        BadInput: the settings name a server, which has its own tools; or ``keep`` is less than 1.
        ServerError, DiskFull: it could not be taken; nothing of it is left.
    """
    refuse_server(settings)
    if keep is not None and keep < 1:
        raise BadInput("at least 1.", field="keep")
    place = make_place(settings)
    share = lifecycle.join(place, settings)
    try:
        binaries = choose_binaries(settings, place.account, data_major=data_major(place))
        directory = backups_of(place, settings)
        began_at = clock.now()
        folder = directory / f"base-{began_at:%Y%m%dT%H%M%S%f}Z"
        try:
            make_directories(directory, 0o711 if place.account.borrowed else 0o700)
            shelf.sweep(directory, before=began_at - _LONGEST)
            folder.mkdir(mode=0o700)
            with watched(folder, progress):
                copy_running(share.door, binaries, folder / shelf.DATA)
            base = Base(
                name=folder.name,
                began_at=began_at,
                ended_at=clock.now(),
                size_bytes=sum(shelf.sizes(folder)),
                major=binaries.major,
                first_log=shelf.first_log(folder),
            )
            shelf.note(folder, base)
        except OSError as error:
            shelf.remove(folder)
            raise file_failure(error, setting="QUIPU_BACKUP_DIR") from error
        except BaseException:
            shelf.remove(folder)
            raise
        old = superseded(shelf.bases(directory), keep=keep, taken=base.name) if keep is not None else []
        segments = _remove(old, directory, lambda one: log_of(place, settings, one))
        return Taken(
            base=base,
            removed=[one.name for one in old],
            log_segments_removed=segments,
            log_kept=bool(_value(share.door, "keeps_log")),
        )
    finally:
        lifecycle.leave(share)


def _remove(old: Sequence[Base], directory: Path, log: Callable[[str | None], Path]) -> int:
    """Remove bases and the log that only they needed; return the number of segments removed."""

    def log_for(base: Base) -> Path:
        return log(cluster_of(directory / base.name / shelf.DATA))

    logs = {log_for(one) for one in old}
    for one in old:
        shelf.remove(directory / one.name)
    left = shelf.bases(directory)
    return sum(_trimmed(wal, [one for one in left if log_for(one) == wal]) for wal in logs)


def _trimmed(wal: Path, bases: list[Base]) -> int:
    segments = [entry.name for entry in wal.glob("*.gz")]
    # Without a base, all of it is needless: nothing begins with the log of an older version.
    names = unneeded(segments, bases) if bases else segments
    for name in names:
        (wal / name).unlink(missing_ok=True)
    return len(names)


def _value(door: Door, query: str) -> Any:
    with enter(door) as conn:
        row = conn.execute(_SQL[query]).fetchone()
    return None if row is None else row[0]


@contextmanager
def watched(folder: Path, progress: Progress | None) -> Generator[None]:
    """Report during the block how a folder grows that another program writes to."""
    if progress is None:
        yield
        return
    ended = threading.Event()
    reported = 0

    def look() -> None:
        nonlocal reported
        size = sum(shelf.sizes(folder))
        progress(max(0, size - reported))
        reported = max(reported, size)

    def watch() -> None:
        while not ended.wait(_WATCH_SECONDS):
            look()

    watching = threading.Thread(target=watch, name="quipu backup", daemon=True)
    watching.start()
    try:
        yield
    finally:
        ended.set()
        watching.join()
        look()


def refuse_server(settings: Settings) -> None:
    """Check that the settings name no server, because only the embedded database is meant.

    Raises:
        BadInput: they name one.
    """
    if settings.database_url is not None:
        raise BadInput(
            "This is about the embedded database, and a server is named by --url or QUIPU_DATABASE_URL.",
            hint="Use that server's own tools: docs/howto/backup.md has the commands.",
        )
