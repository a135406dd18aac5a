"""What recorded sessions tell."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from quipu.interfaces.rest.models import Told
from quipu.kinds.transcripts.seeing.model import Part, Role


class SeenTold(Told):
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
    subagents: list[SeenTold]


class ToolCallTold(Told):
    """A tool that was called in a line, and what came of it. `result` is null where nothing came."""

    id: str
    tool: str
    input: dict[str, Any]
    path: str | None
    result: str | None
    is_error: bool
    seconds: float | None


class TranscriptLineTold(Told):
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
    calls: list[ToolCallTold]


class ShownSessionTold(Told):
    """A session and a page of its lines, the oldest first; `total` is how many it has."""

    session: SeenTold
    lines: list[TranscriptLineTold]
    total: int


class SearchHitTold(Told):
    """A text that has what was asked for.

    `score` is 0 to 1, the sum of `parts`. `snippet` is one line of it, with `>>>` and `<<<`
    around what was found. `also_in`: sessions that repeat the line, resumed from this one.
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
    parts: dict[str, float]
    also_in: list[str]


class SearchedTold(Told):
    """The hits, best first, and how many texts have the words.

    `total` counts words, not phrases, in what is indexed, and what was found in `unindexed` lines
    besides.
    """

    query: str
    hits: list[SearchHitTold]
    total: int
    unindexed: int


class TurnTold(Told):
    """A message around a match; `match` where it is one itself."""

    uuid: str
    role: str
    content_text: str
    timestamp: datetime
    match: bool


class MatchTold(Told):
    """A message that has what was asked for; `before` and `after` it the others, in their order."""

    session_id: str
    project_path: str
    date: datetime
    relevance: float
    match: TurnTold
    before: list[TurnTold]
    after: list[TurnTold]


class RecalledTold(Told):
    """Matches, the best first. Windows that overlap are one match."""

    term: str
    total: int
    matches: list[MatchTold]


class ToolUseTold(Told):
    """How often a tool was called, how often it failed, and how long it took (the median, in seconds)."""

    tool: str
    project_path: str | None
    calls: int
    results: int
    errors: int
    median_seconds: float | None
    sessions: int
    last_used: datetime


class TouchedTold(Told):
    """A file that tools worked on: how often which kind of tool did, in which sessions (latest first)."""

    path: str
    reads: int
    edits: int
    writes: int
    others: int
    sessions: int
    session_ids: list[str]
    last_touched: datetime
