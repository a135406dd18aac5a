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
    """Server of a data directory and where it listens; ``socket_dir`` is empty on a loopback server.

    ``ready``: it lets clients in, and is neither starting nor ending.
    """

    pid: int
    port: int
    socket_dir: str
    ready: bool


def read_pid_file(data: Path) -> PidFile | None:
    """Read the pid file; None if it is absent or torn."""
    try:
        lines = (data / _NAME).read_text("utf-8", "replace").splitlines()
        return PidFile(
            pid=abs(int(lines[0])),
            port=int(lines[3]),
            socket_dir=lines[4].strip(),
            ready=lines[7:8] == ["ready   "],
        )
    except (FileNotFoundError, IndexError, ValueError):
        return None


def clear_stale(data: Path, socket_dir: Path) -> None:
    """Put the lock files of a dead server out of the way where their process id now is a zombie's or a
    stranger's: PostgreSQL takes both for a living server and would refuse to start.

    Only for who holds ``server.lock``, so that no server of ours lives; one that somebody started by hand is
    known by its working directory, and left alone. The pid file is kept under another name.
    """
    pid_file = data / _NAME
    if _is_stale(pid_file, data):
        pid_file.replace(data / _STALE_NAME)
    for socket_lock in socket_dir.glob(".s.PGSQL.*.lock"):
        if _is_stale(socket_lock, data):
            socket_lock.unlink()


def is_postmaster(pid: int, data: Path) -> bool:
    """Return True if this process lives and serves this directory: PostgreSQL works in its data directory."""
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


def _is_stale(lock_file: Path, data: Path) -> bool:
    try:
        pid = abs(int(lock_file.read_text("utf-8", "replace").split("\n", 1)[0]))
    except (FileNotFoundError, ValueError):
        return False  # PostgreSQL itself says what it thinks of a torn one
    return _is_alive(pid) and not is_postmaster(pid, data)


def _is_alive(pid: int) -> bool:
    """Return True if a process has this id and PostgreSQL would take it for its own; zombies count."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True
