"""One turn of a conversation as a context manager, blocking or async."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from quipu.interfaces.middleware.around import Around
from quipu.interfaces.middleware.model import Recalled


class Turn:
    """A turn: ``memory`` is the block for the prompt, ``answered`` is told what the agent said.

    When the block ends, the turn is written in the background: the user's words, and the answer where there
    was one.
    """

    def __init__(self, middleware: Around, message: str) -> None:
        self._middleware = middleware
        self._message = message
        self._answer = ""
        self.recalled: Recalled | None = None

    @property
    def memory(self) -> str:
        """The marked block for the prompt; empty where nothing is known, or memory was not to be had."""
        return self.recalled.block if self.recalled else ""

    def answered(self, text: str) -> str:
        """Note the answer, or the next piece of it; the piece is returned."""
        self._answer += text
        return text

    def __enter__(self) -> Self:
        self.recalled = self._middleware.before(self._message)
        return self

    async def __aenter__(self) -> Self:
        self.recalled = await self._middleware.abefore(self._message)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._middleware.after(self._message, self._answer, recalled=self.recalled)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.__exit__(kind, error, trace)
