"""Rates of requests: a bucket for each caller, shared by all processes of a server."""

from __future__ import annotations

import hashlib
import mmap
import os
from collections.abc import Callable
from pathlib import Path
from struct import Struct
from time import monotonic
from typing import Final

_BURST_SECONDS: Final = 10.0
_BUCKET: Final = Struct("16s3d")  # hash of the caller, requests a minute, how many are left, as of when
_BUCKETS_IN_ROW: Final = 8
_ROWS: Final = 2_048
_ROW_BYTES: Final = _BUCKET.size * _BUCKETS_IN_ROW


def burst(per_minute: float) -> float:
    """Return the number of requests that may come at once."""
    return max(1.0, per_minute * _BURST_SECONDS / 60)


class Rates:
    """A bucket for each caller; so many requests may come at once as come in ten seconds.

    What was taken comes back steadily. The buckets lie in memory, or in a ``file`` that all processes of a
    server map into theirs. The hash of a caller says in which row of eight the bucket is; where all eight
    are taken, the one that was not asked for longest goes. There is room for 16,384.
    """

    def __init__(self, file: Path | None = None, *, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._file: int | None = None
        if file is None:
            self._buckets = mmap.mmap(-1, _ROWS * _ROW_BYTES)
        else:
            self._file = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
            os.ftruncate(self._file, _ROWS * _ROW_BYTES)
            self._buckets = mmap.mmap(self._file, _ROWS * _ROW_BYTES)

    def wait_seconds(self, who: str, per_minute: float) -> float:
        """Take one request; return 0, or where none is left, the seconds until there is one again."""
        name = hashlib.blake2b(who.encode(), digest_size=16).digest()
        row = int.from_bytes(name[:4]) % _ROWS * _ROW_BYTES
        if self._file is None:
            return self._take(row, name, per_minute)
        import fcntl  # noqa: PLC0415 - not everywhere; several processes neither

        fcntl.lockf(self._file, fcntl.LOCK_EX, _ROW_BYTES, row)  # undone where this process is killed
        try:
            return self._take(row, name, per_minute)
        finally:
            fcntl.lockf(self._file, fcntl.LOCK_UN, _ROW_BYTES, row)

    def _take(self, row: int, name: bytes, per_minute: float) -> float:
        now, most, rate = self._clock(), burst(per_minute), per_minute / 60
        place = self._buckets.find(name, row, row + _ROW_BYTES)
        if place < 0:
            place, left = self._oldest(row), most
        else:
            _, known, left, at = _BUCKET.unpack_from(self._buckets, place)
            left = min(most, left + max(0.0, now - at) * rate) if known == per_minute else most
        wait = 0.0 if left >= 1 else (1 - left) / rate
        _BUCKET.pack_into(self._buckets, place, name, per_minute, left if wait else left - 1, now)
        return wait

    def _oldest(self, row: int) -> int:
        """Return the place in a row that was not asked for longest; one that nobody took comes first."""
        places = range(row, row + _ROW_BYTES, _BUCKET.size)
        return min(places, key=lambda place: _BUCKET.unpack_from(self._buckets, place)[3])
