"""Finding many short words in a large text at once, in a few passes of numpy over its bytes.

Words that begin alike form a group. A table over all pairs of bytes says in which groups a pair may come
first, and in which it may come next; where both agree on a group, the four bytes there are looked up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import Final

import numpy as np
from numpy.typing import NDArray

_EXACT_GROUPS: Final = 10
_GROUPS: Final = 16
_SLICE_BYTES: Final = 64 * 1024  # so that what is computed of it stays in the cache
_PADDING: Final = b"\0\0\0"
_LONG, _SHORT = 4, 3
_ANY: Final = bytes(range(256))
_HASH_BITS: Final = 16
_HASH_FACTOR: Final = np.uint32(0x9E3779B1)


class Anchors:
    """Words of three bytes or more to look for: ``exact`` as they are, ``folded`` in whatever case."""

    def __init__(self, exact: Iterable[bytes], folded: Iterable[bytes]) -> None:
        self._words: dict[int, dict[int, list[tuple[bytes, bool]]]] = {_LONG: {}, _SHORT: {}}
        self._pairs = np.zeros(1 << 16, dtype=np.uint32)
        self._add(sorted(set(exact)), range(_EXACT_GROUPS), fold=False)
        self._add(sorted(set(folded)), range(_EXACT_GROUPS, _GROUPS), fold=True)
        for code, words in self._words[_LONG].items():  # so that one look tells all that may stand there
            words += self._words[_SHORT].get(code >> 8, [])
        self._hashes = {
            length: _marked(np.array(list(words), dtype=np.uint32)) for length, words in self._words.items()
        }

    def _add(self, words: Sequence[bytes], groups: range, *, fold: bool) -> None:
        for place, word in enumerate(words):
            if len(word) < _SHORT:
                raise ValueError(f"{word!r} is too short to be looked for")
            begin = word[:_LONG]
            self._words[len(begin)].setdefault(_code(begin), []).append((word, fold))
            one, two, three, four = [*(_either(byte) if fold else bytes([byte]) for byte in begin), _ANY][:4]
            bit = 1 << groups[place * len(groups) // len(words)]
            self._pairs[[a << 8 | b for a, b in product(one, two)]] |= np.uint32(bit)
            self._pairs[[a << 8 | b for a, b in product(three, four)]] |= np.uint32(bit << _GROUPS)

    def find(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """Every place at which a word stands, with the word; the places ascend."""
        long, short = self._words[_LONG], self._words[_SHORT]
        places, codes = self._begins(data)
        for place, code in zip(places.tolist(), codes.tolist(), strict=True):
            for word, fold in long.get(code) or short.get(code >> 8, ()):
                if data.startswith(word, place) or (fold and data[place : place + len(word)].lower() == word):
                    yield place, word

    def _begins(self, data: bytes) -> tuple[NDArray[np.intp], NDArray[np.uint32]]:
        """Where words may begin, and the four bytes that stand there, the case of letters left out."""
        array = np.frombuffer(data + _PADDING, dtype=np.uint8)
        slices = range(0, len(data), _SLICE_BYTES)
        found = [
            _candidates(self._pairs, array[at : at + _SLICE_BYTES + len(_PADDING)]) + at for at in slices
        ]
        places = np.concatenate(found) if found else np.zeros(0, dtype=np.intp)
        codes = np.zeros(len(places), dtype=np.uint32)
        for step in range(_LONG):
            codes = codes << np.uint32(8) | (array[places + step] | np.uint8(0x20))
        kept = np.zeros(len(places), dtype=bool)
        for length, hashes in self._hashes.items():
            kept |= hashes[_hash(codes >> np.uint32(8 * (_LONG - length)))]
        return places[kept], codes[kept]


def _candidates(table: NDArray[np.uint32], part: NDArray[np.uint8]) -> NDArray[np.intp]:
    pairs = part[:-1].astype(np.intp)
    pairs <<= 8
    pairs |= part[1:]
    signs = table.take(pairs)
    both = (signs[:-2] & (signs[2:] >> np.uint32(_GROUPS))).astype(np.uint16)
    return np.flatnonzero(both != 0)  # of booleans: that takes half as long


def _either(byte: int) -> bytes:
    one = bytes([byte])
    return one.lower() + one.upper()


def _code(begin: bytes) -> int:
    return int.from_bytes(bytes(byte | 0x20 for byte in begin))


def _hash(codes: NDArray[np.uint32]) -> NDArray[np.intp]:
    return (codes * _HASH_FACTOR >> np.uint32(32 - _HASH_BITS)).astype(np.intp)


def _marked(codes: NDArray[np.uint32]) -> NDArray[np.bool_]:
    hashes = np.zeros(1 << _HASH_BITS, dtype=bool)
    hashes[_hash(codes)] = True
    return hashes
