"""A piece of a transcript as values: lines parsed, records read, outputs put in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from quipu.kinds.transcripts.reading import claude_code, codex, spilled
from quipu.kinds.transcripts.reading.lines import REPAIRED, parse
from quipu.kinds.transcripts.reading.model import Reading
from quipu.kinds.transcripts.reading.places import Transcript, agent_of
from quipu.kinds.transcripts.reading.texts import text

_UNREAD: Final = "outputs beside the transcript that could not be read"


@dataclass(slots=True)
class Reader:
    """Reads one file, piece after piece; it remembers what later lines need of earlier ones."""

    path: Path
    place: claude_code.Place
    outputs: Mapping[str, Path]
    rollout: codex.Rollout | None

    def read(self, lines: Sequence[bytes]) -> Reading:
        """Read the lines. Nothing in them is an error: what is broken is counted."""
        into = Reading(lines=len(lines))
        for line in lines:
            if line.isspace():
                continue
            record, fault = parse(line)
            if fault is not None:
                into.faults[fault] += 1
            if record is None:
                continue
            if self.rollout is None:
                claude_code.read(record, self.place, into)
            else:
                self.rollout.read(record, self.place, into)
        if failed := spilled.fill(into.entries, self.outputs):
            into.faults[_UNREAD] += len(failed)
        self._agent(into)
        return into

    def _agent(self, into: Reading) -> None:
        """Add what the file beside a subagent's tells of it."""
        about = agent_of(self.path)
        if about is None:
            return
        name, told = about
        details = into.details.get(name)
        if details is not None:
            details.agent_type = text(told.get("agentType"))
            details.agent_description = text(told.get("description"))
            details.tool_use_id = text(told.get("toolUseId")) or details.tool_use_id


def reader(file: Transcript, *, now: datetime) -> Reader:
    """Return the reader of a file, from its beginning or from wherever it was read to."""
    rollout = codex.Rollout(file.path.stem) if codex.is_rollout(file.path) else None
    place = claude_code.place(file.path.stem, written_at=file.modified_at, now=now)
    return Reader(file.path, place, {} if rollout else spilled.outputs(file.path), rollout)


__all__ = ["REPAIRED", "Reader", "reader"]
