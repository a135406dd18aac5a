"""An agent with memory around it, turn by turn: functions, coroutines, generators, and what returns them."""

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator
from contextlib import aclosing
from functools import wraps
from types import TracebackType
from typing import Any, Protocol, Self, cast

from quipu.interfaces.middleware import prompt
from quipu.interfaces.middleware.model import Recalled

TextOf = Callable[[Any], "str | None"]


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


class _Round:
    """One call of a wrapped agent: what it is called with, and what becomes of what it says."""

    def __init__(self, middleware: Around, said: TextOf, message: Any, recalled: Recalled) -> None:
        self._middleware = middleware
        self._said = said
        self._message = message
        self._recalled = recalled

    def end(self, answer: str) -> None:
        self._middleware.after(self._message, answer, recalled=self._recalled)

    def pass_on(self, result: Any) -> Any:
        """Return the result unchanged; the turn ends with it, or with the stream or awaitable that it is."""
        if isinstance(result, AsyncIterator):
            return self.astream(cast("AsyncIterator[Any]", result))
        if isinstance(result, Iterator):
            return self.stream(cast("Iterator[Any]", result))
        if inspect.isawaitable(result):
            return self.awaited(result)
        self.end(self._said(result) or "")
        return result

    async def awaited(self, result: Awaitable[Any]) -> Any:
        answer = ""
        try:
            value = await result
            if isinstance(value, (AsyncIterator, Iterator)):
                return self.pass_on(value)
            answer = self._said(value) or ""
        except BaseException:
            self.end("")
            raise
        self.end(answer)
        return value

    def stream(self, pieces: Iterator[Any]) -> Iterator[Any]:
        pieces_read: list[str] = []
        try:
            for piece in pieces:
                pieces_read.append(self._said(piece) or "")
                yield piece
        finally:  # also where nobody reads on
            self.end("".join(pieces_read))

    async def astream(self, pieces: AsyncIterator[Any]) -> AsyncGenerator[Any]:
        pieces_read: list[str] = []
        try:
            async for piece in pieces:
                pieces_read.append(self._said(piece) or "")
                yield piece
        finally:
            self.end("".join(pieces_read))
            # Nobody else closes an async generator before it is collected.
            if isinstance(pieces, AsyncGenerator):
                await cast("AsyncGenerator[Any]", pieces).aclose()


def wrapped(middleware: Around, agent: Callable[..., Any], said: TextOf) -> Any:
    """Put memory around the agent; a coroutine function or a generator stays one."""
    named = _takes_memory(agent)

    def given(recalled: Recalled, message: Any, kwargs: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        if named:
            return message, {"memory": recalled.block, **kwargs}
        return prompt.with_memory(message, recalled.block), kwargs

    def plain(message: Any, *args: Any, **kwargs: Any) -> Any:
        recalled = middleware.before(message)
        turn = _Round(middleware, said, message, recalled)
        request, kwargs = given(recalled, message, kwargs)
        try:
            result = agent(request, *args, **kwargs)
        except BaseException:
            turn.end("")
            raise
        return turn.pass_on(result)

    async def waiting(message: Any, *args: Any, **kwargs: Any) -> Any:
        recalled = await middleware.abefore(message)
        request, kwargs = given(recalled, message, kwargs)
        return await _Round(middleware, said, message, recalled).awaited(agent(request, *args, **kwargs))

    def streaming(message: Any, *args: Any, **kwargs: Any) -> Iterator[Any]:
        recalled = middleware.before(message)
        request, kwargs = given(recalled, message, kwargs)
        yield from _Round(middleware, said, message, recalled).stream(agent(request, *args, **kwargs))

    async def astreaming(message: Any, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        recalled = await middleware.abefore(message)
        request, kwargs = given(recalled, message, kwargs)
        turn = _Round(middleware, said, message, recalled)
        async with aclosing(turn.astream(agent(request, *args, **kwargs))) as pieces:
            async for piece in pieces:
                yield piece

    for is_it, form in (
        (inspect.isasyncgenfunction, astreaming),
        (inspect.isgeneratorfunction, streaming),
        (inspect.iscoroutinefunction, waiting),
    ):
        if is_it(agent) or is_it(getattr(agent, "__call__", None)):  # noqa: B004 - of an object, what is called
            return wraps(agent)(form)
    return wraps(agent)(plain)


def _takes_memory(agent: Callable[..., Any]) -> bool:
    try:
        return "memory" in inspect.signature(agent).parameters
    except (TypeError, ValueError):  # built in, without a signature
        return False
