"""The signatures of a space, held and brought up to date, against a plain dictionary."""

from __future__ import annotations

import struct

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from quipu.kernel.db.arrays import sign_bits
from quipu.recall.signatures import Cache, Signatures, View, as_words, closest, empty, read

DIMENSIONS = 100  # not a multiple of 64, nor of 8


def bits_of(number: int) -> NDArray[np.uint8]:
    return sign_bits(np.random.default_rng(number).standard_normal((1, DIMENSIONS)))


def copied(rows: dict[int, int]) -> bytes:
    """What the query returns of entries: id to a number that all the rest follows from."""
    body = b""
    for id, number in rows.items():
        bits = bits_of(number).tobytes()
        body += struct.pack(">qhiqi", id, number % 7, number % 11, number, 8 * len(bits)) + bits
    return body


def seen(held: Signatures) -> dict[int, tuple[int, int, int, bytes]]:
    rows = zip(held.ids, held.kinds, held.owners, held.happened, held.bits.T, strict=True)
    return {int(id): (int(kind), int(owner), int(at), bits.tobytes()) for id, kind, owner, at, bits in rows}


def expected(rows: dict[int, int]) -> dict[int, tuple[int, int, int, bytes]]:
    return {
        id: (n % 7, n % 11, n + 946_684_800_000_000, as_words(bits_of(n)).T.tobytes())
        for id, n in rows.items()
    }


batches = st.lists(st.dictionaries(st.integers(-50, 50), st.integers(0, 10**6), max_size=12), max_size=8)


@settings(max_examples=50)
@given(batches)
def test_what_was_written_since_is_added_or_put_in_place_of_the_older(batches: list[dict[int, int]]) -> None:
    held, model = empty(), dict[int, int]()
    older: list[tuple[Signatures, set[int]]] = []
    for version, rows in enumerate(batches, start=1):
        held = held.merged(read(copied(rows), version=version, epoch=0))
        model |= rows
        assert (held.version, seen(held)) == (version, expected(model))
        older.append((held, set(model)))
    for view, ids in older:  # whoever still looks at older signatures sees the same entries, or newer selves
        assert set(seen(view)) == ids
        ever = [(id, self) for rows in batches for id, self in expected(rows).items()]
        assert all(self in ever for self in seen(view).items())


@given(batches, st.integers(0, 10**6))
def test_distances_count_the_signs_that_differ(batches: list[dict[int, int]], asked: int) -> None:
    held = empty()
    for rows in batches:
        held = held.merged(read(copied(rows), version=1, epoch=0))
    query = bits_of(asked)
    found = dict(zip(held.ids.tolist(), held.distances(as_words(query)[:, 0]).tolist(), strict=True))
    model = {id: n for rows in batches for id, n in rows.items()}
    assert found == {id: int(np.unpackbits(bits_of(n) ^ query).sum()) for id, n in model.items()}


def test_a_space_of_one_entry_takes_a_second() -> None:
    held = read(copied({1: 1}), version=1, epoch=0)
    held = held.merged(read(copied({2: 2}), version=2, epoch=0))
    held = held.merged(read(copied({1: 3}), version=3, epoch=0))
    assert seen(held) == expected({1: 3, 2: 2})


@given(st.lists(st.integers(0, 30), max_size=60), st.integers(0, 70))
def test_the_closest_are_those_with_the_smallest_distances(distances: list[int], count: int) -> None:
    array = np.array(distances, dtype=np.uint16)
    places = np.flatnonzero(array % 3 != 0)
    found = closest(array, places, count)
    assert len(found) == len(set(found.tolist())) == min(count, len(places))
    assert sorted(array[found].tolist()) == sorted(array[places].tolist())[:count]


def test_signatures_of_before_an_erasure_are_not_given_again() -> None:
    cache, view = Cache(), viewed(read(copied({1: 1}), version=5, epoch=3))
    cache.put((7, None), view)
    assert cache.get((7, None), epoch=3) is view
    assert cache.get((7, None), epoch=4) is None
    assert cache.get((7, "ana"), epoch=3) is None
    assert cache.get((8, None), epoch=3) is None


def test_the_spaces_searched_longest_ago_go_when_there_is_no_room() -> None:
    one = viewed(read(copied({n: n for n in range(100)}), version=1, epoch=0))
    cache = Cache(most_bytes=3 * one.signatures.size_bytes)
    for space in (0, 1, 2, 0, 3):
        cache.get((0, None), epoch=0)
        cache.put((space, None), one)
    assert [cache.get((space, None), epoch=0) for space in range(4)] == [one, None, one, one]
    huge = Cache(most_bytes=1)
    huge.put((1, None), one)
    assert huge.get((1, None), epoch=0) is one  # the one in use stays, whatever its size


def viewed(signatures: Signatures) -> View:
    return View(signatures, [], np.zeros(0, dtype=np.int64))


@given(st.integers(1, 5), st.integers(1, 200))
def test_words_hold_the_packed_bits_and_can_be_written_to(count: int, dimensions: int) -> None:
    packed = sign_bits(np.random.default_rng(count).standard_normal((count, dimensions)))
    words = as_words(packed)
    assert words.shape == (-(-packed.shape[1] // 8), count)
    assert words.T.copy().view(np.uint8)[:, : packed.shape[1]].tolist() == packed.tolist()
    assert words.flags.writeable
    assert words.base is None


@given(st.integers(1, 400), st.integers(1, 60), st.integers(0, 10**6))
def test_the_nearest_are_those_whose_signs_point_most_along_the_question(
    entries: int, count: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    vectors = rng.standard_normal((entries, DIMENSIONS))
    asked = rng.standard_normal(DIMENSIONS).astype(np.float32)
    fields = (np.zeros(entries, kind) for kind in (np.int16, np.int32, np.int64))
    held = Signatures(1, 0, np.arange(entries), *fields, as_words(sign_bits(vectors)))
    distances = held.distances(as_words(sign_bits(asked[np.newaxis]))[:, 0])
    places = np.flatnonzero(rng.random(entries) < 0.8)
    found = held.nearest(places, distances, asked, count)
    assert len(set(found)) == min(count, len(places))
    assert set(found) <= set(places)
    products = np.sign(vectors) @ asked
    if len(places) <= 4 * count:  # all of them were looked at
        best = np.sort(products[places])[::-1][: len(found)]
        np.testing.assert_allclose(np.sort(products[found])[::-1], best, atol=1e-3)
    elif len(found):
        assert products[found].mean() >= products[places].mean()
