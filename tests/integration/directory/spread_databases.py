"""Addresses of a directory and its databases, as the tests of a folder share them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace

from quipu import AsyncMemory
from quipu.kernel.config import Settings

Home = Callable[[str], AbstractAsyncContextManager[None]]
"""Has new spaces of a block made in the database of that name."""


@dataclass(frozen=True)
class Spread:
    """The address of a directory, those of its databases by name, and settings that lead to any of them."""

    directory: str
    databases: dict[str, str]
    settings: Settings

    def memory(self) -> AsyncMemory:
        """A memory over all of them, as another process would open it."""
        return AsyncMemory(settings=replace(self.settings, directory_url=self.directory))

    def plain(self, name: str) -> AsyncMemory:
        """A memory that knows one of them and no directory."""
        return AsyncMemory(settings=replace(self.settings, database_url=self.databases[name]))
