"""An agent with memory around it: plain functions, coroutine functions, generators, and what returns them."""

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator
from contextlib import aclosing
from functools import wraps
from typing import Any, cast

from quipu.interfaces.middleware import prompt
from quipu.interfaces.middleware.around import Around
from quipu.interfaces.middleware.model import Recalled

Said = Callable[[Any], "str | None"]


class _Round:
    """One call of a wrapped agent: what it is called with, and what becomes of what it says."""

    def __init__(self, middleware: Around, said: Said, message: Any, recalled: Recalled) -> None:
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
            found = await result
            if isinstance(found, (AsyncIterator, Iterator)):
                return self.pass_on(found)
            answer = self._said(found) or ""
        except BaseException:
            self.end("")
            raise
        self.end(answer)
        return found

    def stream(self, pieces: Iterator[Any]) -> Iterator[Any]:
        said: list[str] = []
        try:
            for piece in pieces:
                said.append(self._said(piece) or "")
                yield piece
        finally:  # also where nobody reads on
            self.end("".join(said))

    async def astream(self, pieces: AsyncIterator[Any]) -> AsyncGenerator[Any]:
        said: list[str] = []
        try:
            async for piece in pieces:
                said.append(self._said(piece) or "")
                yield piece
        finally:
            self.end("".join(said))
            # Nobody else closes an async generator before it is collected.
            if isinstance(pieces, AsyncGenerator):
                await cast("AsyncGenerator[Any]", pieces).aclose()


def wrapped(middleware: Around, agent: Callable[..., Any], said: Said) -> Any:
    """Put memory around the agent; a coroutine function or a generator stays one."""
    named = _takes_memory(agent)

    def given(recalled: Recalled, message: Any, kwargs: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        if named:
            return message, {"memory": recalled.block, **kwargs}
        return prompt.with_memory(message, recalled.block), kwargs

    def plain(message: Any, *args: Any, **kwargs: Any) -> Any:
        recalled = middleware.before(message)
        turn = _Round(middleware, said, message, recalled)
        asked, kwargs = given(recalled, message, kwargs)
        try:
            result = agent(asked, *args, **kwargs)
        except BaseException:
            turn.end("")
            raise
        return turn.pass_on(result)

    async def waiting(message: Any, *args: Any, **kwargs: Any) -> Any:
        recalled = await middleware.abefore(message)
        asked, kwargs = given(recalled, message, kwargs)
        return await _Round(middleware, said, message, recalled).awaited(agent(asked, *args, **kwargs))

    def streaming(message: Any, *args: Any, **kwargs: Any) -> Iterator[Any]:
        recalled = middleware.before(message)
        asked, kwargs = given(recalled, message, kwargs)
        yield from _Round(middleware, said, message, recalled).stream(agent(asked, *args, **kwargs))

    async def astreaming(message: Any, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        recalled = await middleware.abefore(message)
        asked, kwargs = given(recalled, message, kwargs)
        turn = _Round(middleware, said, message, recalled)
        async with aclosing(turn.astream(agent(asked, *args, **kwargs))) as pieces:
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
