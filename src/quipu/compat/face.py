"""Classes in the form of a peer, over a memory that the caller opened or that is opened here."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Self, TypeVar

from quipu import Memory
from quipu.errors import QuipuError

if TYPE_CHECKING:
    from quipu import AsyncMemory

T = TypeVar("T")

Call = Callable[[Any], Any]
"""A call of a memory, which blocks or is awaited."""

Steps = Generator[Call, Any, T]
"""Calls, each answered before the next; what is returned is the answer to all."""


class Face:
    """A class over a memory, opened here or by the caller, and a space of it."""

    def __init__(self, memory: Memory | AsyncMemory | str | None = None, *, space: str = "default") -> None:
        self._owned = memory is None or isinstance(memory, str)
        self._memory = Memory(url=memory) if memory is None or isinstance(memory, str) else memory
        self._space = space

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.to_thread(self._end)

    def _end(self) -> None:
        """Close the memory, if it was opened here."""
        if self._owned and isinstance(self._memory, Memory):
            self._memory.close()

    @property
    def _blocking(self) -> Memory:
        """The memory; one that must be awaited is refused."""
        if not isinstance(self._memory, Memory):
            raise QuipuError(
                "This has an AsyncMemory, which cannot be used without await.",
                hint="Use the methods that are awaited, or give it a Memory.",
            )
        return self._memory

    async def _answer(self, call: Call) -> Any:
        """Make a call; of a memory that blocks, in a thread."""
        if isinstance(self._memory, Memory):
            return await asyncio.to_thread(call, self._memory)
        return await call(self._memory)

    async def _do(self, name: str, /, *args: Any, **kwargs: Any) -> Any:
        """Call a method of the memory, in the space."""
        method = attrgetter(name)
        return await self._answer(lambda memory: method(memory)(*args, space=self._space, **kwargs))

    def _follow(self, steps: Steps[T]) -> T:
        """Make the calls of steps, and return their answer."""
        memory = self._blocking
        try:
            call = next(steps)
            while True:
                try:
                    answer = call(memory)
                except QuipuError as error:
                    call = steps.throw(error)
                else:
                    call = steps.send(answer)
        except StopIteration as done:
            return done.value

    async def _afollow(self, steps: Steps[T]) -> T:
        """Make the calls of steps, each awaited, and return their answer."""
        try:
            call = next(steps)
            while True:
                try:
                    answer = await self._answer(call)
                except QuipuError as error:
                    call = steps.throw(error)
                else:
                    call = steps.send(answer)
        except StopIteration as done:
            return done.value


class AsyncFace(Face):
    """A face whose ``close`` is awaited."""

    async def close(self) -> None:
        """Close the memory, if it was opened here."""
        await asyncio.to_thread(self._end)


class BlockingFace(Face):
    """A face whose ``close`` blocks."""

    def close(self) -> None:
        """Close the memory, if it was opened here."""
        self._end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()


class AcloseFace(Face):
    """A face that ``aclose`` closes."""

    async def aclose(self) -> None:
        """Close the memory, if it was opened here."""
        await asyncio.to_thread(self._end)
