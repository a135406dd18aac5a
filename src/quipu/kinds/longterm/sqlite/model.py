"""Results of an exchange with a file of the seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedRow:
    """A row that was not taken: its id in the file, and why."""

    id: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoriesImported:
    """Result of importing a file.

    ``new`` and ``archived`` count new memories, live and archived; ``known`` those that were taken in before;
    ``repeated`` live ones whose summary repeats another live one of the user. ``mended`` counts repairs, by
    what they were. ``refused`` are rows that are kept nowhere. ``redacted`` counts secrets that were cut out,
    by kind.
    """

    new: int
    archived: int
    known: int
    repeated: int
    mended: Mapping[str, int]
    refused: Sequence[RefusedRow]
    redacted: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoriesExported:
    """Result of exporting memories to a file.

    ``repeated`` are left out: the file holds each summary once, whosesoever it is, live before archived.
    ``id`` and ``sha256`` are noted: a check of an erasure recognises the file by them.
    """

    path: Path
    written: int
    repeated: int
    id: str
    sha256: str
