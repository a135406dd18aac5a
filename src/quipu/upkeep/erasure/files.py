"""Search for strings in files: as bytes, through compression, tar and zip, and in the values of SQLite.

Every layer of a file is searched as it is read, so headers and the names of members are searched as well.
"""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import os
import sqlite3
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, cast

from quipu.kernel.db import queries
from quipu.upkeep.erasure.limits import Limit

if TYPE_CHECKING:
    from typing_extensions import Buffer

_CHUNK: Final = 1 << 20
_DEEPEST: Final = 5
_TAR_MAGIC: Final = slice(257, 262)
_HEADER: Final = 512
_SQLITE: Final = b"SQLite format 3\0"
_SQLITE_VALUES: Final = queries.load("quipu.upkeep.erasure", folder="sqlite")
_CLOSED: Final = {
    b"PGDMP": "a dump of pg_dump in its own format; pg_restore --file=plain.sql makes it plain",
    b"\x04\x22\x4d\x18": "compressed with lz4; unpack it first",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive; unpack it first",
    b"Rar!": "a rar archive; unpack it first",
    b"Salted__": "encrypted; decrypt it first",
    b"age-encryption.org": "encrypted; decrypt it first",
    b"-----BEGIN PGP MESSAGE": "encrypted; decrypt it first",
}
_BROKEN: Final = (OSError, EOFError, tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError)


class Unread(Exception):
    """A part of a file could not be read through; says why."""


class _Enough(Exception):
    """Signal that a string was found and no more is needed."""


@dataclass(slots=True)
class FileFindings:
    """Findings in a file: whether it holds a string, what could not be read, digests of its layers."""

    holds: bool = False
    unread: list[str] = field(default_factory=list[str])
    sha256: list[str] = field(default_factory=list[str])


def look(path: Path, strings: Sequence[bytes], limit: Limit, *, digests: bool = False) -> FileFindings:
    """Search one file. With ``digests`` it is read to its end, and each of its layers is digested.

    Raises:
        Reached: a limit was reached before its end.
    """
    scan = _Scan(strings, limit, digests=digests)
    try:
        with path.open("rb", buffering=0) as file:
            scan.layer(file, depth=0, path=path)
    except _Enough:
        pass
    except _BROKEN as error:
        if path.exists():  # what vanished meanwhile holds nothing
            scan.seen.unread.append(f"it cannot be read: {error}")
    return scan.seen


def files(root: Path, *, without: Collection[Path] = ()) -> Iterator[Path]:
    """Yield every file below a directory, or the file itself, in a stable order. All paths are resolved."""
    if root.is_file():
        yield root
        return
    for parent, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if Path(parent, name) not in without)
        for name in sorted(names):
            path = Path(parent, name)
            if path.is_file() and not path.is_symlink() and path not in without:
                yield path


class _Passing(io.RawIOBase):
    """A stream of which every byte is searched, counted and digested as it is read."""

    def __init__(self, inner: IO[bytes], scan: _Scan) -> None:
        self._inner = inner
        self._scan = scan
        self._before = b""
        self._digest = hashlib.sha256() if scan.digests else None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer) -> int:
        chunk = self._inner.read(len(memoryview(buffer)))
        if chunk:
            memoryview(buffer)[: len(chunk)] = chunk
            self._before = self._scan.search(self._before + chunk)
            if self._digest is not None:
                self._digest.update(chunk)
            self._scan.limit.spend(len(chunk))
        return len(chunk)

    @property
    def sha256(self) -> str | None:
        return None if self._digest is None else self._digest.hexdigest()


