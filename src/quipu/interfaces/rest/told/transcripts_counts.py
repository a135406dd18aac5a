"""How much there is of recorded sessions, and what can be asked of them in SQL."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, Literal

from quipu.interfaces.rest.models import Told


class TotalsTold(Told):
    """How much a space holds; `first` and `last` of its lines."""

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


class UsageTold(Told):
    """Tokens of one model on one day (UTC), each response counted once."""

    day: date
    model: str
    responses: int
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_creation_tokens: int


class SizesTold(Told):
    """Bytes on the disk, of all spaces together: the lines with what belongs to them, and the text index."""

    lines_bytes: int
    index_bytes: int


class StatsTold(Told):
    """What a space holds, and its tokens by day and model, the oldest day first."""

    totals: TotalsTold
    usage: list[UsageTold]
    sizes: SizesTold
    unindexed: int


class RowsTold(Told):
    """Rows of a query: names of its columns, and values that JSON knows.

    `truncated`: there are more; `cut_by` names the argument that left them out, "limit" or "megabytes".
    """

    columns: list[str]
    rows: list[tuple[Any, ...]]
    truncated: bool
    cut_by: Literal["limit", "megabytes"] | None


class QueryColumnTold(Told):
    """A column that a query can name."""

    name: str
    type: str
    comment: str | None


class QueryTableTold(Told):
    """A table or view that a query can name."""

    name: str
    kind: Literal["table", "view"]
    comment: str | None
    columns: list[QueryColumnTold]


class CompactedToolTold(Told):
    """Outputs of one tool that were, or would be, replaced by markers."""

    tool: str
    results: int
    bytes_before: int
    bytes_after: int


class CompactedTold(Told):
    """What `compact` did, or would do: the tools with the most bytes first."""

    done: bool
    older_than_days: int
    tools: list[CompactedToolTold]


class IndexedTold(Told):
    """Lines whose texts went into the index, and how many are left."""

    lines: int
    texts: int
    left: int
