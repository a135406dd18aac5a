"""Views of recorded sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Literal

Part = Literal["said", "thinking", "input", "result"]
Sort = Literal["relevance", "time", "time-asc"]
Role = Literal["user", "assistant", "system", "tool"]

PARTS: tuple[Part, ...] = ("said", "thinking", "input", "result")
SORTS: tuple[Sort, ...] = ("relevance", "time", "time-asc")
ROLES: tuple[Role, ...] = ("user", "assistant", "system", "tool")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedSession:
    """A session: its span, how much is in it, and the sessions of its subagents (the earliest first).

    Tokens are of this session alone; a response that a resumed session repeats is counted once.
    """

    id: str
    title: str | None
    project_path: str
    git_branch: str | None
    first_timestamp: datetime | None
    last_timestamp: datetime | None
    messages: int
    prompts: int
    tool_calls: int
    errors: int
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_creation_tokens: int
    memories: int
    parent_session: str | None
    agent_type: str | None
    agent_description: str | None
    subagents: tuple[RecordedSession, ...] = ()

    @property
    def seconds(self) -> float:
        """From its first line to its last."""
        if self.first_timestamp is None or self.last_timestamp is None:
            return 0.0
        return (self.last_timestamp - self.first_timestamp).total_seconds()


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that was called in a line, and what came of it. ``result`` is None where nothing came."""

    id: str
    tool: str
    input: Mapping[str, Any]
    path: str | None
    result: str | None
    is_error: bool
    seconds: float | None


@dataclass(frozen=True, slots=True)
class TranscriptLine:
    """A line of a session that somebody can read: words, thoughts, or calls of tools."""

    uuid: str
    type: str
    role: str
    timestamp: datetime
    content_text: str | None
    thinking: str | None
    model: str | None
    is_prompt: bool
    is_sidechain: bool
    calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True, slots=True)
class Transcript:
    """A session and a page of its lines, the oldest first; ``total`` is how many it has."""

    session: RecordedSession
    lines: tuple[TranscriptLine, ...]
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptHit:
    """A text that has what was asked for.

    ``score`` is 0 to 1, the sum of ``parts``. ``snippet`` is one line of it, with ``>>>`` and ``<<<``
    around what was found. ``also_in``: sessions that repeat the line, resumed from this one.
    """

    session: str
    project_path: str
    title: str | None
    uuid: str
    part: Part
    role: Role
    tool: str | None
    call_id: str | None
    is_error: bool
    timestamp: datetime
    snippet: str
    score: float
    parts: Mapping[str, float]
    also_in: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TranscriptHits:
    """The hits, best first, and how many texts have the words.

    ``total`` counts words, not phrases, in what is indexed, and what was found in ``unindexed`` lines
    besides.
    """

    query: str
    hits: tuple[TranscriptHit, ...]
    total: int
    unindexed: int


@dataclass(frozen=True, slots=True)
class TranscriptTurn:
    """A message around a match; ``match`` where it is one itself."""

    uuid: str
    role: str
    content_text: str
    timestamp: datetime
    match: bool = False


@dataclass(frozen=True, slots=True)
class TranscriptMatch:
    """A message that has what was asked for; ``before`` and ``after`` it the others, in their order."""

    session_id: str
    project_path: str
    date: datetime
    relevance: float
    match: TranscriptTurn
    before: tuple[TranscriptTurn, ...]
    after: tuple[TranscriptTurn, ...]


@dataclass(frozen=True, slots=True)
class TranscriptMatches:
    """Matches, the best first. Windows that overlap are one match."""

    term: str
    total: int
    matches: tuple[TranscriptMatch, ...]


@dataclass(frozen=True, slots=True)
class ToolUse:
    """Use of a tool: calls, failures, and the time it took (the median, in seconds)."""

    tool: str
    project_path: str | None
    calls: int
    results: int
    errors: int
    median_seconds: float | None
    sessions: int
    last_used: datetime


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Tokens of one model on one day (UTC), each response counted once."""

    day: date
    model: str
    responses: int
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_creation_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptTotals:
    """Size of a space; ``first`` and ``last`` of its lines."""

    sessions: int
    subagents: int
    projects: int
    lines: int
    messages: int
    prompts: int
    tool_calls: int
    tool_results: int
    errors: int
    compacted: int
    compacted_bytes: int
    memories: int
    teams: int
    files: int
    responses: int
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_creation_tokens: int
    first: datetime | None
    last: datetime | None
    said_bytes: int
    thinking_bytes: int
    input_bytes: int
    result_bytes: int


@dataclass(frozen=True, slots=True)
class TranscriptSizes:
    """Bytes on the disk, of all spaces together: the lines with what belongs to them, and the text index."""

    lines_bytes: int
    index_bytes: int


@dataclass(frozen=True, slots=True)
class TranscriptStats:
    """Content of a space, and its tokens by day and model, oldest day first."""

    totals: TranscriptTotals
    usage: tuple[TokenUsage, ...]
    sizes: TranscriptSizes
    unindexed: int


@dataclass(frozen=True, slots=True)
class TouchedFile:
    """A file that tools worked on: how often which kind of tool did, in which sessions (latest first)."""

    path: str
    reads: int
    edits: int
    writes: int
    others: int
    sessions: int
    session_ids: Sequence[str]
    last_touched: datetime

    @property
    def total(self) -> int:
        """Number of times that it was touched."""
        return self.reads + self.edits + self.writes + self.others


@dataclass(frozen=True, slots=True)
class QueryRows:
    """Rows of a query: names of its columns, and values that JSON knows.

    ``truncated``: there are more; ``cut_by`` names the argument that left them out, "limit" or "megabytes".
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    truncated: bool
    cut_by: Literal["limit", "megabytes"] | None = None


@dataclass(frozen=True, slots=True)
class QueryColumn:
    """A column that a query can name."""

    name: str
    type: str
    comment: str | None


@dataclass(frozen=True, slots=True)
class QueryTable:
    """A table or view that a query can name."""

    name: str
    kind: Literal["table", "view"]
    comment: str | None
    columns: tuple[QueryColumn, ...] = ()


@dataclass(frozen=True, slots=True)
class CompactedTool:
    """Outputs of one tool that were, or would be, replaced by markers."""

    tool: str
    results: int
    bytes_before: int
    bytes_after: int


@dataclass(frozen=True, slots=True)
class CompactedOutput:
    """Outcome or preview of ``compact``: the tools with the most bytes first."""

    done: bool
    older_than_days: int
    tools: tuple[CompactedTool, ...] = field(default=())

    @property
    def results(self) -> int:
        """Number of outputs."""
        return sum(one.results for one in self.tools)

    @property
    def bytes_saved(self) -> int:
        """Bytes of text that are gone, or would be."""
        return sum(one.bytes_before - one.bytes_after for one in self.tools)


@dataclass(frozen=True, slots=True)
class IndexedTexts:
    """Lines whose texts went into the index, and how many are left."""

    lines: int
    texts: int
    left: int
