"""The one place where the middleware catches everything: memory must not break an answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Done(Generic[T]):
    """Result of a call, or the error that it raised."""

    result: T | None = None
    error: Exception | None = None


def attempt(call: Callable[[], T]) -> Done[T]:
    """Call it; whatever it raises is handed back, to be counted and shown."""
    try:
        return Done(result=call())
    except Exception as error:  # noqa: BLE001 - see above
        return Done(error=error)
