"""A memory that a class of a peer stands on: opened by the caller, or here."""

from __future__ import annotations

import asyncio
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Self

from quipu import Memory

if TYPE_CHECKING:
    from quipu import AsyncMemory


class Opened:
    """A memory, opened here or by the caller, and a space of it."""

    def __init__(self, memory: Memory | AsyncMemory | str | None = None, *, space: str = "default") -> None:
        self._owned = memory is None or isinstance(memory, str)
        self._memory = Memory(url=memory) if memory is None or isinstance(memory, str) else memory
        self._space = space

    async def close(self) -> None:
        """Close the memory, if it was opened here."""
        if self._owned and isinstance(self._memory, Memory):
            await asyncio.to_thread(self._memory.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _do(self, name: str, /, *args: Any, **kwargs: Any) -> Any:
        """Call a method of the memory; one that blocks, in a thread."""
        method = attrgetter(name)(self._memory)
        if isinstance(self._memory, Memory):
            return await asyncio.to_thread(method, *args, space=self._space, **kwargs)
        return await method(*args, space=self._space, **kwargs)
