"""The rollouts of Codex CLI: ``sessions/YYYY/MM/DD/rollout-TIME-ID.jsonl``.

A line is ``{"timestamp", "type", "payload"}``; in the oldest files the payload stands alone. Lines have no
ids of their own. What is said appears twice, as an item of the conversation and as an event of the screen;
the items are kept, and of the events only what they cost.
"""

from __future__ import annotations

import json
import re
from datetime import datetime
from pathlib import Path
from typing import Final, cast

from quipu.kinds.transcripts.formats.claude_code import LinePlace, identity, outline, time_of, tokens
from quipu.kinds.transcripts.formats.model import Reading, ToolCall, ToolResult, TranscriptEntry, Usage
from quipu.kinds.transcripts.formats.records import (
    BETWEEN_BLOCKS,
    Fields,
    blocks,
    fields,
    output,
    text,
    without_data,
)

SOURCE: Final = "codex"
_ID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\Z")
_ITEMS: Final = frozenset(
    {
        *("message", "reasoning", "function_call", "function_call_output", "custom_tool_call"),
        *("custom_tool_call_output", "local_shell_call", "web_search_call"),
    }
)
_PASSED_ITEMS: Final = frozenset({"ghost_snapshot", "other"})
# Written by the program in the name of the user.
_NOISE: Final = (
    *(
        "<environment_context>",
        "<user_instructions>",
        "<permissions",
        "<turn_aborted>",
        "<skill>",
        "<INSTRUCTIONS>",
    ),
    *("# AGENTS.md instructions", "<user_shell_command>", "<collaboration_mode>", "<app-context>"),
)


def is_rollout(path: Path) -> bool:
    """Return True if a file is one of Codex, by its name."""
    return path.name.startswith("rollout-")


class Rollout:
    """Reads the records of one rollout; it remembers the session and the model that lines only imply."""

    def __init__(self, stem: str) -> None:
        match = _ID.search(stem)
        self._session = match[0] if match else stem
        self._model: str | None = None

    def read(self, record: Fields, at: LinePlace, into: Reading) -> None:
        """Add what a record says to a reading."""
        kind, payload = record.get("type"), record.get("payload")
        if not isinstance(payload, dict):
            if kind not in _ITEMS:  # the head of the oldest files, and their marks
                self._meta(record, into)
                return
            payload, kind = record, "response_item"
        told = cast("Fields", payload)
        moment = time_of(record, at, into)
        outline(told, self._session, moment, into)
        into.of(self._session).source = SOURCE
        if kind == "session_meta":
            self._meta(told, into)
        elif kind == "turn_context":
            self._model = text(told.get("model")) or self._model
            into.passed["turn_context"] += 1
        elif kind == "event_msg" and told.get("type") != "token_count":
            into.passed["event_msg"] += 1
        else:
            self._line(str(kind), record, told, moment, into)

    def _meta(self, told: Fields, into: Reading) -> None:
        details = into.of(self._session)
        details.source = SOURCE
        details.agent_version = text(told.get("cli_version")) or details.agent_version
        details.git_branch = text(fields(told.get("git")).get("branch")) or details.git_branch
        into.passed["session_meta"] += 1

    def _line(self, kind: str, record: Fields, told: Fields, moment: datetime, into: Reading) -> None:
        item = text(told.get("type"))
        if item in _PASSED_ITEMS:
            into.passed[item or ""] += 1
            return
        entry = TranscriptEntry(
            session=self._session,
            uuid=identity(record, self._session),
            type=kind,
            subtype=item,
            happened_at=moment,
            model=self._model,
        )
        if kind == "event_msg":
            if not self._cost(told, entry):
                return
        elif kind == "compacted":
            entry.text, entry.is_compact_summary = text(told.get("message")), True
        elif kind == "response_item" and item in _ITEMS:
            _item(item or "", told, entry)
        else:
            into.unknown[kind if kind != "response_item" else f"{kind}/{item}"] += 1
            entry.rest = record
        if entry.said == "user":
            details = into.of(self._session)
            details.first_prompt = details.first_prompt or entry.text
        into.entries.append(entry)

    def _cost(self, told: Fields, entry: TranscriptEntry) -> bool:
        """Note what the last answer cost; the same is often told twice, by the same total."""
        info = fields(told.get("info"))
        last, total = fields(info.get("last_token_usage")), fields(info.get("total_token_usage"))
        if not last:
            return False
        entry.response_id = f"{self._session}:{tokens(total.get('total_tokens'))}"
        cached = tokens(last.get("cached_input_tokens"))
        entry.usage = Usage(
            input=max(0, tokens(last.get("input_tokens")) - cached),
            output=tokens(last.get("output_tokens")),
            cache_read=cached,
        )
        return True


def _item(kind: str, told: Fields, entry: TranscriptEntry) -> None:
    call = text(told.get("call_id")) or text(told.get("id"))
    if kind == "message":
        _message(told, entry)
    elif kind == "reasoning":
        parts = [*blocks(told.get("summary")), *blocks(told.get("content"))]
        entry.thinking = BETWEEN_BLOCKS.join(t for part in parts if (t := text(part.get("text")))) or None
    elif call is not None and kind.endswith("_output"):
        content, failed = _output(told.get("output"))
        entry.results = (ToolResult(call_id=call, content=content, is_error=failed),)
    elif call is not None or kind == "web_search_call":
        entry.calls = (_call(call or entry.uuid, kind, told),)


def _message(told: Fields, entry: TranscriptEntry) -> None:
    content = told.get("content")
    whole = BETWEEN_BLOCKS.join(t for block in blocks(content) if (t := text(block.get("text"))))
    rest = [without_data(block) for block in blocks(content) if text(block.get("text")) is None]
    entry.rest = rest or None
    entry.text = whole or None
    role = told.get("role")
    if role == "assistant" and whole.strip():
        entry.said = "assistant"
    elif role == "user" and whole.strip() and not whole.lstrip().startswith(_NOISE):
        entry.said = "user"
    else:
        entry.is_noise = True


def _call(id: str, kind: str, told: Fields) -> ToolCall:
    given = told.get("arguments") if kind == "function_call" else told.get("input", told.get("action"))
    if isinstance(given, str):
        given = _parsed(given)
    name = text(told.get("name")) or kind.removesuffix("_call")
    path = fields(given).get("path")
    return ToolCall(id=id, name=name, input=given or {}, path=path if isinstance(path, str) else None)


def _parsed(arguments: str) -> object:
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return {"input": arguments}


def _output(told: object) -> tuple[str, bool]:
    """Return the output of a tool and whether it failed; a text may be JSON with both in it."""
    inner = _parsed(told) if isinstance(told, str) and told.startswith("{") else told
    named = fields(inner)
    content = named.get("output", named.get("content"))
    code = fields(named.get("metadata")).get("exit_code")
    failed = named.get("success") is False or (isinstance(code, int) and code != 0)
    if content is None:
        content = told
    return output(content), failed
