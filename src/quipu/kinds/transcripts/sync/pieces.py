"""Pieces of files on their way to the database: read and cleaned in one thread while others are stored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from quipu.kernel.base.lines import TOO_LONG
from quipu.kernel.base.text import Marks
from quipu.kinds.transcripts.formats import transcript
from quipu.kinds.transcripts.formats.chunks import CHUNK_BYTES, FIRST_BYTES, START, Chunk, Mark, chunks
from quipu.kinds.transcripts.formats.cleanup import clean_reading
from quipu.kinds.transcripts.formats.model import Reading
from quipu.kinds.transcripts.formats.places import Transcript
from quipu.kinds.transcripts.sync.model import Trouble

_BINARY: Final = "it is no text; nothing more of it was read."
_OVERLONG: Final = f"lines {TOO_LONG}, passed over"
_PACKED: Final = "it is compressed ({}); unpack it."
_WAITS: Final = "its last line has no end yet, and waits for it."
_READ_AGAIN: Final = "it was rewritten since the last time, and read again."
_MOST_LINES: Final = 4_000


@dataclass(frozen=True, slots=True)
class Piece:
    """Some lines of a file, and how far it is read with them.

    ``last``: that is all of it; ``waiting``: a last line has no end yet.
    """

    file: Transcript
    mark: Mark
    reading: Reading
    trouble: str | None = None
    reread: bool = False
    last: bool = False
    waiting: bool = False

    @property
    def is_bare(self) -> bool:
        """True if half a line is all that its file has: its project is not known yet."""
        return self.waiting and not self.mark.offset_bytes and not self.reread


@dataclass(slots=True)
class Batch:
    """Pieces that are stored together; ``bytes`` of files are dealt with by then.

    So many bytes, or a few thousand lines, are ``enough`` for a transaction.
    """

    enough: int = CHUNK_BYTES
    pieces: list[Piece] = field(default_factory=list[Piece])
    troubles: list[Trouble] = field(default_factory=list[Trouble])
    bytes: int = 0
    lines: int = 0
    repaired: int = 0

    @property
    def is_full(self) -> bool:
        """True if it is enough for a transaction."""
        return self.bytes >= self.enough or self.lines >= _MOST_LINES

    @property
    def following(self) -> Batch:
        """An empty one that may become twice as large: the first are small, so that storing begins soon."""
        return Batch(min(2 * self.enough, CHUNK_BYTES))


def batches(
    files: Sequence[Transcript], read: Mapping[str, Mark], *, now: datetime, secrets: bool, marks: Marks
) -> Iterator[Batch]:
    """Yield new lines of files, some megabytes at a time. An unreadable file is a trouble, no error.

    ``read`` says how far each was read; ``marks`` are those by which memory of this space is recognised.
    """
    batch = Batch(FIRST_BYTES // 2)
    for file in files:
        before = read.get(str(file.path), START)
        done = before.offset_bytes
        try:
            for piece in _pieces(file, before, now=now):
                if piece.trouble is not None:
                    batch.troubles.append(Trouble(str(file.path), piece.trouble))
                if piece.is_bare:
                    continue
                batch.repaired += clean_reading(piece.reading, secrets=secrets, marks=marks)
                batch.pieces.append(piece)
                batch.lines += piece.reading.lines
                batch.bytes += max(0, piece.mark.offset_bytes - done)
                done = piece.mark.offset_bytes
                if batch.is_full:
                    yield batch
                    batch = batch.following
        except OSError as failed:
            reason = f"it cannot be read: {failed.strerror or failed}."
            batch.troubles.append(Trouble(str(file.path), reason))
        batch.bytes += max(0, file.size_bytes - done)  # what waits for its end is dealt with too
    if batch.pieces or batch.troubles or batch.bytes:
        yield batch


def _pieces(file: Transcript, before: Mark, *, now: datetime) -> Iterator[Piece]:
    reader = transcript.reader(file, now=now)
    for chunk, last in _with_last(chunks(file.path, before)):
        reading = reader.read(chunk.lines)
        if chunk.overlong:
            reading.faults[_OVERLONG] += chunk.overlong
        told = [_READ_AGAIN] if chunk.reread and before.offset_bytes else []
        told += [f"{count:,} {fault}." for fault, count in sorted(reading.faults.items())]
        if chunk.binary:
            told += [_PACKED.format(chunk.packed) if chunk.packed else _BINARY]
        if chunk.waiting:
            told += [_WAITS]
        yield Piece(file, chunk.mark, reading, " ".join(told) or None, chunk.reread, last, chunk.waiting)


def _with_last(pieces: Iterator[Chunk]) -> Iterator[tuple[Chunk, bool]]:
    """Yield each chunk, and True with the last."""
    before = next(pieces, None)
    while before is not None:
        after = next(pieces, None)
        yield before, after is None
        before = after
