"""Outputs that were too long for their line: they lie in a folder beside the transcript."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from quipu.kernel.base.lines import open_regular
from quipu.kinds.transcripts.reading.model import Entry, ToolResult

LIMIT_BYTES: Final = 1024 * 1024
_FOLDER: Final = "tool-results"
_SIGN: Final = "<persisted-output>"


def folder(transcript: Path) -> Path:
    """Return the folder of a transcript's outputs; a subagent's lie with those of its session."""
    parent = next((up.parent for up in transcript.parents if up.name == "subagents"), None)
    return (parent or transcript.with_suffix("")) / _FOLDER


def outputs(transcript: Path) -> Mapping[str, Path]:
    """Return the outputs of a transcript, by the name of their file without its ending."""
    beside = folder(transcript)
    try:
        return {path.stem: path for path in sorted(beside.iterdir()) if path.is_file()}
    except OSError:
        return {}


def fill(entries: Iterable[Entry], found: Mapping[str, Path]) -> list[str]:
    """Put the outputs where the lines only name them; what could not be read is returned, by file.

    Only files in that folder are read, whatever a line names.
    """
    failed: list[str] = []
    for entry in entries:
        for result in entry.results:
            path = _file_of(result, found)
            if path is None:
                continue
            try:
                result.content = _read(path)
            except OSError:
                failed.append(str(path))
                continue
            result.spilled_from = path.name
    return failed


def _file_of(result: ToolResult, found: Mapping[str, Path]) -> Path | None:
    if not found or not (result.call_id in found or _SIGN in result.content[:64]):
        return None
    if result.call_id in found:
        return found[result.call_id]
    return next((path for path in found.values() if f"/{path.name}" in result.content[:4096]), None)


def _read(path: Path) -> str:
    size = path.stat().st_size
    with open_regular(path) as file:
        kept = file.read(LIMIT_BYTES)
    told = kept.decode(errors="replace")
    return told if size <= LIMIT_BYTES else f"{told}\n[cut: {LIMIT_BYTES:,} of {size:,} bytes are kept]"
