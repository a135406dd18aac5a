"""What an exchange with a file of the seed brought."""

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
    """What was taken in of a file.

    ``new`` and ``archived`` count new memories, live and archived; ``known`` those that were taken in before,
    ``repeated`` live ones whose summary says what another live one of the user says. ``mended``: what was put
    right, by what it was. ``refused``: rows that are kept nowhere. ``redacted``: secrets cut out, by kind.
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
    """How many memories were written into a file.

    ``repeated`` are left out: the file holds each summary once, whosesoever it is, live before archived.
    ``id`` and ``sha256`` are noted: a check of an erasure recognises the file by them.
    """

    path: Path
    written: int
    repeated: int
    id: str
    sha256: str
