"""Going on in spite of trouble: a database that is started again, a Redis that is away."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Final

import anyio

_PAUSE_SECONDS: Final = 1.0
_LOG = logging.getLogger("quipu.queue")

Step = Callable[[], Awaitable[object]]


class Trouble:
    """Current faults. Each is reported when it begins and when it is over, not all the time."""

    def __init__(self) -> None:
        self._present: set[str] = set()

    async def outlast(self, what: str, step: Step) -> None:
        """Make a step of a loop that must not end; where it fails, that is told, and the next comes later."""
        try:
            await step()
        except Exception as error:  # noqa: BLE001 - the outermost loop of a worker
            if what not in self._present:
                _LOG.warning("%s does not work: %s", what, error)
            self._present.add(what)
            await anyio.sleep(_PAUSE_SECONDS)
        else:
            if what in self._present:
                _LOG.warning("%s works again.", what)
            self._present.discard(what)
