"""A piece of a transcript as values: lines parsed, records read, outputs put in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from quipu.kernel.base.lines import open_regular
from quipu.kinds.transcripts.formats import claude_code, codex
from quipu.kinds.transcripts.formats.model import Reading, ToolResult, TranscriptEntry
from quipu.kinds.transcripts.formats.places import Transcript, agent_of
from quipu.kinds.transcripts.formats.records import parse, text

_UNREAD: Final = "outputs beside the transcript that could not be read"
LIMIT_BYTES: Final = 1024 * 1024
_FOLDER: Final = "tool-results"
_SIGN: Final = "<persisted-output>"


def reader(file: Transcript, *, now: datetime) -> Reader:
    """Return the reader of a file, from its beginning or from wherever it was read to."""
    rollout = codex.Rollout(file.path.stem) if codex.is_rollout(file.path) else None
    place = claude_code.place(file.path.stem, written_at=file.modified_at, now=now)
    return Reader(file.path, place, {} if rollout else outputs_beside(file.path), rollout)


@dataclass(slots=True)
class Reader:
    """Reads one file, piece after piece; it remembers what later lines need of earlier ones."""

    path: Path
    place: claude_code.LinePlace
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
        if failed := fill(into.entries, self.outputs):
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


def fill(entries: Iterable[TranscriptEntry], files: Mapping[str, Path]) -> list[str]:
    """Put the outputs where the lines only name them; what could not be read is returned, by file.

    Only files in that folder are read, whatever a line names.
    """
    failed: list[str] = []
    for entry in entries:
        for result in entry.results:
            path = _file_of(result, files)
            if path is None:
                continue
            try:
                result.content = _read(path)
            except OSError:
                failed.append(str(path))
                continue
            result.spilled_from = path.name
    return failed


def outputs_beside(transcript: Path) -> Mapping[str, Path]:
    """Return the outputs of a transcript, by the name of their file without its ending."""
    beside = folder(transcript)
    try:
        return {path.stem: path for path in sorted(beside.iterdir()) if path.is_file()}
    except OSError:
        return {}


def folder(transcript: Path) -> Path:
    """Return the folder of a transcript's outputs; a subagent's lie with those of its session."""
    parent = next((up.parent for up in transcript.parents if up.name == "subagents"), None)
    return (parent or transcript.with_suffix("")) / _FOLDER


def _file_of(result: ToolResult, files: Mapping[str, Path]) -> Path | None:
    if not files or not (result.call_id in files or _SIGN in result.content[:64]):
        return None
    if result.call_id in files:
        return files[result.call_id]
    return next((path for path in files.values() if f"/{path.name}" in result.content[:4096]), None)


def _read(path: Path) -> str:
    size = path.stat().st_size
    with open_regular(path) as file:
        kept = file.read(LIMIT_BYTES)
    told = kept.decode(errors="replace")
    return told if size <= LIMIT_BYTES else f"{told}\n[cut: {LIMIT_BYTES:,} of {size:,} bytes are kept]"
