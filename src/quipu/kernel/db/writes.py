"""Notes of what a call has written, for those who would otherwise make it again."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

_WROTE: Final[ContextVar[list[None] | None]] = ContextVar("quipu_wrote", default=None)


@contextmanager
def noting_writes() -> Generator[list[None]]:
    """Note in a list each transaction of the block, and of the tasks that it starts, that has written."""
    wrote: list[None] = []
    token = _WROTE.set(wrote)
    try:
        yield wrote
    finally:
        _WROTE.reset(token)


def note_write() -> None:
    """Note that a transaction has written; see ``noting_writes``."""
    wrote = _WROTE.get()
    if wrote is not None:
        wrote.append(None)
