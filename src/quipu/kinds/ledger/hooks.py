"""Telling subscribers of corrections, so that they can recompute what they concluded."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from inspect import isawaitable

from quipu.kinds.ledger.model import Correction

_LOG = logging.getLogger("quipu.ledger")

Callback = Callable[[Correction], Awaitable[object] | object]


class Subscribers:
    """Those who want to know of corrections, in the order in which they came."""

    def __init__(self) -> None:
        self._callbacks: list[Callback] = []

    def add(self, callback: Callback) -> None:
        """Tell this one too."""
        self._callbacks.append(callback)

    async def tell(self, correction: Correction) -> tuple[str, ...]:
        """Tell all of them; what they raise is logged and returned, for the write is durable already."""
        errors: list[str] = []
        for callback in self._callbacks:
            try:
                answer = callback(correction)
                if isawaitable(answer):
                    await answer
            except Exception as error:  # noqa: BLE001 - code of others: what it raises must not lose the write
                _LOG.exception("A subscriber failed on the correction of %r", correction.event.key)
                errors.append(f"{type(error).__name__}: {error}")
        return tuple(errors)
