"""Positions in the log of a primary, and the callers who bring one along to read what they wrote."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Self

_POSITION: Final = re.compile(r"([0-9A-F]{1,8})-([0-9A-F]{1,16})")

_READER: Final[ContextVar[Reader | None]] = ContextVar("quipu_reader", default=None)


class Position(NamedTuple):
    """A place in the log of a primary, up to which it was written or replayed; later ones are greater."""

    timeline: int
    byte: int

    @classmethod
    def read(cls, text: str | None) -> Self | None:
        """Return the position that a text tells as ``str`` writes it; None if it tells none."""
        found = _POSITION.fullmatch(text or "")
        return None if found is None else cls(int(found[1], 16), int(found[2], 16))

    def __str__(self) -> str:
        return f"{self.timeline:X}-{self.byte:X}"


@dataclass(slots=True)
class Reader:
    """Caller for whom a context reads and writes: the position that reads need, the reads by place.

    ``ask`` asks the primary for its position; it is None while nothing was written.
    """

    needs: Position | None = None
    reads: Counter[str] = field(default_factory=Counter[str])
    ask: Callable[[], Awaitable[Position]] | None = None


@contextmanager
def reading_for(reader: Reader) -> Generator[None]:
    """Read and write for a caller in the block."""
    token = _READER.set(reader)
    try:
        yield
    finally:
        _READER.reset(token)


def current_reader() -> Reader | None:
    """Return the caller for whom this context reads and writes, if there is one."""
    return _READER.get()


def count_read(place: str) -> None:
    """Count a read for the caller of this context."""
    if (reader := _READER.get()) is not None:
        reader.reads[place] += 1
