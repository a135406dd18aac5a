"""Columns of the tables, from what was read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from quipu.kernel.db.arrays import Bools, Int4s, Int8s, Moments, Texts
from quipu.kinds.transcripts.formats.model import Details, Summary, TranscriptEntry, Usage
from quipu.kinds.transcripts.sync.pieces import Piece


@dataclass(slots=True)
class LineRow:
    """A line: its number (0 once it is known to be stored), its session's, and its message's (0 for none)."""

    entry: TranscriptEntry
    session: int
    line: int = 0
    message: int = 0


def messages(rows: Sequence[LineRow], now: datetime) -> dict[str, object]:
    """Return the columns for ``insert_messages`` of the record, from lines whose message is new."""
    entries = [row.entry for row in rows]
    return {
        "id": Int8s([row.message for row in rows]),
        "session": Int8s([row.session for row in rows]),
        "external": Texts([entry.uuid for entry in entries]),
        "role": Texts([entry.said for entry in entries]),
        "speaker": Texts([None] * len(rows)),
        "user": Texts([None] * len(rows)),
        "happened_at": Moments([entry.happened_at for entry in entries]),
        "recorded_at": Moments([now] * len(rows)),
        "redacted": Int4s([entry.secrets for entry in entries]),
        "content": Texts([entry.text for entry in entries]),
        "item": Texts([None] * len(rows)),
        "metadata": Texts([None] * len(rows)),
    }


def lines(rows: Sequence[LineRow]) -> dict[str, object]:
    """Return the columns of transcripts.lines."""
    entries = [row.entry for row in rows]
    return {
        "id": Int8s([row.line for row in rows]),
        "session": Int8s([row.session for row in rows]),
        "uuid": Texts([entry.uuid for entry in entries]),
        "parent": Texts([entry.parent_uuid for entry in entries]),
        "logical_parent": Texts([entry.logical_parent_uuid for entry in entries]),
        "type": Texts([entry.type for entry in entries]),
        "subtype": Texts([entry.subtype for entry in entries]),
        "model": Texts([entry.model for entry in entries]),
        "response": Texts([entry.response_id for entry in entries]),
        "happened_at": Moments([entry.happened_at for entry in entries]),
        "message": Int8s([row.message for row in rows]),
        "content": Texts([None if row.message else row.entry.text for row in rows]),
        "thinking": Texts([entry.thinking for entry in entries]),
        "blocks": Texts([entry.json for entry in entries]),
        "cwd": Texts([entry.cwd for entry in entries]),
        "branch": Texts([entry.git_branch for entry in entries]),
        "meta": Bools([entry.is_meta for entry in entries]),
        "sidechain": Bools([entry.is_sidechain for entry in entries]),
        "compact": Bools([entry.is_compact_summary for entry in entries]),
        "noise": Bools([entry.is_noise for entry in entries]),
        "prompt": Bools([entry.is_prompt for entry in entries]),
    }


def responses(rows: Sequence[LineRow]) -> dict[str, object] | None:
    """Return the columns of transcripts.responses, one row for each answer; None if there is none."""
    first: dict[str, LineRow] = {}
    most: dict[str, Usage] = {}
    for row in rows:
        usage, response = row.entry.usage, row.entry.response_id
        if usage is not None and response is not None:
            first.setdefault(response, row)
            told = most.get(response)
            most[response] = usage if told is None or usage == told else Usage(*map(max, usage, told))
    if not first:
        return None
    return {
        "response": Texts(list(first)),
        "line": Int8s([row.line for row in first.values()]),
        "session": Int8s([row.session for row in first.values()]),
        "model": Texts([row.entry.model for row in first.values()]),
        "happened_at": Moments([row.entry.happened_at for row in first.values()]),
        "input": Int8s([most[response].input for response in first]),
        "output": Int8s([most[response].output for response in first]),
        "cache_read": Int8s([most[response].cache_read for response in first]),
        "cache_creation": Int8s([most[response].cache_creation for response in first]),
    }


def calls(rows: Sequence[LineRow]) -> dict[str, object] | None:
    """Return the columns of transcripts.tool_calls; None if there is none."""
    pairs = [(row, call) for row in rows for call in row.entry.calls]
    if not pairs:
        return None
    return {
        "id": Texts([call.id for _, call in pairs]),
        "line": Int8s([row.line for row, _ in pairs]),
        "session": Int8s([row.session for row, _ in pairs]),
        "name": Texts([call.name for _, call in pairs]),
        "input": Texts([call.json for _, call in pairs]),
        "path": Texts([call.path for _, call in pairs]),
        "happened_at": Moments([row.entry.happened_at for row, _ in pairs]),
    }


def results(rows: Sequence[LineRow]) -> dict[str, object] | None:
    """Return the columns of transcripts.tool_results; None if there is none."""
    pairs = [(row, result) for row in rows for result in row.entry.results]
    if not pairs:
        return None
    return {
        "call": Texts([result.call_id for _, result in pairs]),
        "line": Int8s([row.line for row, _ in pairs]),
        "session": Int8s([row.session for row, _ in pairs]),
        "content": Texts([result.content for _, result in pairs]),
        "error": Bools([result.is_error for _, result in pairs]),
        "spilled": Texts([result.spilled_from for _, result in pairs]),
        "agent": Texts([result.agent for _, result in pairs]),
        "happened_at": Moments([row.entry.happened_at for row, _ in pairs]),
    }


_DETAILS = (
    *("source", "project_path", "cwd", "git_branch", "agent_version", "custom_title", "ai_title"),
    *("first_prompt", "last_prompt", "pr_url", "parent_session", "agent_type", "agent_description"),
    "tool_use_id",
)


def details(by_number: Mapping[int, Sequence[Details]]) -> dict[str, object]:
    """Return the columns of transcripts.session_details, from the pieces of a batch."""
    merged = {number: merge(several) for number, several in by_number.items()}
    return {
        "session": Int8s(list(merged)),
        "first_at": [one.first_at for one in merged.values()],
        "last_at": [one.last_at for one in merged.values()],
        **{name: Texts([getattr(one, name) for one in merged.values()]) for name in _DETAILS},
    }


def merge(several: Sequence[Details]) -> Details:
    """Merge what several pieces tell of a session: the latest value, but the first of beginnings."""
    merged = Details(session=several[0].session)
    for one in several:
        for moment in (one.first_at, one.last_at):
            if moment is not None:
                merged.spans(moment)
        for name in _DETAILS:
            keep = name in ("project_path", "first_prompt", "parent_session") and getattr(merged, name)
            if not keep and getattr(one, name) is not None:
                setattr(merged, name, getattr(one, name))
    return merged


def summaries(several: Sequence[Summary]) -> dict[str, object]:
    """Return the columns of transcripts.summaries; of several for a line the last."""
    last = {one.leaf_uuid: one.text for one in several}
    return {"leaf": Texts(list(last)), "text": Texts(list(last.values()))}


def _size(piece: Piece) -> int:
    """Return the known size: a file read half-way must not look finished."""
    return piece.file.size_bytes if piece.last else piece.mark.offset_bytes


def files(pieces: Sequence[Piece]) -> dict[str, object]:
    """Return the columns of transcripts.files: how far each file is read with these pieces."""
    last = {str(piece.file.path): piece for piece in pieces}
    counts = dict.fromkeys(last, 0)
    troubles: dict[str, list[str]] = {path: [] for path in last}
    for piece in pieces:
        counts[str(piece.file.path)] += piece.reading.lines
        troubles[str(piece.file.path)] += [piece.trouble] if piece.trouble else []
    return {
        "path": Texts(list(last)),
        "size": Int8s([_size(piece) for piece in last.values()]),
        "offset": Int8s([piece.mark.offset_bytes for piece in last.values()]),
        "sha256": [piece.mark.prefix_sha256 for piece in last.values()],
        "modified_at": Moments([piece.file.modified_at for piece in last.values()]),
        "lines": Int8s(list(counts.values())),
        "trouble": Texts([" ".join(told) or None for told in troubles.values()]),
        "reread": Texts(sorted({str(piece.file.path) for piece in pieces if piece.reread})),
    }
