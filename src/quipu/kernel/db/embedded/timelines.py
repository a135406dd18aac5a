"""The timelines of a database: each restore in place begins one, which goes on from a place in an older one.

PostgreSQL by itself follows the newest timeline that the archive knows, which need not be that of the data.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from quipu.errors import ServerError
from quipu.kernel.db.embedded.account import Account
from quipu.kernel.db.embedded.binaries import Binaries
from quipu.kernel.db.embedded.process import run

_OF_CONTROL = re.compile(r"(?:TimeLineID|Min recovery ending loc's timeline):\s*(\d+)")
_FORK = re.compile(r"^\s*(\d+)\s+([0-9A-F]+)/([0-9A-F]+)", re.MULTILINE)
_HISTORY = ".history"


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
    said = run(
        [binaries.tool("pg_controldata"), data], account=account, env=binaries.environment(binaries.bin_dir)
    )
    if said.code != 0:
        raise ServerError(
            f"{data} does not say where its log is: {said.text}.",
            hint="To restore without what it holds, rename it first; nothing was changed.",
        )
    return max(map(int, _OF_CONTROL.findall(said.text)))


def _history(number: int, wal: Path, data: Path | None) -> str:
    name = f"{number:08X}{_HISTORY}"
    kept = wal / f"{name}.gz"
    if kept.exists():
        return gzip.decompress(kept.read_bytes()).decode("utf-8")
    beside = None if data is None else data / "pg_wal" / name
    return beside.read_text("utf-8") if beside is not None and beside.exists() else ""
