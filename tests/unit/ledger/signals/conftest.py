import time
from collections.abc import Callable

import pytest

SMALL_CHARACTERS = 6_000
TIMES = 4


@pytest.fixture
def growth() -> Callable[[Callable[[str], object], str], float]:
    """How many times longer work takes on four times the text: 4 if it is linear, 16 if quadratic."""

    def seconds(work: Callable[[str], object], text: str) -> float:
        start = time.process_time()
        work(text)
        return time.process_time() - start

    def measure(work: Callable[[str], object], unit: str) -> float:
        small = unit * (SMALL_CHARACTERS // len(unit))
        work(small[:1000])
        # A millisecond of grace: what is immeasurably fast has no growth to speak of.
        least = min(seconds(work, small) for _ in range(2))
        return min(seconds(work, small * TIMES) for _ in range(2)) / max(least, 0.001)

    return measure
