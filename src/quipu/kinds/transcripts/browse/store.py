"""The texts and the sessions of a space, as the searches and lists read them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.transcripts.browse.model import (
    Part,
    QueryColumn,
    QueryTable,
    RecordedSession,
    Role,
    ToolCall,
    TranscriptLine,
)
from quipu.kinds.transcripts.browse.words import MOST_CHARACTERS

SQL = queries.load("quipu.kinds.transcripts.browse")

Key = tuple[int, Part, str]
"""Line, part and call: what names a text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Located:
    """Where a text stands."""

    line_id: int
    part: Part
    call_id: str
    session_id: int
    role: Role
    tool_name: str | None
    is_error: bool
    happened_at: datetime

    @property
    def key(self) -> Key:
        """The name of the text."""
        return self.line_id, self.part, self.call_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Text(Located):
    """A text that can be searched."""

    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedText(Located):
    """A text of the index that has the words; ``found`` is how many of them there are."""

    words: int
    total: int


async def texts(tx: SpaceTransaction, lines: Sequence[int]) -> list[Text]:
    """Return the texts of lines as they are now, without memory of other spaces in them."""
    return await spoken(
        tx, await tx.fetch(Text, SQL["texts"], lines=Int8s(lines), characters=MOST_CHARACTERS)
    )


async def spoken(tx: SpaceTransaction, lines: Sequence[Text]) -> list[Text]:
    """Return the texts without memory of other spaces in them."""
    read = await tx.spoken([one.content for one in lines])
    return [replace(one, content=content) for one, content in zip(lines, read, strict=True)]


async def count_unindexed(tx: SpaceTransaction) -> int:
    """Count the lines that the index does not know as they are."""
    ((behind,),) = await tx.rows(SQL["is_behind"])
    return (await tx.rows(SQL["count_unindexed"]))[0][0] if behind else 0


async def families(tx: SpaceTransaction, numbers: Sequence[int]) -> list[RecordedSession]:
    """Return sessions by their numbers, with their subagents inside."""
    rows = await tx.fetch(RecordedSession, SQL["with_subagents"], numbers=Int8s(numbers))
    by_parent: defaultdict[str | None, list[RecordedSession]] = defaultdict(list)
    names = {one.id for one in rows}
    for one in rows:
        by_parent[one.parent_session if one.parent_session in names else None].append(one)
    return [_with_children(one, by_parent) for one in by_parent[None]]


def _with_children(
    one: RecordedSession, by_parent: Mapping[str | None, Sequence[RecordedSession]]
) -> RecordedSession:
    children = tuple(_with_children(child, by_parent) for child in by_parent.get(one.id, ()))
    return replace(one, subagents=children)


async def readable(tx: SpaceTransaction, session: int, *, limit: int, offset: int) -> list[TranscriptLine]:
    """Return a page of the lines of a session, with their calls."""
    rows = await tx.fetch(dict[str, Any], SQL["readable"], session=session, limit=limit, offset=offset)
    calls: defaultdict[int, list[ToolCall]] = defaultdict(list)
    for call in await tx.fetch(dict[str, Any], SQL["calls"], lines=Int8s([row["id"] for row in rows])):
        calls[call.pop("line_id")].append(ToolCall(**call))
    return [TranscriptLine(calls=tuple(calls[row.pop("id")]), **row) for row in rows]


async def relations(tx: SpaceTransaction) -> list[QueryTable]:
    """Return the relations that a query can name; views first."""
    return [
        QueryTable(name, kind, comment, tuple(QueryColumn(*column) for column in columns))
        for name, kind, comment, columns in await tx.rows(SQL["relations"])
    ]
