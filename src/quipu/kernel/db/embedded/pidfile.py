"""PostgreSQL's postmaster.pid: what it says, and whether it still means anyone."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

_NAME = "postmaster.pid"
_STALE_NAME = "postmaster.pid.stale"


@dataclass(frozen=True, slots=True)
class PidFile:
    """Who serves the directory, and where it listens; ``socket_dir`` is empty on a loopback server."""

    pid: int
    port: int
    socket_dir: str


def read_pid_file(data: Path) -> PidFile | None:
    """The pid file, or None if it is absent or torn."""
    try:
        lines = (data / _NAME).read_text("utf-8", "replace").splitlines()
        return PidFile(pid=abs(int(lines[0])), port=int(lines[3]), socket_dir=lines[4].strip())
    except (FileNotFoundError, IndexError, ValueError):
        return None


def is_stale(found: PidFile, data: Path) -> bool:
    """Whether its process id now is a zombie's or a stranger's: PostgreSQL takes both for a living server."""
    return _is_alive(found.pid) and not is_postmaster(found.pid, data)


def set_aside(data: Path) -> None:
    """Rename the pid file. Only for who knows that no server lives."""
    (data / _NAME).replace(data / _STALE_NAME)


def is_postmaster(pid: int, data: Path) -> bool:
    """Whether this process lives and serves this directory: PostgreSQL works in its data directory."""
    if sys.platform == "linux":
        try:
            return Path(f"/proc/{pid}/cwd").samefile(data)
        except OSError:
            return False  # gone; or a zombie, which has none; or a stranger's, which is closed to us
    asked = ["ps", "-o", "stat=,comm=", "-p", str(pid)]
    state, _, command = subprocess.run(asked, check=False, capture_output=True, text=True).stdout.partition(
        " "
    )
    return "Z" not in state and Path(command.strip()).name.startswith("postgres")


def _is_alive(pid: int) -> bool:
    """Whether there is a process of this id that PostgreSQL would take for its own; zombies count."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True
