"""Files as documents: what a sync did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedFile:
    """A file that was not taken, by its name from the directory on, and why."""

    file: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FilesSynced:
    """Result of syncing a directory; of a preview, what it would be.

    ``written`` counts documents that are new or have a new version, ``renamed`` those whose file has another
    name, ``removed`` those whose file is gone; ``removed_files`` names these. ``redacted`` counts the secrets
    that were cut out of what was written.
    """

    path: Sequence[str]
    written: int
    unchanged: int
    renamed: int
    removed: int
    removed_files: Sequence[str]
    skipped: Sequence[SkippedFile]
    redacted: int
    seconds: float
    preview: bool
