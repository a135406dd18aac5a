"""Locks on files that the system drops by itself when their holder dies, however it dies.

``flock`` belongs to the open file, not to the process: two servers opened in one process count twice, and a
lock that is handed to a child lasts as long as the child. Windows has the same through ``LockFileEx``,
except for the child.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from quipu.errors import ServerError

POLL_SECONDS = 0.01


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


def tx(seconds: float, happens: Callable[[], bool]) -> bool:
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
        if not tx(wait_seconds, lock.try_exclusive):
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
