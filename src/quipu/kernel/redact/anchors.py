"""Finding many short words in a large text at once, in a few passes of numpy over its bytes.

Words that begin alike form a group. A table over all pairs of bytes says in which groups a pair may come
first, and in which it may come next; where both agree on a group, the four bytes there are looked up. Pairs
are taken as numbers of two bytes where they stand: those that begin at even places, then those at odd ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Final

import numpy as np
from numpy.typing import NDArray

_EXACT_GROUPS: Final = 10
_GROUPS: Final = 16
_SLICE_PAIRS: Final = 64 * 1024  # so that what is computed of it stays in the cache
_PADDING: Final = b"\0" * 5  # so that six bytes stand at each place, and there are two pairs from both
_PAIR: Final = np.dtype("<u2")
_LONG, _SHORT = 4, 3
_ANY: Final = bytes(range(256))
_HASH_BITS: Final = 16
_HASH_FACTOR: Final = np.uint32(0x9E3779B1)
_FOLLOWING_FACTOR: Final = np.uint32(0x85EBCA6B)


Matcher = Callable[[bytes, int], object]
"""Whether a word stands in data at a place: what is given is true or false by itself."""

_NO_HINTS: Final[Mapping[bytes, Matcher]] = {}


class Anchors:
    """Words of three bytes or more to look for: ``exact`` as they are, ``folded`` in whatever case.

    ``hints``: for some of them, whether more than the word stands there, which must say no where it does not.
    """

    def __init__(
        self,
        exact: Iterable[bytes],
        folded: Iterable[bytes],
        hints: Mapping[bytes, Matcher] = _NO_HINTS,
    ) -> None:
        self._words: dict[int, dict[int, list[tuple[bytes, Matcher]]]] = {_LONG: {}, _SHORT: {}}
        self._pairs = np.zeros(1 << 16, dtype=np.uint32)
        self._add(sorted(set(exact)), range(_EXACT_GROUPS), hints, fold=False)
        self._add(sorted(set(folded)), range(_EXACT_GROUPS, _GROUPS), hints, fold=True)
        for code, words in self._words[_LONG].items():  # so that one look tells all that may stand there
            words += self._words[_SHORT].get(code >> 8, [])
        self._hashes = {
            length: _marked(np.array(list(words), dtype=np.uint32)) for length, words in self._words.items()
        }
        self._mark_following()

    def _mark_following(self) -> None:
        """Note what follows the first four bytes of words, which tells most places at once that have none."""
        pairs = [
            (code, _code(word[_LONG : _LONG + 2]) if len(word) >= _LONG + 2 else None)
            for code, words in self._words[_LONG].items()
            for word, _ in words
        ]
        short = [code for code, following in pairs if following is None]
        self._unfollowed = _marked(np.array(short, dtype=np.uint32))
        longer = [(code, following) for code, following in pairs if following is not None]
        codes, following = np.array(longer, dtype=np.uint32).reshape(-1, 2).T
        self._followed = _marked(_mixed(codes, following))

    def _add(
        self, words: Sequence[bytes], groups: range, hints: Mapping[bytes, Matcher], *, fold: bool
    ) -> None:
        for place, word in enumerate(words):
            if len(word) < _SHORT:
                raise ValueError(f"{word!r} is too short to be looked for")
            begin = word[:_LONG]
            stands = hints.get(word) or _alone(word, fold=fold)
            self._words[len(begin)].setdefault(_code(begin), []).append((word, stands))
            one, two, three, four = [*(_either(byte) if fold else bytes([byte]) for byte in begin), _ANY][:4]
            bit = 1 << groups[place * len(groups) // len(words)]
            self._pairs[[a | b << 8 for a, b in product(one, two)]] |= np.uint32(bit)
            self._pairs[[a | b << 8 for a, b in product(three, four)]] |= np.uint32(bit << _GROUPS)

    def find(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """Yield every place of a word, with the word; the places ascend."""
        long, short = self._words[_LONG], self._words[_SHORT]
        places, codes = self._begins(data)
        for place, code in zip(places.tolist(), codes.tolist(), strict=True):
            for word, stands in long.get(code) or short.get(code >> 8, ()):
                if stands(data, place):
                    yield place, word

    def _begins(self, data: bytes) -> tuple[NDArray[np.intp], NDArray[np.uint32]]:
        """Return the places where words may begin, and the four bytes there without the case of letters."""
        padded = data + _PADDING
        places = np.concatenate([_candidates(self._pairs, padded, start) for start in (0, 1)])
        places.sort()
        array = np.frombuffer(padded, dtype=np.uint8)
        codes = np.zeros(len(places), dtype=np.uint32)
        for step in range(_LONG):
            codes = codes << np.uint32(8) | (array[places + step] | np.uint8(0x20))
        short = self._hashes[_SHORT][_hash(codes >> np.uint32(8))]
        kept = short | self._hashes[_LONG][_hash(codes)]
        places, codes, short = places[kept], codes[kept], short[kept]
        following = np.zeros(len(places), dtype=np.uint32)
        for step in (_LONG, _LONG + 1):
            following = following << np.uint32(8) | (array[places + step] | np.uint8(0x20))
        kept = short | self._unfollowed[_hash(codes)] | self._followed[_hash(_mixed(codes, following))]
        return places[kept], codes[kept]


def _candidates(table: NDArray[np.uint32], data: bytes, start: int) -> NDArray[np.intp]:
    """Return every second place from ``start`` on where the table lets a word begin."""
    pairs = np.frombuffer(data, dtype=_PAIR, offset=start, count=(len(data) - start) // _PAIR.itemsize)
    candidates: list[NDArray[np.intp]] = []
    for at in range(0, len(pairs) - 1, _SLICE_PAIRS):
        signs = table.take(pairs[at : at + _SLICE_PAIRS + 1])
        both = (signs[:-1] & (signs[1:] >> np.uint32(_GROUPS))).astype(np.uint16)
        candidates.append(np.flatnonzero(both != 0) + at)  # of booleans: that takes half as long
    return np.concatenate(candidates) * _PAIR.itemsize + start


def _alone(word: bytes, *, fold: bool) -> Matcher:
    if fold:
        return re.compile(re.escape(word), re.IGNORECASE).match
    return lambda data, place: data.startswith(word, place)


def _either(byte: int) -> bytes:
    one = bytes([byte])
    return one.lower() + one.upper()


def _code(begin: bytes) -> int:
    return int.from_bytes(bytes(byte | 0x20 for byte in begin))


def _mixed(codes: NDArray[np.uint32], following: NDArray[np.uint32]) -> NDArray[np.uint32]:
    return codes ^ following * _FOLLOWING_FACTOR


def _hash(codes: NDArray[np.uint32]) -> NDArray[np.intp]:
    return (codes * _HASH_FACTOR >> np.uint32(32 - _HASH_BITS)).astype(np.intp)


def _marked(codes: NDArray[np.uint32]) -> NDArray[np.bool_]:
    hashes = np.zeros(1 << _HASH_BITS, dtype=bool)
    hashes[_hash(codes)] = True
    return hashes
