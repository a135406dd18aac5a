"""The vectors of the texts that were embedded last."""

from __future__ import annotations

from collections import OrderedDict
from hashlib import blake2b
from threading import Lock
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

_Row: TypeAlias = NDArray[np.float32]


class VectorCache:
    """At most ``capacity`` vectors; the one unused for longest goes first. Safe between threads.

    Texts are known by a 128-bit hash, so that long texts do not stay in memory
    (384 dimensions: 1.6 kB an entry).
    """

    def __init__(self, *, capacity: int = 2048) -> None:
        self.capacity = capacity
        self._rows: OrderedDict[bytes, _Row] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        """Count the vectors held now."""
        return len(self._rows)

    def get(self, text: str) -> _Row | None:
        """Return the vector of the text if it is still held. Do not write to it."""
        key = _key(text)
        with self._lock:
            row = self._rows.get(key)
            if row is not None:
                self._rows.move_to_end(key)
            return row

    def put(self, text: str, row: _Row) -> None:
        """Hold the vector of the text; the oldest entry beyond the capacity is dropped."""
        key = _key(text)
        with self._lock:
            self._rows[key] = row
            self._rows.move_to_end(key)
            while len(self._rows) > self.capacity:
                self._rows.popitem(last=False)

    def clear(self) -> None:
        """Forget all of them."""
        with self._lock:
            self._rows.clear()


def _key(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
