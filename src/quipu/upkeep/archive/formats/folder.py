"""Files that grow in a folder, with their sums."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from quipu.upkeep.archive.manifest import CHECKSUMS


@dataclass(frozen=True, slots=True)
class SummedFile:
    """A file of the folder, with its SHA-256 and its size."""

    name: str
    sha256: str
    bytes: int


class GrowingFolder:
    """A folder whose files are written by pieces; use it as a context.

    ``written`` counts records by their kind in the archive.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._name = ""
        self._file: IO[str] | None = None
        self.written = Counter[str]()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def append(self, name: str, text: str, *, of: str | None = None) -> None:
        """Write a text at the end of a file, which is made if need be; count a record of the kind ``of``."""
        if self._file is None or name != self._name:
            self.close()
            path = self._folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file, self._name = path.open("a", encoding="utf-8", newline=""), name
        self._file.write(text)
        if of is not None:
            self.written[of] += 1

    def line(self, name: str, record: Mapping[str, Any], *, of: str | None = None) -> None:
        """Write a record as a line of JSON at the end of a file."""
        self.append(name, f"{as_json(record)}\n", of=of)

    def has(self, name: str) -> bool:
        """Return True if there is a file, or a folder, of that name."""
        return (self._folder / name).exists()

    def has_file(self, name: str) -> bool:
        """Return True if there is a file of that name."""
        return (self._folder / name).is_file()

    def sums(self) -> list[SummedFile]:
        """Return all files by their names."""
        self.close()
        paths = {path.relative_to(self._folder).as_posix(): path for path in self._folder.rglob("*")}
        return [_summed(name, path) for name, path in sorted(paths.items()) if path.is_file()]

    def checksums(self) -> list[SummedFile]:
        """Write the sums of all files as ``sha256sum`` writes and checks them; return the files."""
        files = self.sums()
        self.append(CHECKSUMS, "".join(f"{one.sha256}  {one.name}\n" for one in files))
        self.close()
        return files

    def close(self) -> None:
        """Close the file that was written last."""
        if self._file is not None:
            self._file.close()
            self._file = None


def as_json(value: object) -> str:
    """Return JSON on one line, without spaces, its names in order, letters as they are."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _summed(name: str, path: Path) -> SummedFile:
    with path.open("rb") as file:
        return SummedFile(name, hashlib.file_digest(file, "sha256").hexdigest(), path.stat().st_size)
