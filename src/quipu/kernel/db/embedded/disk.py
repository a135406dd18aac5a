"""The room on the disks that the embedded database writes to, and when it becomes too little.

What is warned of grows with the database: a base, a restore or a new set of vectors takes as much again.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from quipu.errors import ConfigError, ServerError
from quipu.kernel.config import Settings
from quipu.kernel.db.embedded.archive import backups_of
from quipu.kernel.db.embedded.faults import Verdict
from quipu.kernel.db.embedded.place import ClusterPlace, find_place

_FULL_BYTES: Final = 100_000_000
_LOG_BYTES: Final = 1_000_000_000  # the write-ahead log alone may take as much
_SHARED_MEMORY: Final = Path("/dev/shm")
_SHARED_BYTES: Final = 16_000_000


@dataclass(frozen=True, slots=True)
class Room:
    """Free disk space for one purpose.

    Below ``wanted_bytes`` it is a warning; below ``full_bytes`` it is too little to go on, and ``why`` says
    what stops then.
    """

    purpose: str
    where: Path
    free_bytes: int
    wanted_bytes: int
    full_bytes: int
    why: str

    @property
    def state(self) -> Verdict:
        """Verdict on the free space: ok, warn or fail."""
        if self.free_bytes < self.full_bytes:
            return "fail"
        return "warn" if self.free_bytes < self.wanted_bytes else "ok"

    @property
    def detail(self) -> str:
        """Free space and its place, in words."""
        return f"{self.free_bytes / 1e9:.1f} GB free for {self.purpose} in {self.where}"


def rooms(place: ClusterPlace, settings: Settings, *, size_bytes: int) -> Iterator[Room]:
    """Yield the disk space for the data, the archive of the log, backups, snapshots and shared memory.

    ``size_bytes`` is the size of the database.
    """
    yield _room(
        *("data", place.state, max(_LOG_BYTES, size_bytes // 4), _FULL_BYTES),
        "PostgreSQL stops when it cannot write its log.",
    )
    if place.archive_note.exists():
        archive = Path(place.archive_note.read_text("utf-8").rstrip("\n"))
        yield _room(
            *("the archive of the log", archive, max(_LOG_BYTES, size_bytes // 4), _FULL_BYTES),
            "What cannot be archived stays beside the data and fills their disk.",
        )
    backups = backups_of(place, settings)
    if backups.exists():
        yield _room("backups", backups, size_bytes, 0, "A base takes as much as the database.")
    snapshots = settings.snapshot_directory or place.home / "snapshots"
    if snapshots.exists():
        yield _room("snapshots", snapshots, _LOG_BYTES, _FULL_BYTES, "No snapshot can be taken without room.")
    if _SHARED_MEMORY.exists():
        yield _room(
            *("shared memory", _SHARED_MEMORY, 4 * _SHARED_BYTES, _SHARED_BYTES),
            "PostgreSQL cannot start without some.",
        )


def short_of_room(settings: Settings, *, size_bytes: int) -> list[Room]:
    """Return the places short of disk space; none for a remote server, whose disks we do not see."""
    if settings.database_url is not None:
        return []
    try:
        place = find_place(settings)
    except (ConfigError, ServerError):
        return []
    return [room for room in rooms(place, settings, size_bytes=size_bytes) if room.state != "ok"]


def _room(purpose: str, where: Path, wanted_bytes: int, full_bytes: int, why: str) -> Room:
    there = next(path for path in (where, *where.parents) if path.exists())
    return Room(purpose, there, shutil.disk_usage(there).free, wanted_bytes, full_bytes, why)
