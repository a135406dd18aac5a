"""The records of Claude Code: what each says, and of which session.

The format is undocumented and changes. A record is known by the fields it has; one of a type that is unknown
here is kept as it came. What was *said* is decided by the reader of ``quipu import claude-code``, so that the
two agree in every word.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, cast

from quipu.kernel.base.scope import moment
from quipu.kernel.base.text import REPLACEMENT, clean
from quipu.kinds.transcripts.formats.model import (
    Reading,
    Said,
    Summary,
    ToolCall,
    ToolResult,
    TranscriptEntry,
    Usage,
)
from quipu.kinds.transcripts.formats.records import (
    BETWEEN_BLOCKS,
    Fields,
    blocks,
    fields,
    joined,
    output,
    text,
    without_data,
)
from quipu.record.model import Derived, Incoming
from quipu.record.readers.claude_code import Inserted, said

FUTURE: Final = "lines from the future, dated when the file was written"
UNDATED: Final = "lines without a time, dated like the line before"
_NO_MESSAGE: Final = "messages without their object"
_NO_SESSION: Final = "lines whose sessionId is missing or no text, kept under the name of the file"

_SYNTHETIC: Final = "<synthetic>"
_PATHS: Final = ("file_path", "notebook_path", "path")
_NAME_LIMIT: Final = 512
_UNFIT: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_EARLIEST: Final = datetime(1970, 1, 1, tzinfo=UTC)
_USUAL_LENGTH: Final = len("2026-03-01T09:00:00.000Z")
_CALLS: Final = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
_MOST_TOKENS: Final = 2**53
# Kept nowhere: progress bars, copies of files, the state of the screen. Their times count.
_PASSED: Final = frozenset(
    {
        *("progress", "file-history-snapshot", "mode", "permission-mode", "agent-name", "checkpoint"),
        *("worktree-state", "content-replacement", "bridge-session", "agent-setting", "tag"),
    }
)
# What every record has, or has a column; the rest of a notice is kept beside it.
_ENVELOPE: Final = frozenset(
    {
        *("type", "subtype", "uuid", "parentUuid", "logicalParentUuid", "timestamp", "sessionId", "cwd"),
        *("gitBranch", "version", "userType", "isSidechain", "agentId", "isMeta", "slug", "entrypoint"),
        *("promptId", "permissionMode", "content", "message", "requestId", "toolUseResult", "level"),
    }
)


@dataclass(slots=True)
class LinePlace:
    """Place of records in a file.

    ``stem`` names the session of records that name none; ``before`` is the time of the record before,
    ``written_at`` that of the file; ``now`` the present.
    """

    stem: str
    before: datetime
    written_at: datetime
    now: datetime


def place(stem: str, *, written_at: datetime, now: datetime) -> LinePlace:
    """Return the place at the beginning of a file."""
    written_at = min(written_at, now)
    return LinePlace(stem, written_at, written_at, now)


def read(record: Fields, at: LinePlace, into: Reading) -> None:
    """Add what a record says to a reading."""
    kind = record.get("type")
    kind = kind if isinstance(kind, str) and kind else "untyped"
    about = _ABOUT_SESSIONS.get(kind)
    if about is not None:
        about(record, at, into)
        return
    session = _session(record, at)
    moment = time_of(record, at, into)
    if "timestamp" in record:
        outline(record, session, moment, into)
    if kind in _PASSED:
        into.passed[kind] += 1
        return
    if text(record.get("sessionId")) is None:
        into.faults[_NO_SESSION] += 1
    reader = _CONVERSATION.get(kind)
    entry = _entry(record, session, kind, moment)
    if reader is None:
        into.unknown[kind] += 1
        entry.rest = record
    else:
        reader(record, entry, at, into)
    if entry.said is not None:
        if "uuid" not in record:
            entry.uuid = _as_imported(record, entry)
        if entry.said == "user":
            details = into.of(session)
            details.first_prompt = details.first_prompt or entry.text
    into.entries.append(entry)


def _session(record: Fields, at: LinePlace) -> str:
    session = text(record.get("sessionId")) or at.stem
    if record.get("isSidechain"):
        session = record.get("agentId") or f"{session}/sidechain"
    return _name(session) or at.stem


def _name(value: object) -> str | None:
    """Return a name in the form of the record: at most 512 characters of text."""
    if value is None:
        return None
    if isinstance(value, str):
        if value.isascii() and value.isprintable() and 0 < len(value) <= _NAME_LIMIT:
            return value
        return _UNFIT.sub(REPLACEMENT, value)[:_NAME_LIMIT] or None
    return str(value)[:_NAME_LIMIT] if isinstance(value, int) and not isinstance(value, bool) else None


def time_of(record: Fields, at: LinePlace, into: Reading) -> datetime:
    """Return the time of a record; if it has none, that of the line before."""
    stamp = record.get("timestamp")
    if stamp is None:
        return at.before
    read = _usual(stamp, at.now) or moment(stamp, now=at.now)
    if isinstance(read, str):
        future = "future" in read
        into.faults[FUTURE if future else UNDATED] += 1
        return at.written_at if future else at.before
    at.before = read if isinstance(read, datetime) else read.at
    return at.before


def _usual(stamp: object, now: datetime) -> datetime | None:
    """Return the time in its usual form, ``2026-03-01T09:00:00.000Z``, read without further checks."""
    if not isinstance(stamp, str) or len(stamp) != _USUAL_LENGTH or stamp[-1] != "Z":
        return None
    try:
        read = datetime.fromisoformat(stamp)
    except ValueError:
        return None
    return read if _EARLIEST < read <= now else None


def outline(record: Fields, session: str, moment: datetime, into: Reading) -> None:
    """Note what a line tells of its session."""
    details = into.of(session)
    details.spans(moment)
    cwd, branch, version = record.get("cwd"), record.get("gitBranch"), record.get("version")
    if cwd and cwd != details.cwd and isinstance(cwd, str):
        details.cwd = cwd
        if details.project_path is None:
            details.project_path = cwd
    if branch and isinstance(branch, str):
        details.git_branch = branch
    if version and isinstance(version, str):
        details.agent_version = version
    if details.parent_session is None and record.get("isSidechain"):
        details.parent_session = _name(text(record.get("sessionId")))


def _entry(record: Fields, session: str, kind: str, moment: datetime) -> TranscriptEntry:
    get = record.get
    entry = TranscriptEntry(
        session,
        _name(get("uuid")) or identity(record, session),
        kind if kind in _CONVERSATION else _name(kind) or "untyped",
        moment,
        parent_uuid=_name(get("parentUuid")),
        cwd=text(get("cwd")),
        git_branch=text(get("gitBranch")),
        is_sidechain=get("isSidechain") is True,
    )
    if "subtype" in record or "logicalParentUuid" in record:
        entry.subtype, entry.logical_parent_uuid = _name(get("subtype")), _name(get("logicalParentUuid"))
    if "isMeta" in record or "isCompactSummary" in record:
        entry.is_meta, entry.is_compact_summary = get("isMeta") is True, get("isCompactSummary") is True
    return entry


def identity(record: Fields, session: str) -> str:
    """Return an identity for a record that has none: from its content and session, not its file."""
    digest = hashlib.blake2b(session.encode("utf-8", "replace"), digest_size=16)
    digest.update(json.dumps(record, sort_keys=True).encode())
    return digest.hexdigest()


def _as_imported(record: Fields, entry: TranscriptEntry) -> str:
    """Return the identity that ``quipu import claude-code`` gives a message that has none."""
    message = Incoming(
        content=clean(entry.text or "").text,
        session=entry.session,
        role=entry.said or "user",
        time=entry.happened_at if record.get("timestamp") is not None else None,
    )
    return Derived().give(message).id or entry.uuid


def _user(record: Fields, entry: TranscriptEntry, at: LinePlace, into: Reading) -> None:
    content = _content(record, into).get("content")
    for block in blocks(content):
        if block.get("type") == "tool_result":
            _result(block, entry)
        else:
            _other(block, entry)
    _speech(record, entry, at, content, into)
    if entry.results:
        _link(record, entry)
    elif entry.said is None and entry.text and not (entry.is_meta or entry.is_compact_summary):
        entry.is_noise = True


def _assistant(record: Fields, entry: TranscriptEntry, at: LinePlace, into: Reading) -> None:
    message = _content(record, into)
    content = message.get("content")
    thoughts: list[str] = []
    speaks = isinstance(content, str)
    for block in blocks(content):
        kind = block.get("type")
        if kind == "text":
            speaks = True
        elif kind in _CALLS:
            _call(block, entry)
        elif kind == "thinking":
            thoughts.append(str(block.get("thinking") or ""))
        elif isinstance(kind, str) and kind.endswith("tool_result"):
            _result(block, entry)
        elif kind != "redacted_thinking":
            _other(block, entry)
    if thoughts:
        entry.thinking = BETWEEN_BLOCKS.join(one for one in thoughts if one.strip()) or None
    entry.model = text(message.get("model"))
    entry.response_id = _name(message.get("id")) or _name(record.get("requestId")) or entry.uuid
    if speaks:
        _speech(record, entry, at, content, into)
    if entry.model == _SYNTHETIC or record.get("isApiErrorMessage"):
        entry.is_noise = True
    else:
        entry.usage = _usage(fields(message.get("usage")))


def _content(record: Fields, into: Reading) -> Fields:
    message = fields(record.get("message"))
    if not message:
        into.faults[_NO_MESSAGE] += 1
    return message


def _speech(record: Fields, entry: TranscriptEntry, at: LinePlace, content: object, into: Reading) -> None:
    """Note what was said, if anything; else the text that nobody said, which stays whole."""
    whole = joined(content)
    if not whole.strip():
        entry.text = whole or None
    elif not _hear(record, entry, at, into):
        entry.text = whole


def _hear(record: Fields, entry: TranscriptEntry, at: LinePlace, into: Reading) -> bool:
    """Note what somebody said, and how much of it the program wrote; return True if anybody spoke."""
    told = said(record, at.stem, inserted := Inserted())
    if isinstance(told, str):
        return False
    entry.said, entry.text = cast("Said", told["role"]), cast("str", told["content"])
    into.inserted += inserted.characters
    return True


def _result(block: Fields, entry: TranscriptEntry) -> None:
    call = _name(block.get("tool_use_id"))
    if call is not None:
        is_error = block.get("is_error") is True
        result = ToolResult(call_id=call, content=output(block.get("content")), is_error=is_error)
        entry.results = (*entry.results, result)


def _call(block: Fields, entry: TranscriptEntry) -> None:
    call, given = _name(block.get("id")), block.get("input")
    name = _name(block.get("name"))
    if call is None or name is None:
        _other(block, entry)
        return
    paths = (fields(given).get(field) for field in _PATHS)
    path = next((path for path in paths if isinstance(path, str) and path), None)
    made = ToolCall(id=call, name=name, input={} if given is None else given, path=path)
    entry.calls = (*entry.calls, made)


def _other(block: Fields, entry: TranscriptEntry) -> None:
    """Keep a block that has no column."""
    if block.get("type") != "text" and block:
        kept = cast("list[object]", entry.rest) if isinstance(entry.rest, list) else []
        entry.rest = [*kept, without_data(block)]


def _usage(told: Fields) -> Usage | None:
    if not told:
        return None
    return Usage(
        tokens(told.get("input_tokens")),
        tokens(told.get("output_tokens")),
        tokens(told.get("cache_read_input_tokens")),
        tokens(told.get("cache_creation_input_tokens")),
    )


def tokens(value: object) -> int:
    """Return a number of tokens; 0 if it is none."""
    if type(value) is int and 0 < value <= _MOST_TOKENS:
        return value
    if isinstance(value, int) and value > 0 and value is not True:
        return min(value, _MOST_TOKENS)
    return 0


def _link(record: Fields, entry: TranscriptEntry) -> None:
    """Link a call to the subagent that it began, named in the structured form of its result."""
    agent = _name(fields(record.get("toolUseResult")).get("agentId"))
    if agent is not None and entry.results:
        entry.results[0].agent = agent


def _attachment(record: Fields, entry: TranscriptEntry, at: LinePlace, into: Reading) -> None:
    attachment = fields(record.get("attachment"))
    entry.subtype = _name(attachment.get("type"))
    if not _hear(record, entry, at, into):
        entry.rest = {name: value for name, value in attachment.items() if name != "type"} or None


def _notice(record: Fields, entry: TranscriptEntry, at: LinePlace, into: Reading) -> None:  # noqa: ARG001 - as the others
    entry.text = text(record.get("content"))
    entry.rest = {name: value for name, value in record.items() if name not in _ENVELOPE} or None


def _queue(record: Fields, entry: TranscriptEntry, at: LinePlace, into: Reading) -> None:  # noqa: ARG001 - as the others
    entry.subtype = _name(record.get("operation"))
    entry.text = text(record.get("content"))
    entry.is_noise = True


def _summary(record: Fields, at: LinePlace, into: Reading) -> None:  # noqa: ARG001 - as the others
    told, leaf = text(record.get("summary")), _name(record.get("leafUuid"))
    if told is not None and leaf is not None:
        into.summaries.append(Summary(leaf, told))


def _told(field: str, column: str) -> Callable[[Fields, LinePlace, Reading], None]:
    """Return a reader of records that tell one thing of their session."""

    def reader(record: Fields, at: LinePlace, into: Reading) -> None:
        told = text(record.get(field))
        if told is not None:
            setattr(into.of(_session(record, at)), column, told)

    return reader


_ABOUT_SESSIONS: Final[dict[str, Callable[[Fields, LinePlace, Reading], None]]] = {
    "summary": _summary,
    "custom-title": _told("customTitle", "custom_title"),
    "ai-title": _told("aiTitle", "ai_title"),
    "last-prompt": _told("lastPrompt", "last_prompt"),
    "pr-link": _told("prUrl", "pr_url"),
}
_CONVERSATION: Final[dict[str, Callable[[Fields, TranscriptEntry, LinePlace, Reading], None]]] = {
    "user": _user,
    "assistant": _assistant,
    "attachment": _attachment,
    "system": _notice,
    "queue-operation": _queue,
}
