"""Memory tools of Anthropic's tests that are ours: the files that a test writes and reads are documents."""

from __future__ import annotations

import os
from functools import wraps
from pathlib import Path
from uuid import uuid4

from anyio import Path as AsyncPath

from quipu import Memory
from quipu.compat.anthropic import AsyncMemoryTool, MemoryTool

MEMORY = Memory(os.environ["QUIPU_HOME"])
COMMANDS = ("view", "create", "str_replace", "insert", "delete", "rename", "clear_all_memory")


class Mirror:
    """A directory that a test looks at, and the documents that stand for it."""

    def __init__(self, base_path):
        self.base_path = Path(base_path)
        self.memory_root = self.base_path / "memories"
        self.memory_root.mkdir(parents=True, exist_ok=True)
        self.space = f"t{uuid4().hex}"

    def read(self):
        """Have the documents be the files."""
        files = {one: one.read_bytes().decode() for one in self.memory_root.rglob("*") if one.is_file()}
        for one in MEMORY.documents.list("memories", space=self.space, limit=1_000):
            if self._file(one) not in files:
                MEMORY.documents.delete(one.path, one.key, space=self.space)
        for file, text in files.items():
            *path, key = file.relative_to(self.base_path).parts
            MEMORY.documents.put(path, key, space=self.space, body=text, verbatim=True)

    def write(self):
        """Have the files be the documents."""
        documents = {self._file(one): one for one in MEMORY.documents.list("memories", space=self.space)}
        for file in self.memory_root.rglob("*"):
            if file.is_file() and file not in documents:
                file.unlink()
        for file, one in documents.items():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes((one.body or "").encode())

    def _file(self, document):
        return self.base_path.joinpath(*document.path, document.key)


def mirrored(tool, path):
    """Return a tool each command of which reads the directory before, and writes it after.

    ``path`` is the class of its paths.
    """

    class Mirrored(tool):
        def __init__(self, base_path):
            self._mirror = Mirror(base_path)
            self.base_path = self._mirror.base_path
            self.memory_root = path(self._mirror.memory_root)
            super().__init__(MEMORY, space=self._mirror.space)

    for name in COMMANDS:
        setattr(Mirrored, name, _around(getattr(tool, name), is_async=tool is AsyncMemoryTool))
    return Mirrored


def _around(command, *, is_async):
    @wraps(command)
    def called(self, *arguments):
        self._mirror.read()
        try:
            return command(self, *arguments)
        finally:
            self._mirror.write()

    @wraps(command)
    async def awaited(self, *arguments):
        self._mirror.read()
        try:
            return await command(self, *arguments)
        finally:
            self._mirror.write()

    return awaited if is_async else called


BetaLocalFilesystemMemoryTool = mirrored(MemoryTool, Path)
BetaAsyncLocalFilesystemMemoryTool = mirrored(AsyncMemoryTool, AsyncPath)
