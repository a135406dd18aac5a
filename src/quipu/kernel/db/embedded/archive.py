"""The archive of the write-ahead log: whether it is kept, where, its commands, and its timelines.

Each segment of 16 MB is one compressed file, which is whole when it has its name. Most are nearly empty:
PostgreSQL closes one every five minutes in which something was written, and whenever it stops.

Each restore in place begins a timeline, which goes on from a place in an older one. PostgreSQL by itself
follows the newest timeline that the archive knows, which need not be that of the data.
"""

from __future__ import annotations

import gzip
import re
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from quipu.errors import ServerError
from quipu.kernel.config import Settings
from quipu.kernel.db.embedded.binaries import Binaries
from quipu.kernel.db.embedded.place import ClusterPlace, first_closed, make_directories, make_private
from quipu.kernel.db.embedded.process import Account, run

_BROKEN: Final = 200
_OF_CONTROL = re.compile(r"(?:TimeLineID|Min recovery ending loc's timeline):\s*(\d+)")
_FORK = re.compile(r"^\s*(\d+)\s+([0-9A-F]+)/([0-9A-F]+)", re.MULTILINE)
_HISTORY = ".history"


def backups_of(place: ClusterPlace, settings: Settings) -> Path:
    """Return the directory of backups: that of the settings, else the one beside the data."""
    if settings.backup_dir is None:
        return place.state / "backups"
    return settings.backup_dir.expanduser().absolute()


def archive_of(place: ClusterPlace, settings: Settings) -> Path | None:
    """Return the directory where the server is to keep its log (WAL), or None if it is not to.

    Once started, the log is kept by whoever starts the server: a gap would make every later part useless for
    the backups before it. Only the setting begins it (true) and ends it (false).

    Raises:
        ServerError: the directory cannot be used by the account that runs the server.
    """
    if settings.archive is False:
        place.archive_note.unlink(missing_ok=True)
    elif settings.archive and not place.archive_note.exists():
        directory = backups_of(place, settings) / "wal"
        _prepare(directory, place.account)
        place.archive_note.write_text(f"{directory}\n", "utf-8")
    if not place.archive_note.exists():
        return None
    cluster = cluster_of(place.data)
    directory = log_of(place, settings, cluster)
    _prepare(directory, place.account)
    if cluster is not None and not directory.name.endswith(cluster):
        _owner_note(directory).write_text(f"{cluster}\n", "utf-8")
    return directory


def log_of(place: ClusterPlace, settings: Settings, cluster: str | None) -> Path:
    """Return the directory of a cluster's log, whether it is there yet or not.

    Data that an upgrade rewrote are another cluster, whose segments have the names of the old one's. So
    each has a directory of its own, and no base is replayed with the log of another cluster.
    """
    if place.archive_note.exists():
        directory = Path(place.archive_note.read_text("utf-8").rstrip("\n"))
    else:
        directory = backups_of(place, settings) / "wal"
    note = _owner_note(directory)
    if cluster is None or not note.exists() or note.read_text("utf-8").strip() == cluster:
        return directory
    return directory.with_name(f"{directory.name}-{cluster}")


def cluster_of(data: Path) -> str | None:
    """Return the number that PostgreSQL gave a data directory when it was made; a copy has the same."""
    control = data / "global" / "pg_control"
    return control.read_bytes()[:8][::-1].hex() if control.exists() else None


def _owner_note(directory: Path) -> Path:
    """Return the file that says whose log a directory has; beside it, for the server's account owns that."""
    return directory.with_name(f"{directory.name}.cluster")


def archive_command(directory: Path) -> str:
    """Return the command that keeps each WAL segment ``%p`` as ``%f.gz`` and never overwrites another one."""
    kept, part = _file(directory, "%f.gz"), _file(directory, "%f.part")
    return (
        f'if [ -e {kept} ]; then gzip -dc {kept} | cmp -s - "%p"; '
        f'else gzip -1 -c "%p" > {part} && sync {part} && mv {part} {kept}; fi'
    )


