"""The queries of seeing, one short function each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypeVar

from psycopg.rows import class_row, dict_row

from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Bools, Float4s, Int4s, Int8s
from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.transcripts.browse.model import (
    Part,
    QueryColumn,
    QueryTable,
    RecordedSession,
    Role,
    TokenUsage,
    ToolCall,
    ToolUse,
    TouchedFile,
    TranscriptLine,
    TranscriptSizes,
    TranscriptTotals,
)
from quipu.kinds.transcripts.browse.words import MOST_CHARACTERS

_SQL = queries.load("quipu.kinds.transcripts.browse")
_Row = TypeVar("_Row")


@dataclass(frozen=True, slots=True)
class Text:
    """A text that can be searched, where it stands, and what it says."""

    line_id: int
    part: Part
    call_id: str
    session_id: int
    role: Role
    tool_name: str | None
    is_error: bool
    happened_at: datetime
    content: str


@dataclass(frozen=True, slots=True)
class Known:
    """A text of the index that has the words; ``found`` is how many of them there are."""

    line_id: int
    part: Part
    call_id: str
    session_id: int
    role: Role
    tool_name: str | None
    is_error: bool
    happened_at: datetime
    words: int
    found: int


@dataclass(frozen=True, slots=True)
class Indexing:
    """Progress of a space's index, and the line up to which it can go."""

    indexed_to: int
    settled_to: int


@dataclass(frozen=True, slots=True)
class Place:
    """Place of a line."""

    line_id: int
    uuid: str
    type: str
    session: str
    project_path: str | None
    title: str | None


@dataclass(frozen=True, slots=True)
class SaidLine:
    """A line that holds a message of the record."""

    line_id: int
    message_id: int
    session_id: int
    type: str
    happened_at: datetime


@dataclass(frozen=True, slots=True)
class Around:
    """A message of a window."""

    line_id: int
    uuid: str
    role: str
    timestamp: datetime
    content_text: str | None
    thinking: str | None
    tools: Sequence[str] | None


@dataclass(frozen=True, slots=True)
class Bulky:
    """An output that is old and long; ``beginning`` of its text."""

    session_id: int
    tool_call_id: str
    tool_name: str
    size_bytes: int
    path: str | None
    beginning: str


async def rows(tx: SpaceTransaction, row: type[_Row], name: str, values: Mapping[str, object]) -> list[_Row]:
    """Return what a query finds, as values of ``row``; ``space`` is filled in."""
    async with tx.conn.cursor(row_factory=class_row(row)) as cursor:
        await cursor.execute(_SQL[name], {"space": tx.space.id, **values})
        return await cursor.fetchall()


async def numbers(tx: SpaceTransaction, name: str, values: Mapping[str, object]) -> list[int]:
    """Return the first column of what a query finds."""
    found = await tx.conn.execute(_SQL[name], {"space": tx.space.id, **values})
    return [row[0] for row in await found.fetchall()]


async def run(tx: SpaceTransaction, name: str, values: Mapping[str, object]) -> int:
    """Run a write; how many rows it was about."""
    return (await tx.conn.execute(_SQL[name], {"space": tx.space.id, **values})).rowcount


async def settle(tx: SpaceTransaction) -> bool:
    """Note up to where no line can still come; False where somebody writes just now."""
    await run(tx, "open_indexing", {})
    ((alone,),) = await (await tx.conn.execute(_SQL["alone"], {"name": tx.space.name})).fetchall()
    if alone:
        await run(tx, "settle", {})
    return bool(alone)


async def hold_indexing(tx: SpaceTransaction) -> Indexing | None:
    """Return the progress of the index, locked until commit; None if another process works on it."""
    found = await rows(tx, Indexing, "hold_indexing", {})
    return found[0] if found else None


async def texts(tx: SpaceTransaction, lines: Sequence[int]) -> list[Text]:
    """Return the texts of lines as they are now, without memory of other spaces in them."""
    values = {"lines": Int8s(lines), "characters": MOST_CHARACTERS}
    return await spoken(tx, await rows(tx, Text, "texts", values))


async def spoken(tx: SpaceTransaction, found: Sequence[Text]) -> list[Text]:
    """Return the texts without memory of other spaces in them."""
    read = await tx.spoken([one.content for one in found])
    return [
        one if one.content == content else replace(one, content=content)
        for one, content in zip(found, read, strict=True)
    ]


async def add_texts(
    tx: SpaceTransaction,
    found: Sequence[Text],
    *,
    words: Sequence[int],
    weights: Sequence[float],
    terms: Sequence[str],
) -> None:
    """Put texts into the index, each with how many words it has, what one counts, and which they are."""
    values = {
        "lines": Int8s([one.line_id for one in found]),
        "parts": [one.part for one in found],
        "calls": [one.call_id for one in found],
        "sessions": Int8s([one.session_id for one in found]),
        "roles": [one.role for one in found],
        "tools": [one.tool_name for one in found],
        "errors": Bools([one.is_error for one in found]),
        "times": [one.happened_at for one in found],
        "words": Int4s(words),
        "weights": Float4s(weights),
        "terms": list(terms),
    }
    await run(tx, "add_texts", values)


