"""Content of a transcript, line by line; the values are cleaned in place before they are stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from datetime import datetime
from typing import Literal, NamedTuple

Said = Literal["user", "assistant"]


class Usage(NamedTuple):
    """Cost of one answer of the model, in tokens; each of its lines repeats it."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_creation: int = 0


@dataclass(slots=True, kw_only=True)
class ToolCall:
    """A tool that the agent called. ``input`` is what it was given; ``json`` the same as it is stored."""

    id: str
    name: str
    input: object
    path: str | None = None
    json: str | None = None


@dataclass(slots=True, kw_only=True)
class ToolResult:
    """Result of a call.

    ``spilled_from`` is the file beside the transcript that had it; ``agent`` the session of the subagent that
    the call began.
    """

    call_id: str
    content: str
    is_error: bool = False
    spilled_from: str | None = None
    agent: str | None = None


@dataclass(slots=True)
class TranscriptEntry:
    """One line of a transcript.

    ``said`` is the role of who spoke, None where nobody did; ``text`` what was said, or the text of a line
    that nobody said. ``rest`` is what has no place of its own (``json`` the same as it is stored).
    ``secrets`` counts what was cut out of ``text``.
    """

    session: str
    uuid: str
    type: str
    happened_at: datetime
    _: KW_ONLY
    subtype: str | None = None
    parent_uuid: str | None = None
    logical_parent_uuid: str | None = None
    model: str | None = None
    response_id: str | None = None
    said: Said | None = None
    text: str | None = None
    thinking: str | None = None
    rest: object = None
    json: str | None = None
    cwd: str | None = None
    git_branch: str | None = None
    is_meta: bool = False
    is_sidechain: bool = False
    is_compact_summary: bool = False
    is_noise: bool = False
    usage: Usage | None = None
    calls: Sequence[ToolCall] = ()
    results: Sequence[ToolResult] = ()
    secrets: int = 0

    @property
    def is_prompt(self) -> bool:
        """True if a person asked: it begins a turn."""
        return self.said == "user"


@dataclass(slots=True, kw_only=True)
class Details:
    """Details of a session as a whole, from its lines; None for what they do not say."""

    session: str
    source: str = "claude-code"
    first_at: datetime | None = None
    last_at: datetime | None = None
    project_path: str | None = None
    cwd: str | None = None
    git_branch: str | None = None
    agent_version: str | None = None
    custom_title: str | None = None
    ai_title: str | None = None
    first_prompt: str | None = None
    last_prompt: str | None = None
    pr_url: str | None = None
    parent_session: str | None = None
    agent_type: str | None = None
    agent_description: str | None = None
    tool_use_id: str | None = None

    def spans(self, moment: datetime) -> None:
        """Stretch over a moment."""
        if self.first_at is None or moment < self.first_at:
            self.first_at = moment
        if self.last_at is None or moment > self.last_at:
            self.last_at = moment


@dataclass(slots=True)
class Summary:
    """A title that was found for the session which holds the line ``leaf_uuid``, often in another file."""

    leaf_uuid: str
    text: str


@dataclass(slots=True)
class Reading:
    """Content of some lines.

    ``passed`` counts what is not kept, by kind; ``unknown`` what is kept as it came, by type; ``faults`` what
    was wrong, in sentences, with how often. ``redacted`` counts secrets by kind, ``came_back`` memory that
    came back, by the names that reports give it; ``inserted`` characters that were left out of messages of
    people, as the agent's program wrote them.
    """

    entries: list[TranscriptEntry] = field(default_factory=list[TranscriptEntry])
    details: dict[str, Details] = field(default_factory=dict[str, Details])
    summaries: list[Summary] = field(default_factory=list[Summary])
    lines: int = 0
    passed: Counter[str] = field(default_factory=Counter[str])
    unknown: Counter[str] = field(default_factory=Counter[str])
    faults: Counter[str] = field(default_factory=Counter[str])
    redacted: Counter[str] = field(default_factory=Counter[str])
    came_back: Counter[str] = field(default_factory=Counter[str])
    inserted: int = 0

    def of(self, session: str) -> Details:
        """Return the details of a session."""
        details = self.details.get(session)
        if details is None:
            details = self.details[session] = Details(session=session)
        return details
