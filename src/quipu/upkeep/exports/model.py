"""A file that was handed out."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

ExportKind = Literal["tables", "longterm", "transcripts"]


@dataclass(frozen=True, slots=True)
class Export:
    """A file that was handed out: ``sha256`` and ``bytes`` are those of the file as it was written."""

    id: str
    kind: ExportKind
    sha256: str
    bytes: int
    written_at: datetime
