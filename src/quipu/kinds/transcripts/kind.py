"""What transcripts hand in to the house."""

from __future__ import annotations

from typing import Final

from quipu.kinds.plug import Kind
from quipu.kinds.transcripts.cite import cite
from quipu.kinds.transcripts.eraser import TranscriptsEraser

CODE: Final = 3  # core.recall_kinds.code

TRANSCRIPTS = Kind(
    name="transcripts",
    code=CODE,
    package="quipu.kinds.transcripts",
    cite=cite,
    eraser=TranscriptsEraser(),
)
