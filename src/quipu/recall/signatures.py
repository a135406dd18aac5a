"""The first pass over a space: packed sign bits of every context vector, held by this process.

Scanning 100,000 packed rows in PostgreSQL takes 25 ms or more, most of it spent on handing rows from one
plan node to the next; over one numpy array it takes 2. So a process keeps the signatures of the spaces
that it searches and fetches, before each search, what was written since (each write of a space has a
version, and an erasure changes the epoch). Nothing is trusted: the candidates are ranked and filtered
again, exactly, by the statement that follows, under row level security.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_MICROSECONDS_2000 = 946_684_800_000_000  # PostgreSQL counts its time from the year 2000


@dataclass(slots=True)
class Signatures:
    """The signatures of one space, in ascending order of ``ids``.

    ``bits``: uint64, shape (n, words of 64 bits). ``happened``: microseconds since 1970.
    """

    version: int
    epoch: int
    ids: NDArray[np.int64]
    kinds: NDArray[np.int16]
    owners: NDArray[np.int32]
    happened: NDArray[np.int64]
    bits: NDArray[np.uint64]

    @property
    def size_bytes(self) -> int:
        """Memory held."""
        return sum(a.nbytes for a in (self.ids, self.kinds, self.owners, self.happened, self.bits))

    def distances(self, query: NDArray[np.uint64]) -> NDArray[np.uint16]:
        """Number of sign bits in which each entry differs from ``query``."""
        return np.bitwise_count(self.bits ^ query).sum(axis=1, dtype=np.uint16)

    def merge(self, newer: Signatures) -> Signatures:
        """These, with those of ``newer`` added or put in place of their older selves."""
        if len(self.ids) == 0 or len(newer.ids) == 0:
            return newer if len(self.ids) == 0 else self._at(newer.version)
        kept = ~np.isin(self.ids, newer.ids, assume_unique=True)
        ids = np.concatenate((self.ids[kept], newer.ids))
        order = np.argsort(ids, kind="stable")
        return Signatures(
            newer.version,
            newer.epoch,
            ids[order],
            np.concatenate((self.kinds[kept], newer.kinds))[order],
            np.concatenate((self.owners[kept], newer.owners))[order],
            np.concatenate((self.happened[kept], newer.happened))[order],
            np.concatenate((self.bits[kept], newer.bits))[order],
        )

    def _at(self, version: int) -> Signatures:
        self.version = version
        return self


def pack(vectors: NDArray[np.floating]) -> NDArray[np.uint8]:
    """Sign bits of vectors, packed: shape (n, dimensions) to (n, dimensions / 8), uint8, rounded up."""
    return np.packbits(vectors > 0, axis=-1)


def as_words(packed: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Packed bits as 64-bit words, padded with zeros: shape (n, bytes) to (n, ceil(bytes / 8))."""
    spare = -packed.shape[1] % 8
    padded = np.pad(packed, ((0, 0), (0, spare))) if spare else packed
    return np.ascontiguousarray(padded).view(np.uint64)


def read(copied: bytes, *, version: int, epoch: int) -> Signatures:
    """What ``copy (…) to stdout (format binary)`` of the query ``signatures`` returned.

    All rows have the same width, so that the whole is one numpy structure: no loop over rows.
    """
    body = memoryview(copied)[19:-2]  # without the header and the trailer
    if len(body) == 0:
        return empty(version=version, epoch=epoch)
    row = np.dtype(
        [
            ("fields", ">i2"),
            ("id_n", ">i4"), ("id", ">i8"),
            ("kind_n", ">i4"), ("kind", ">i2"),
            ("owner_n", ">i4"), ("owner", ">i4"),
            ("happened_n", ">i4"), ("happened", ">i8"),
            ("bits_n", ">i4"), ("bits_len", ">i4"), ("bits", "u1", (_bit_bytes(body),)),
        ]
    )  # fmt: skip
    rows = np.frombuffer(body, dtype=row)
    order = np.argsort(rows["id"], kind="stable")
    rows = rows[order]
    return Signatures(
        version,
        epoch,
        rows["id"].astype(np.int64),
        rows["kind"].astype(np.int16),
        rows["owner"].astype(np.int32),
        rows["happened"].astype(np.int64) + _MICROSECONDS_2000,
        as_words(rows["bits"]),
    )


def _bit_bytes(body: memoryview) -> int:
    """Bytes of bits in a row: its last field's length less the four bytes that count the bits."""
    at = 2 + (4 + 8) + (4 + 2) + (4 + 4) + (4 + 8)
    return int.from_bytes(body[at : at + 4], "big") - 4


def empty(*, version: int = 0, epoch: int = 0) -> Signatures:
    """No signatures."""
    none = np.zeros(0, dtype=np.int64)
    return Signatures(
        version, epoch, none, none.astype(np.int16), none.astype(np.int32), none, np.zeros((0, 1), np.uint64)
    )


class Cache:
    """The signatures of the spaces searched lately; the oldest go when ``most_bytes`` is exceeded."""

    def __init__(self, *, most_bytes: int = 128 << 20) -> None:
        self._most_bytes = most_bytes
        self._held: OrderedDict[int, Signatures] = OrderedDict()

    def get(self, space: int, *, epoch: int) -> Signatures:
        """What is held of a space; nothing where an erasure happened since."""
        held = self._held.get(space)
        return held if held is not None and held.epoch == epoch else empty(epoch=epoch)

    def put(self, space: int, signatures: Signatures) -> None:
        """Hold these."""
        self._held[space] = signatures
        self._held.move_to_end(space)
        while len(self._held) > 1 and sum(s.size_bytes for s in self._held.values()) > self._most_bytes:
            self._held.popitem(last=False)
