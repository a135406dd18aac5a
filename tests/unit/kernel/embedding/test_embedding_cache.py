from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from quipu.kernel.embedding.embedder import VectorCache


def row(value: float) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    return np.full(3, value, np.float32)


def test_a_vector_that_was_put_is_found_again() -> None:
    cache = VectorCache(capacity=2)
    cache.put("a", row(1))
    found = cache.get("a")
    assert found is not None
    assert found.tolist() == [1, 1, 1]
    assert cache.get("b") is None


def test_the_one_unused_for_longest_goes_first() -> None:
    cache = VectorCache(capacity=2)
    cache.put("a", row(1))
    cache.put("b", row(2))
    cache.get("a")
    cache.put("c", row(3))
    assert cache.get("b") is None
    assert cache.get("a") is not None
    assert cache.get("c") is not None
    assert len(cache) == 2


def test_clearing_forgets_everything() -> None:
    cache = VectorCache(capacity=2)
    cache.put("a", row(1))
    cache.clear()
    assert len(cache) == 0


def test_threads_share_it_without_losing_its_bound() -> None:
    cache = VectorCache(capacity=50)

    def work(start: int) -> bool:
        for number in range(start, start + 500):
            cache.put(str(number), row(number))
            found = cache.get(str(number))
            if found is not None and found[0] != number:
                return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(0, 4000, 500)))
    assert len(cache) == 50
