"""A file in pieces of whole lines, from where it was read to the last time."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, Final, Protocol, Self

from quipu.kernel.base.lines import compression, next_line, open_regular, rest_of_line

CHUNK_BYTES: Final = 4 * 1024 * 1024
FIRST_BYTES: Final = 512 * 1024
_BLOCK_BYTES: Final = 1024 * 1024


class _Running(Protocol):
    """A running SHA-256."""

    def update(self, data: bytes | memoryview, /) -> None: ...
    def digest(self) -> bytes: ...
    def copy(self) -> Self: ...


@dataclass(frozen=True, slots=True)
class Mark:
    """Mark of how far a file was read, and the SHA-256 of all that was read of it."""

    offset_bytes: int
    prefix_sha256: bytes


START: Final = Mark(0, hashlib.sha256().digest())
AGAIN: Final = Mark(0, b"")
"""Of a file that is to be read from its beginning, whatever was read of it."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Whole lines of a file, and how far it is read with them.

    ``overlong`` counts lines that were passed over because they were longer than 64 MiB. ``reread``: the file
    was rewritten since the last time, and this is read from its beginning. ``binary``: what follows is no
    text; ``packed``: how it is compressed, where it is. ``waiting``: a last line follows that has no end yet.
    """

    lines: list[bytes]
    mark: Mark
    overlong: int = 0
    reread: bool = False
    binary: bool = False
    packed: str | None = None
    waiting: bool = False


def chunks(path: Path, since: Mark = START, *, size_bytes: int = CHUNK_BYTES) -> Iterator[Chunk]:
    """Yield the file's content beyond ``since``; all of it if what was read before has changed.

    A last line that is still being written waits: it comes when it has its end, or is a whole JSON object.
    Only one piece is in memory at a time. The first has 512 KiB and each is twice as large as the one before,
    up to ``size_bytes``: whoever stores them has something to do soon.

    Raises:
        OSError: it cannot be read.
    """
    with open_regular(path) as file:
        running = hashlib.sha256()
        stands = _hash(file, since.offset_bytes, running) and running.digest() == since.prefix_sha256
        if not stands:
            file.seek(0)
            running = hashlib.sha256()
        yield from _pieces(
            file, since.offset_bytes if stands else 0, running, size_bytes=size_bytes, reread=not stands
        )


def _hash(file: BinaryIO, length: int, running: _Running) -> bool:
    """Feed the beginning of the file to a hash; whether there was so much of it."""
    while length and (block := file.read(min(length, _BLOCK_BYTES))):
        running.update(block)
        length -= len(block)
    return length == 0


def _pieces(
    file: BinaryIO, offset: int, running: _Running, *, size_bytes: int, reread: bool
) -> Iterator[Chunk]:
    overlong = 0
    binary = waiting = False
    size = min(FIRST_BYTES, size_bytes)
    while True:
        file.seek(offset)
        block = file.read(size)
        if offset == 0 and (packed := compression(block)) is not None:
            yield Chunk([], Mark(0, running.digest()), reread=reread, binary=True, packed=packed)
            return
        ends = block.rfind(b"\n") + 1
        if ends:
            lines = BytesIO(block).readlines()
            if ends < len(block):
                lines.pop()
        else:  # the last line, or one that is longer than a block
            file.seek(offset)
            piece = next_line(file)
            line = b"" if piece is None else piece.data
            if piece is not None and not piece.whole:
                longer = running.copy()
                length = _skip(file, line, longer)
                if length is None:
                    waiting = True
                    break
                running, offset, overlong = longer, offset + length, overlong + 1
                continue
            if not line.endswith(b"\n") and not _is_whole(line):
                binary = b"\0" in line
                waiting = bool(line) and not binary
                break
            block, ends, lines = line, len(line), [line]
        running.update(memoryview(block)[:ends])
        offset += ends
        yield Chunk(lines, Mark(offset, running.digest()), overlong, reread)
        overlong, reread, size = 0, False, min(2 * size, size_bytes)
    if overlong or reread or binary or waiting:
        yield Chunk([], Mark(offset, running.digest()), overlong, reread, binary, waiting=waiting)


def _skip(file: BinaryIO, line: bytes, running: _Running) -> int | None:
    """Pass over a line that is too long; its length, or None where it has no end yet."""
    running.update(line)
    length = len(line)
    for piece in rest_of_line(file):
        running.update(piece)
        length += len(piece)
        if piece.endswith(b"\n"):
            return length
    return None


def _is_whole(line: bytes) -> bool:
    """Return True if a line without an end is complete nevertheless."""
    if not line.rstrip().endswith(b"}"):
        return False
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True
