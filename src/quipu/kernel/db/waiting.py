"""Time that a task waits for locks of other transactions."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

import psycopg

from quipu.errors import QuipuError

_MOST: Final[ContextVar[int | None]] = ContextVar("quipu_lock_milliseconds", default=None)


def most_milliseconds() -> int | None:
    """Return how long a statement of this task waits for a lock; None: as long as it takes."""
    return _MOST.get()


@contextmanager
def leaving_what_is_held(milliseconds: int) -> Generator[None]:
    """Give up waiting for a lock after ``milliseconds``: the block then ends without an error."""
    token = _MOST.set(milliseconds)
    try:
        yield
    except QuipuError as error:
        if not isinstance(error.__cause__, psycopg.errors.LockNotAvailable):
            raise
    finally:
        _MOST.reset(token)
