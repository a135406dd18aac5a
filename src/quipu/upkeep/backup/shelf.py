"""The directory of backups: each base in a folder of its own with a note, the log in ``wal``.

At the end the rules: which base a restore begins with, and what newer bases make needless.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from quipu.errors import BadInput, NotFound, ServerError
from quipu.kernel.db.embedded.archive import Timeline, place_of
from quipu.upkeep.backup.model import Base, Log, Progress

DATA: Final = "data"
_NOTE: Final = "base.json"
_START = re.compile(r"START WAL LOCATION: \S+ \(file ([0-9A-F]{24})\)")


def bases(directory: Path) -> list[Base]:
    """Return the bases that are whole, oldest first: a base gets its note last."""
    return sorted(map(_read, directory.glob(f"base-*/{_NOTE}")), key=lambda one: one.ended_at)


def unfinished(directory: Path) -> list[str]:
    """Return the names of bases that are not whole: under way, or broken off."""
    return sorted(one.name for one in directory.glob("base-*") if one.is_dir() and not (one / _NOTE).exists())


def log(directory: Path, *, kept: bool) -> Log:
    """Return the kept log."""
    files = [entry for entry in directory.glob("*.gz") if entry.is_file()] if directory.exists() else []
    stats = [entry.stat() for entry in files]
    return Log(
        kept=kept,
        directory=directory,
        segments=len(files),
        size_bytes=sum(one.st_size for one in stats),
        until=datetime.fromtimestamp(max(one.st_mtime for one in stats), UTC) if stats else None,
    )


def note(folder: Path, base: Base) -> None:
    """Mark a base as whole."""
    values = {**asdict(base), "began_at": base.began_at.isoformat(), "ended_at": base.ended_at.isoformat()}
    unborn = folder / f"{_NOTE}.part"
    unborn.write_text(json.dumps(values, indent=2) + "\n", "utf-8")
    unborn.replace(folder / _NOTE)


def first_log(folder: Path) -> str:
    """Return the oldest segment of the log that the base in a folder needs."""
    start = _START.search((folder / DATA / "backup_label").read_text("utf-8"))
    if start is None:
        raise ServerError(f"{folder} does not say with which part of the log it begins.")
    return start[1]


def end(folder: Path) -> tuple[int, int]:
    """Return the timeline on which the base in a folder was whole, and the place in its log."""
    manifest = folder / DATA / "backup_manifest"
    try:
        last = json.loads(manifest.read_bytes())["WAL-Ranges"][-1]
        return int(last["Timeline"]), place_of(last["End-LSN"])
    except (OSError, ValueError, LookupError) as error:
        raise ServerError(
            f"{manifest} cannot be read: {error}", hint="Take the folder of this base away."
        ) from error


def remove(folder: Path) -> None:
    """Remove a base, its note first, so that what is left after a break is not taken for a base."""
    (folder / _NOTE).unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)


def sweep(directory: Path, *, before: datetime) -> None:
    """Remove the folders of bases that were never finished and that nobody wrote in since ``before``."""
    for name in unfinished(directory):
        folder = directory / name
        if _written(folder) < before.timestamp():
            shutil.rmtree(folder, ignore_errors=True)


def _written(folder: Path) -> float:
    """Return the time of the last write in a folder, in seconds since 1970."""
    return max(os.lstat(parent).st_mtime for parent, _, _ in os.walk(folder))


def copy(source: Path, target: Path, *, progress: Progress | None) -> None:
    """Copy a data directory, with its empty folders."""

    def copied(one: str, other: str) -> str:
        shutil.copy2(one, other)
        if progress is not None:
            progress(os.stat(one).st_size)
        return other

    shutil.copytree(source, target, symlinks=True, copy_function=copied)
    target.chmod(0o700)


def sizes(directory: Path) -> Iterator[int]:
    """Yield the size of each file below a directory, in bytes; files that vanish meanwhile are left out."""
    for parent, _, names in os.walk(directory):
        for name in names:
            try:
                yield os.lstat(os.path.join(parent, name)).st_size
            except OSError:
                continue


def _read(note: Path) -> Base:
    try:
        values = json.loads(note.read_text("utf-8"))
        return Base(
            name=note.parent.name,
            began_at=datetime.fromisoformat(values["began_at"]),
            ended_at=datetime.fromisoformat(values["ended_at"]),
            size_bytes=int(values["size_bytes"]),
            major=int(values["major"]),
            first_log=str(values["first_log"]),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ServerError(
            f"{note} cannot be read: {error}", hint="Take its folder away, or bring the file back."
        ) from error


def chosen(bases: Sequence[Base], at: datetime | None, *, now: datetime) -> Base:
    """Return the latest base that was whole at a moment; the latest of all if none is named.

    Raises:
        NotFound: there is no base.
        BadInput: the moment is before all of them, or is yet to come.
    """
    if not bases:
        raise NotFound("There is no base to begin with.", hint="Take one: quipu backup base")
    if at is None:
        return max(bases, key=lambda one: one.ended_at)
    if at > now:
        raise BadInput(f"{at:%Y-%m-%d %H:%M:%S} UTC is yet to come.", field="at")
    before = [one for one in bases if one.ended_at <= at]
    if not before:
        first = min(one.ended_at for one in bases)
        raise BadInput(
            f"{at:%Y-%m-%d %H:%M:%S} UTC is before the first base.",
            field="at",
            hint=f"The first moment that can be restored is {first.isoformat()}.",
        )
    return max(before, key=lambda one: one.ended_at)


def on_timeline(bases: Iterable[Base], ends: Mapping[str, tuple[int, int]], timeline: Timeline) -> list[Base]:
    """Return the bases that a timeline goes back to.

    ``ends`` has for each base, by name, the timeline and the place in its log at which it was whole.
    """
    return [one for one in bases if timeline.passes(*ends[one.name])]


def superseded(bases: Sequence[Base], *, keep: int, taken: str) -> list[Base]:
    """Return the bases that may go where the latest ``keep`` stay, oldest first.

    ``taken`` names the one that was taken just now: it is the latest, whatever the clock says.
    """
    ordered = sorted(bases, key=lambda one: (one.name == taken, one.ended_at))
    return ordered[:-keep]


def unneeded(segments: Iterable[str], bases: Iterable[Base]) -> list[str]:
    """Return files of the log that no base needs: those before the oldest segment of the oldest base.

    A segment is named by timeline, then place: eight and sixteen digits. Files of the history of timelines
    stay: they are small, and later segments cannot be read without them.
    """
    oldest = min((one.first_log[8:24] for one in bases), default="")
    return sorted(name for name in segments if len(name.split(".")[0]) == 24 and name[8:24] < oldest)
