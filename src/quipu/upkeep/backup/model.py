"""A backup, what there is of them, and what came of a restore."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

Progress = Callable[[int], None]
"""Told how many bytes more are done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """A copy of the whole data directory. The database can be brought back to any moment from ``ended_at`` on
    that the kept log reaches. ``first_log`` is the oldest segment of the log that it needs."""

    name: str
    began_at: datetime
    ended_at: datetime
    size_bytes: int
    major: int
    first_log: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """The kept log. ``kept`` is True while it goes on; its last segment was closed at ``until``."""

    kept: bool
    directory: Path
    segments: int
    size_bytes: int
    until: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Backups:
    """Backups that can be restored: the bases, oldest first, and the log between and after them.

    ``unfinished`` are bases under way, or broken off, by name.
    """

    directory: Path
    bases: Sequence[Base]
    unfinished: Sequence[str]
    log: Log

    @property
    def names(self) -> list[str]:
        """All bases by name, those under way or broken off last."""
        return [*(one.name for one in self.bases), *self.unfinished]


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """A base that was taken, and what was removed because newer ones are kept.

    ``log_kept`` is True if the server keeps its log, so that moments after the base can be restored.
    """

    base: Base
    removed: Sequence[str]
    log_segments_removed: int
    log_kept: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Upgraded:
    """Outcome of moving the data to another version of PostgreSQL, or (``done`` is false) its preview.

    ``needed_bytes`` of the disk are taken meanwhile; ``put_aside`` is the place of the old data.
    """

    done: bool
    data: Path
    from_version: str
    to_version: str
    size_bytes: int
    needed_bytes: int
    free_bytes: int
    tables: int = 0
    rows: int = 0
    put_aside: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PutAside:
    """Data that a restore or an upgrade put aside, of one version of PostgreSQL."""

    path: Path
    major: str
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """Outcome of a restore, or (``done`` is false) its preview.

    ``home`` is the place of the database as it was ``at`` (None: at the end of the log). ``last_change`` is
    the time of its last change, if there was one after the base. ``put_aside`` is the place of the data that
    were there before.
    """

    done: bool
    base: Base
    at: datetime | None
    home: Path
    last_change: datetime | None = None
    put_aside: Path | None = None
