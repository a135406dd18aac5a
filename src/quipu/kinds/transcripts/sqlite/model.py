"""Results of an exchange with a file of ccrecall."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """Result of importing a file: new and known rows, rows left out as erased, and repairs by kind.

    ``redacted``: secrets that were cut out. ``cut_characters``: memory of this space that came back and was
    cut out; ``foreign_characters``: memory of other spaces or installations, kept and not indexed;
    ``unmatched_marks``: marks of this space in front of other words, kept and indexed.
    ``inserted_characters``: left out of messages of people, as the agent's program wrote them. ``passed``:
    rows that are kept nowhere, by kind.
    """

    spaces: Mapping[str, int]
    new: Mapping[str, int]
    known: int
    withheld: int
    repaired: Mapping[str, int]
    passed: Mapping[str, int]
    redacted: Mapping[str, int]
    cut_characters: int
    foreign_characters: int
    unmatched_marks: int
    inserted_characters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """Result of exporting to a file, by table; ``repeated`` are lines of forks, which a file holds once.

    ``id`` and ``sha256`` are noted: a check of an erasure recognises the file by them.
    """

    path: Path
    written: Mapping[str, int]
    repeated: int
    id: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Migrated:
    """Changes of a migrated file; none if it was migrated before. ``backup`` is the file as it was."""

    path: Path
    changed: tuple[str, ...]
    backup: Path | None
    memories: int = 0
    sources: int = 0
