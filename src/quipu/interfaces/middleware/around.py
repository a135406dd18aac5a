"""Interface of the middleware that a turn needs, in either form."""

from __future__ import annotations

from typing import Protocol

from quipu.interfaces.middleware.model import Recalled


class Around(Protocol):
    """Recovers before an answer and takes the turn in after it; see ``Middleware``."""

    def before(self, message: object) -> Recalled:
        """Recall what matters for a message, in time or not at all."""
        ...

    async def abefore(self, message: object) -> Recalled:
        """Recall as ``before`` does, for code in an event loop."""
        ...

    def after(self, message: object, answer: object = "", *, recalled: Recalled | None = None) -> None:
        """Have the turn written down and evaluated, in the background."""
        ...
