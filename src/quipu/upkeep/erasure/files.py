"""Looking for strings in files: as bytes, and through gzip and tar."""

from __future__ import annotations

import gzip
import os
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Final

from quipu.upkeep.erasure.model import Place

_CHUNK: Final = 1 << 20


def look_through(name: str, root: Path, strings: Sequence[bytes], *, note: str = "") -> Place:
    """How many files below a directory, or whether a file, holds one of the strings."""
    if not root.exists():
        return Place(name, 0, "it is not there any more")
    found, unread = 0, 0
    for path in _files(root):
        try:
            found += holds(path, strings)
        except (OSError, EOFError, tarfile.TarError):
            unread += path.exists()  # what vanished meanwhile holds nothing
    if unread:
        return Place(name, found or None, f"{unread} files could not be read")
    return Place(name, found, note)


def holds(path: Path, strings: Sequence[bytes]) -> bool:
    """Whether a file holds one of the strings, read through gzip and tar."""
    if path.suffix in {".gz", ".tgz"}:
        with gzip.open(path) as unpacked:
            if _in(unpacked, strings):
                return True
    elif path.suffix == ".tar":
        with tarfile.open(path) as archive:
            members = (archive.extractfile(one) for one in archive if one.isfile())
            return any(member is not None and _in(member, strings) for member in members)
    with path.open("rb") as file:
        return _in(file, strings)


def _in(file: IO[bytes] | gzip.GzipFile, strings: Sequence[bytes]) -> bool:
    kept = max(len(one) for one in strings) - 1
    before = b""
    while chunk := file.read(_CHUNK):
        seen = before + chunk
        if any(one in seen for one in strings):
            return True
        before = seen[-kept:] if kept else b""
    return False


def _files(root: Path) -> Iterator[Path]:
    if root.is_file():
        yield root
        return
    for parent, _, names in os.walk(root):
        for name in names:
            path = Path(parent, name)
            if path.is_file() and not path.is_symlink():
                yield path