class _Scan:
    def __init__(self, strings: Sequence[bytes], limit: Limit, *, digests: bool) -> None:
        self.limit = limit
        self.digests = digests
        self.seen = FileFindings()
        self._strings = strings
        self._kept = max((len(one) for one in strings), default=1) - 1

    def search(self, text: bytes) -> bytes:
        """Search bytes; return their end, with which the next bytes are searched."""
        if not self.seen.holds and any(one in text for one in self._strings):
            self.seen.holds = True
        if self.seen.holds and not self.digests:
            raise _Enough
        return text[-self._kept :] if self._kept else b""

    def layer(self, inner: IO[bytes], *, depth: int, path: Path | None = None) -> None:
        """Search a stream and what is packed in it; ``path`` is given if it is a file of its own."""
        passing = _Passing(inner, self)
        stream = io.BufferedReader(passing, _CHUNK)
        start = stream.peek(_HEADER)
        try:
            self._unpack(start, stream, depth=depth, path=path)
        except Unread as why:
            self.seen.unread.append(str(why))
        except _BROKEN as error:
            self.seen.unread.append(f"it is damaged: {error}")
        while stream.read(_CHUNK):
            pass
        if passing.sha256 is not None:
            self.seen.sha256.append(passing.sha256)

    def _unpack(self, start: bytes, stream: IO[bytes], *, depth: int, path: Path | None) -> None:
        opened = _opener(start)
        packed = opened is not None or start[_TAR_MAGIC] == b"ustar" or start.startswith(b"PK\x03\x04")
        if packed and depth >= _DEEPEST:
            raise Unread(f"packed {depth} times; unpack it first")
        for magic, why in _CLOSED.items():
            if start.startswith(magic):
                raise Unread(why)
        if opened is not None:
            self.layer(opened(stream), depth=depth + 1)
        elif start[_TAR_MAGIC] == b"ustar":
            with tarfile.open(fileobj=stream, mode="r|") as archive:
                for member in archive:
                    file = archive.extractfile(member) if member.isfile() else None
                    if file is not None:
                        self.layer(file, depth=depth + 1)
        elif start.startswith(b"PK\x03\x04"):
            with _on_disk(stream, path) as file, zipfile.ZipFile(file) as archive:
                for name in archive.namelist():
                    self._member(archive, name, depth=depth + 1)
        elif start.startswith(_SQLITE):
            with _on_disk(stream, path) as file:
                self._values(file.name)

    def _member(self, archive: zipfile.ZipFile, name: str, *, depth: int) -> None:
        try:
            with archive.open(name) as file:
                self.layer(file, depth=depth)
        except (RuntimeError, NotImplementedError) as error:
            raise Unread(f"{error}; unpack it first") from None

    def _values(self, path: str) -> None:
        """Search the values of an SQLite file: as bytes, a long one lies in pieces on several pages."""
        try:
            with closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as connection:
                connection.text_factory = bytes
                for (name,) in connection.execute(_SQLITE_VALUES["tables"]).fetchall():
                    quoted = name.decode("utf-8", "replace").replace('"', '""')
                    for row in connection.execute(_SQLITE_VALUES["rows"].format(table=f'"{quoted}"')):
                        for value in row:
                            if isinstance(value, bytes):
                                self.limit.spend(0)
                                self.search(value)
        except sqlite3.Error as error:
            raise Unread(f"as SQLite it cannot be read: {error}") from None


def _on_disk(stream: IO[bytes], path: Path | None) -> IO[bytes]:
    """Return a file with the bytes of a stream: its own, or one that is deleted when it is closed."""
    if path is not None:
        return path.open("rb")
    copy = tempfile.NamedTemporaryFile(prefix="quipu-check-")  # noqa: SIM115 - the caller closes it
    while chunk := stream.read(_CHUNK):
        copy.write(chunk)
    copy.flush()
    return cast("IO[bytes]", copy)


def _opener(start: bytes) -> Callable[[IO[bytes]], IO[bytes]] | None:
    """Return a function that unpacks a stream that begins so; None if it is not packed."""
    if start.startswith(b"\x1f\x8b"):
        return lambda stream: cast("IO[bytes]", gzip.GzipFile(fileobj=stream))
    if start.startswith(b"BZh"):
        return lambda stream: cast("IO[bytes]", bz2.BZ2File(stream))
    if start.startswith(b"\xfd7zXZ\0"):
        return lambda stream: cast("IO[bytes]", lzma.LZMAFile(stream))
    if start.startswith(b"\x28\xb5\x2f\xfd"):
        return _zstandard
    return None


def _zstandard(stream: IO[bytes]) -> IO[bytes]:
    try:
        library: Any = import_module("zstandard")
    except ImportError:
        raise Unread(
            "compressed with Zstandard; pip install 'quipu-memory[zstd]', or unpack it first"
        ) from None
    return library.ZstdDecompressor().stream_reader(stream, read_across_frames=True)
