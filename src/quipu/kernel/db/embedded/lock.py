"""Users of the server: locks that the system drops when their holder dies, and PostgreSQL's pid file.

``flock`` belongs to the open file, not to the process: two servers opened in one process count twice, and a
lock that is handed to a child lasts as long as the child. Windows has the same through ``LockFileEx``,
except for the child.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from quipu.errors import ServerError

POLL_SECONDS = 0.01
_NAME = "postmaster.pid"
_STALE_NAME = "postmaster.pid.stale"


class FileLock:
    """One open lock file, not locked at first. Closing it lets go, and so does the end of the process."""

    def __init__(self, path: Path) -> None:
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        self._file = os.fdopen(os.open(path, flags, 0o600), "rb+", buffering=0)

    def fileno(self) -> int:
        """Return the file descriptor, to hand the lock on to a child."""
        return self._file.fileno()

    def try_shared(self) -> bool:
        """Hold it with others; False if someone holds it alone."""
        return _try_lock(self.fileno(), exclusive=False)

    def try_exclusive(self) -> bool:
        """Hold it alone; False if anyone else holds it. A shared hold of ours is given up for it."""
        return _try_lock(self.fileno(), exclusive=True)

    def close(self) -> None:
        """Let go."""
        self._file.close()


def wait_until(seconds: float, happens: Callable[[], bool]) -> bool:
    """Ask every 10 ms until it happens; False if it did not within ``seconds``."""
    until = time.monotonic() + seconds
    while not happens():
        if time.monotonic() > until:
            return False
        time.sleep(POLL_SECONDS)
    return True


@contextmanager
def alone(path: Path, *, wait_seconds: float, purpose: str) -> Generator[None]:
    """Hold the lock file alone for the block; raises ServerError after ``wait_seconds`` of waiting."""
    lock = FileLock(path)
    try:
        if not wait_until(wait_seconds, lock.try_exclusive):
            raise ServerError(
                f"Waited {wait_seconds:.0f} seconds for another process {purpose}.",
                hint=f"See which process holds {path} and end it if it hangs.",
            )
        yield
    finally:
        lock.close()


def is_held_alone(path: Path) -> bool:
    """Return True if anyone holds the lock of ``path`` alone right now; asking disturbs no holder."""
    if not path.exists():
        return False
    lock = FileLock(path)
    try:
        return not lock.try_shared()
    finally:
        lock.close()


if sys.platform == "win32":
    import ctypes
    import msvcrt
    from ctypes import wintypes

    _kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
    _FAIL_IMMEDIATELY, _EXCLUSIVE = 1, 2

    class _Overlapped(ctypes.Structure):
        _fields_ = (
            ("Internal", ctypes.c_void_p),
            ("InternalHigh", ctypes.c_void_p),
            ("Offset", wintypes.DWORD),
            ("OffsetHigh", wintypes.DWORD),
            ("hEvent", wintypes.HANDLE),
        )

    def _try_lock(descriptor: int, *, exclusive: bool) -> bool:
        handle = wintypes.HANDLE(msvcrt.get_osfhandle(descriptor))
        where = _Overlapped()
        # Windows adds locks up instead of converting them, so the old one goes first.
        _kernel32.UnlockFileEx(handle, 0, 1, 0, ctypes.byref(where))
        flags = _FAIL_IMMEDIATELY | (_EXCLUSIVE if exclusive else 0)
        return bool(_kernel32.LockFileEx(handle, flags, 0, 1, 0, ctypes.byref(where)))

else:
    import fcntl

    def _try_lock(descriptor: int, *, exclusive: bool) -> bool:
        kind = fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


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
    arguments = ["ps", "-o", "stat=,comm=", "-p", str(pid)]
    state, _, command = subprocess.run(
        arguments, check=False, capture_output=True, text=True
    ).stdout.partition(" ")
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
