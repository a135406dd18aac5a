"""What a turn needs of the middleware, whichever form it has."""

from __future__ import annotations

from typing import Protocol

from quipu.interfaces.middleware.model import Recalled


class Around(Protocol):
    """Recovers before an answer and takes the turn in after it; see ``Middleware``."""

    def before(self, message: object) -> Recalled:
        """What is known that matters for a message, in time or not at all."""
        ...

    async def abefore(self, message: object) -> Recalled:
        """``before``, for code in an event loop."""
        ...

    def after(self, message: object, answer: object = "", *, recalled: Recalled | None = None) -> None:
        """Have the turn written down and evaluated, in the background."""
        ...