def restore_command(directory: Path, *, left: Path | None = None) -> str:
    """Return the command that brings back a WAL segment.

    A segment that never reached the archive is looked for in ``left``, the log of the data that it is
    restored beside.

    PostgreSQL takes a failure for the end of the log, unless the exit code is one of a signal: the command
    ends with such a code if a segment exists but cannot be read, because it is damaged or the disk is full.
    """
    kept = _file(directory, "%f.gz")
    command = f'if [ -e {kept} ]; then gzip -dc {kept} > "%p" || exit {_BROKEN}; '
    if left is not None:
        beside = _file(left, "%f")
        command += f'elif [ -e {beside} ]; then cp {beside} "%p" || exit {_BROKEN}; '
    return f"{command}else exit 1; fi"


def _file(directory: Path, name: str) -> str:
    """Return a path quoted for a shell; only ``name`` keeps the signs that PostgreSQL fills in."""
    return f"{shlex.quote(str(directory).replace('%', '%%'))}/{name}"


def _prepare(directory: Path, account: Account) -> None:
    if sys.platform == "win32":
        raise ServerError(
            "The log of the embedded server cannot be kept on Windows.",
            hint="Unset QUIPU_ARCHIVE; `quipu backup base` works without it.",
        )
    if directory.exists():
        return
    make_directories(directory.parent, 0o711 if account.borrowed else 0o700)
    closed = first_closed(directory.parent, account) if account.borrowed else None
    if closed is not None:
        raise ServerError(
            f"{closed} is closed to '{account.name}', who runs the server and keeps its log there.",
            hint="Set QUIPU_BACKUP_DIR to a directory that this account may pass through.",
        )
    make_private(directory, account)


@dataclass(frozen=True, slots=True)
class Timeline:
    """A timeline, and where in the log it left each older one that it goes back to."""

    number: int
    forks: Mapping[int, int]

    def passes(self, number: int, place: int) -> bool:
        """Return True if a place in the log of a timeline belongs to this timeline's past, or to itself."""
        return number == self.number or place <= self.forks.get(number, -1)


def timeline_of(data: Path | None, *, wal: Path, binaries: Binaries, account: Account) -> Timeline:
    """Return the timeline that a data directory is on; without one, the newest in the archive ``wal``.

    Raises:
        ServerError: the data do not say on which they are.
    """
    number = _newest(wal) if data is None else _of_data(data, binaries, account)
    return Timeline(number, forks(_history(number, wal, data)))


def forks(history: str) -> dict[int, int]:
    """Return the older timelines of a history file, each with the place in the log where it was left."""
    return {int(one): place_of(f"{high}/{low}") for one, high, low in _FORK.findall(history)}


def place_of(text: str) -> int:
    """Return a place in the log, written as PostgreSQL does (``16/B374D848``), as a number."""
    high, low = text.split("/")
    return (int(high, 16) << 32) + int(low, 16)


def _newest(wal: Path) -> int:
    return max((int(note.name[:8], 16) for note in wal.glob(f"*{_HISTORY}.gz")), default=1)


def _of_data(data: Path, binaries: Binaries, account: Account) -> int:
    output = run(
        [binaries.tool("pg_controldata"), data], account=account, env=binaries.environment(binaries.bin_dir)
    )
    if output.code != 0:
        raise ServerError(
            f"{data} does not say where its log is: {output.text}.",
            hint="To restore without what it holds, rename it first; nothing was changed.",
        )
    return max(map(int, _OF_CONTROL.findall(output.text)))


def _history(number: int, wal: Path, data: Path | None) -> str:
    name = f"{number:08X}{_HISTORY}"
    kept = wal / f"{name}.gz"
    if kept.exists():
        return gzip.decompress(kept.read_bytes()).decode("utf-8")
    beside = None if data is None else data / "pg_wal" / name
    return beside.read_text("utf-8") if beside is not None and beside.exists() else ""
