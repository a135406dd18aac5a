"""One page of a long list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Slice(Generic[Row]):
    """The rows of a page, and the key after which the next begins; None where this is the last."""

    rows: Sequence[Row]
    after: str | None


def slice_of(found: Sequence[Row], *, size: int, key: Callable[[Row], str]) -> Slice[Row]:
    """Return the first ``size`` rows of ``size + 1`` that were asked for: one more means a next page."""
    rows = found[:size]
    return Slice(rows, key(rows[-1]) if len(found) > size and rows else None)