async def count_unindexed(tx: SpaceTransaction) -> int:
    """Count the lines that the index does not know as they are."""
    (behind,) = await numbers(tx, "is_behind", {})
    return (await numbers(tx, "count_unindexed", {}))[0] if behind else 0


async def contents(
    tx: SpaceTransaction, found: Sequence[tuple[int, Part, str]]
) -> dict[tuple[int, Part, str], str]:
    """Return the contents of texts, by line, part and call."""
    values = {
        "lines": Int8s([line for line, _, _ in found]),
        "parts": [part for _, part, _ in found],
        "calls": [call for _, _, call in found],
        "characters": MOST_CHARACTERS,
    }
    read = await tx.conn.execute(_SQL["contents"], {"space": tx.space.id, **values})
    return {(line, part, call): content for line, part, call, content in await read.fetchall()}


async def families(tx: SpaceTransaction, chosen: Sequence[int]) -> list[RecordedSession]:
    """Return sessions with their subagents inside, in the order of ``chosen``."""
    found = await rows(tx, RecordedSession, "with_subagents", {"numbers": Int8s(chosen)})
    return _folded(found)


def _folded(found: Sequence[RecordedSession]) -> list[RecordedSession]:
    """Put each session under its parent; those without a parent among them stay."""
    by_parent: defaultdict[str | None, list[RecordedSession]] = defaultdict(list)
    names = {one.id for one in found}
    for one in found:
        by_parent[one.parent_session if one.parent_session in names else None].append(one)
    return [_with_children(one, by_parent) for one in by_parent[None]]


def _with_children(
    one: RecordedSession, by_parent: Mapping[str | None, Sequence[RecordedSession]]
) -> RecordedSession:
    children = tuple(_with_children(child, by_parent) for child in by_parent.get(one.id, ()))
    values = {
        name: getattr(one, name) for name in RecordedSession.__dataclass_fields__ if name != "subagents"
    }
    return RecordedSession(**values, subagents=children) if children else one


async def readable(tx: SpaceTransaction, session: int, *, limit: int, offset: int) -> list[TranscriptLine]:
    """Return a page of the lines of a session, with their calls."""
    values = {"session": session, "limit": limit, "offset": offset}
    async with tx.conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(_SQL["readable"], {"space": tx.space.id, **values})
        found = await cursor.fetchall()
    calls = await _calls(tx, [row["id"] for row in found])
    return [
        TranscriptLine(**{k: v for k, v in row.items() if k != "id"}, calls=calls.get(row["id"], ()))
        for row in found
    ]


async def _calls(tx: SpaceTransaction, lines: Sequence[int]) -> dict[int, tuple[ToolCall, ...]]:
    async with tx.conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(_SQL["calls"], {"space": tx.space.id, "lines": Int8s(lines)})
        found: defaultdict[int, list[ToolCall]] = defaultdict(list)
        for row in await cursor.fetchall():
            found[row.pop("line_id")].append(ToolCall(**row))
    return {line: tuple(calls) for line, calls in found.items()}


async def totals(tx: SpaceTransaction) -> TranscriptTotals:
    """Return the size of the space."""
    (found,) = await rows(tx, TranscriptTotals, "totals", {})
    return found


async def usage(tx: SpaceTransaction, values: Mapping[str, object]) -> list[TokenUsage]:
    """Return tokens by day and model."""
    return await rows(tx, TokenUsage, "usage", values)


async def sizes(tx: SpaceTransaction) -> TranscriptSizes:
    """Return the bytes on the disk."""
    async with tx.conn.cursor(row_factory=class_row(TranscriptSizes)) as cursor:
        found = await (await cursor.execute(_SQL["sizes"])).fetchone()
    assert found is not None
    return found


async def tools(tx: SpaceTransaction, values: Mapping[str, object]) -> list[ToolUse]:
    """Return tools, most called first."""
    return await rows(tx, ToolUse, "tools", values)


async def files(tx: SpaceTransaction, values: Mapping[str, object]) -> list[TouchedFile]:
    """Return files, most changed first."""
    return await rows(tx, TouchedFile, "files", values)


async def relations(tx: SpaceTransaction) -> list[QueryTable]:
    """Return what a query can name; views first."""
    found: list[tuple[Any, ...]] = await (await tx.conn.execute(_SQL["relations"])).fetchall()
    return [
        QueryTable(name, kind, comment, tuple(QueryColumn(*column) for column in columns))
        for name, kind, comment, columns in found
    ]
