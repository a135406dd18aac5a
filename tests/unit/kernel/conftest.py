import time
from collections.abc import Callable

import pytest

SMALL_CHARACTERS = 100_000
LARGE_CHARACTERS = 4 * SMALL_CHARACTERS


def seconds(work: Callable[[str], object], text: str) -> float:
    """The processor time of one call, the better of two."""
    spent = []
    for _ in range(2):
        start = time.process_time()
        work(text)
        spent.append(time.process_time() - start)
    return min(spent)


@pytest.fixture
def growth() -> Callable[[Callable[[str], object], str], float]:
    """How many times longer work takes on four times the text: 4 if it is linear, 16 if quadratic."""

    def measure(work: Callable[[str], object], unit: str) -> float:
        small, large = (
            unit * (characters // len(unit)) for characters in (SMALL_CHARACTERS, LARGE_CHARACTERS)
        )
        # A millisecond of grace: what is immeasurably fast has no growth to speak of.
        return seconds(work, large) / max(seconds(work, small), 0.001)

    return measure
