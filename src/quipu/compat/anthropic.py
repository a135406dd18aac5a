"""Anthropic's memory tool over documents (the extra ``anthropic``).

from quipu.compat.anthropic import MemoryTool

client.beta.messages.run_tools(tools=[MemoryTool(space="ana")], …)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from quipu.compat.face import AcloseFace, BlockingFace, Steps
from quipu.compat.memory_files import Files, refusals
from quipu.errors import MissingExtra

try:
    from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool
except ImportError as error:
    raise MissingExtra("anthropic", "Anthropic's memory tool") from error

if TYPE_CHECKING:
    from anthropic.types.beta import (
        BetaCacheControlEphemeralParam,
        BetaMemoryTool20250818CreateCommand,
        BetaMemoryTool20250818DeleteCommand,
        BetaMemoryTool20250818InsertCommand,
        BetaMemoryTool20250818RenameCommand,
        BetaMemoryTool20250818StrReplaceCommand,
        BetaMemoryTool20250818ViewCommand,
    )

    from quipu import AsyncMemory, Memory


class MemoryTool(BlockingFace, BetaAbstractMemoryTool):
    """Memory tool whose files are documents: with versions, found by recall, forgotten with their space.

    ``memory`` is an open memory, or the URL of a server; without one it is the embedded database, as with
    ``Memory()``. What the tool opened itself it closes (``close``, or ``with``). ``path`` is where its files
    stand among the documents. They are kept letter for letter, secrets included.
    """

    def __init__(
        self,
        memory: Memory | str | None = None,
        *,
        space: str = "default",
        path: Sequence[str] | str = "memories",
        user: str | None = None,
        cache_control: BetaCacheControlEphemeralParam | None = None,
    ) -> None:
        BlockingFace.__init__(self, memory, space=space)
        BetaAbstractMemoryTool.__init__(self, cache_control=cache_control)
        self._files = Files(path, space=space, user=user)

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Show the files of a directory, or the lines of a file."""
        return self._run(self._files.view(command))

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Write a new file."""
        return self._run(self._files.create(command))

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace a text that stands once in a file."""
        return self._run(self._files.str_replace(command))

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert lines into a file."""
        return self._run(self._files.insert(command))

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Delete a file, or a directory with all that is in it."""
        return self._run(self._files.delete(command))

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Give a file or a directory another name."""
        return self._run(self._files.rename(command))

    def clear_all_memory(self) -> str:
        """Delete all files."""
        return self._run(self._files.clear())

    def _run(self, steps: Steps[str]) -> str:
        with refusals():
            return self._follow(steps)


class AsyncMemoryTool(AcloseFace, BetaAsyncAbstractMemoryTool):
    """Memory tool of an async client, else as ``MemoryTool``; what it opened itself ``aclose`` closes."""

    def __init__(
        self,
        memory: AsyncMemory | Memory | str | None = None,
        *,
        space: str = "default",
        path: Sequence[str] | str = "memories",
        user: str | None = None,
        cache_control: BetaCacheControlEphemeralParam | None = None,
    ) -> None:
        AcloseFace.__init__(self, memory, space=space)
        BetaAsyncAbstractMemoryTool.__init__(self, cache_control=cache_control)
        self._files = Files(path, space=space, user=user)

    async def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Show the files of a directory, or the lines of a file."""
        return await self._run(self._files.view(command))

    async def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Write a new file."""
        return await self._run(self._files.create(command))

    async def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace a text that stands once in a file."""
        return await self._run(self._files.str_replace(command))

    async def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert lines into a file."""
        return await self._run(self._files.insert(command))

    async def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Delete a file, or a directory with all that is in it."""
        return await self._run(self._files.delete(command))

    async def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Give a file or a directory another name."""
        return await self._run(self._files.rename(command))

    async def clear_all_memory(self) -> str:
        """Delete all files."""
        return await self._run(self._files.clear())

    async def _run(self, steps: Steps[str]) -> str:
        with refusals():
            return await self._afollow(steps)
