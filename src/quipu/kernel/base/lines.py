"""Regular files and their lines, none loaded beyond a limit; and how a file begins that is no text."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from errno import EINVAL, ENXIO
from pathlib import Path
from stat import S_ISREG
from typing import BinaryIO, Final, Protocol

LINE_BYTES: Final = 64 * 1024 * 1024
"""What a line may have that is loaded whole."""
TOO_LONG: Final = f"longer than {LINE_BYTES >> 20} MiB"

_PIECE_BYTES: Final = 1024 * 1024
_COMPRESSED: Final = {
    b"\x1f\x8b": "gzip",
    b"PK\x03\x04": "zip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"7z\xbc\xaf\x27\x1c": "7-Zip",
    b"\x04\x22\x4d\x18": "lz4",
    b"Rar!": "RAR",
}


NO_FILE: Final = "it is no regular file"
PIPE_IN: Final = "What comes by a pipe is handed in on standard input: -"


def is_regular(stat: os.stat_result) -> bool:
    """Return True if it is a regular file, and no pipe, socket or device."""
    return S_ISREG(stat.st_mode)


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file for reading bytes. It is checked once open: nothing can take its place then.

    Raises:
        OSError: it is not there, a directory, a pipe, a socket or a device, or we may not read it.
    """
    try:
        file = open(path, "rb", opener=_at_once)  # noqa: SIM115 - the caller closes it
    except OSError as failed:
        raise (_no_file(path) if failed.errno == ENXIO else failed) from None  # a socket
    if not is_regular(os.fstat(file.fileno())):
        file.close()
        raise _no_file(path)
    return file


def _at_once(path: str, flags: int) -> int:
    """Open without waiting for the writer of a pipe."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _no_file(path: Path) -> OSError:
    return OSError(EINVAL, NO_FILE, str(path))


class Readable(Protocol):
    """A file that is open for reading bytes."""

    def read(self, size: int = ..., /) -> bytes:
        """Return at most so many bytes."""
        ...

    def readline(self, size: int = ..., /) -> bytes:
        """Return the bytes to the end of the line, at most so many."""
        ...


@dataclass(frozen=True, slots=True)
class Line:
    """A line with its end. Where it is not ``whole``, its beginning: the rest is still to be read."""

    data: bytes
    whole: bool


def next_line(file: Readable, most_bytes: int = LINE_BYTES) -> Line | None:
    """Return the next line, None where none is left; at most so many bytes of it and its end are loaded."""
    data = file.readline(most_bytes + 1)
    return Line(data, len(data) <= most_bytes or data.endswith(b"\n")) if data else None


def rest_of_line(file: Readable) -> Iterator[bytes]:
    """Yield the rest of a line, piece by piece; the last piece has the line's end, if it has one."""
    while data := file.readline(_PIECE_BYTES):
        yield data
        if data.endswith(b"\n"):
            return


def all_of(file: Readable) -> bytes | None:
    """Return all that is left of a file, or None where that is more than a line may have."""
    data = file.read(LINE_BYTES + 1)
    return data if len(data) <= LINE_BYTES else None


def compression(data: bytes) -> str | None:
    """Return the compression of a file that begins with this (``gzip``, ``zip``, ``zstd``, ...), or None.

    Nothing that is handed in is unpacked: a file of some kilobytes may unpack to more than any disk holds.
    """
    return next((name for mark, name in _COMPRESSED.items() if data.startswith(mark)), None)
