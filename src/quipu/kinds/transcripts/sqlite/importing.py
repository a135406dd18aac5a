"""Keeping what a file of ccrecall tells: sessions with their lines, teams, memories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from quipu.kernel.base import echo
from quipu.kernel.db.database import Database, Within
from quipu.kinds.transcripts.reading.model import Entry
from quipu.kinds.transcripts.sqlite import rules, store
from quipu.kinds.transcripts.sqlite.cleaning import Cleaning
from quipu.kinds.transcripts.sqlite.reading import Session
from quipu.recall import index
from quipu.recall.dates import tells_time
from quipu.recall.generations import Models
from quipu.recall.languages import DEFAULT
from quipu.recall.model import Draft, Moved
from quipu.recall.terms import bag

_TRANSCRIPTS: Final = 3  # core.recall_kinds.code
_LONGEST_FACT: Final = 10_000
_TRIES: Final = 5

Row = Mapping[str, Any]


def said(session: Session) -> Iterator[Mapping[str, object]]:
    """The messages of a session as the record takes them, in the words of ``quipu import claude-code``."""
    for entry in session.reading.entries:
        if entry.said is not None:
            yield {
                "id": entry.uuid,
                "session": entry.session,
                "role": entry.said,
                "content": entry.text or "",
                "time": entry.happened_at,
            }


async def keep(within: Within, session: Session, cleaning: Cleaning) -> Counter[str]:
    """Keep what a session's lines know besides what was said in them; new rows by table."""
    number = await store.open_session(within, session.name)
    details, reading = session.details, session.reading
    summary = reading.summaries[-1].text if reading.summaries else None
    about = {
        "session": number,
        "project_path": details.project_path or "",
        "cwd": details.cwd,
        "git_branch": details.git_branch,
        "first_at": details.first_at,
        "last_at": details.last_at,
        "summary": cleaning.text(summary),
        "first_prompt": cleaning.text(details.first_prompt, counted=False),
    }
    await store.run(within, "keep_details", about)
    new: Counter[str] = Counter()
    entries = reading.entries
    new["lines"] = await store.keep(within, "keep_lines", number, [_line(one, cleaning) for one in entries])
    await store.keep(within, "keep_responses", number, [_response(one) for one in entries if one.usage])
    new["tool_calls"] = await store.keep(within, "keep_calls", number, list(_calls(entries, cleaning)))
    new["tool_results"] = await store.keep(within, "keep_results", number, list(_results(entries, cleaning)))
    return new


def _line(entry: Entry, cleaning: Cleaning) -> Row:
    return {
        "uuid": entry.uuid,
        "parent_uuid": entry.parent_uuid,
        "type": entry.type,
        "subtype": entry.subtype,
        "model": entry.model,
        "response_id": entry.response_id,
        "happened_at": entry.happened_at.isoformat(),
        "content_text": cleaning.text(_without_echoes(entry.text), counted=entry.said is None),
        "thinking": cleaning.text(entry.thinking),
        "blocks": cleaning.value(entry.rest),
        "cwd": entry.cwd,
        "git_branch": entry.git_branch,
        "is_meta": entry.is_meta,
        "is_sidechain": entry.is_sidechain,
        "is_compact_summary": entry.is_compact_summary,
        "is_noise": entry.is_noise,
        "is_prompt": entry.is_prompt,
        "said": entry.said is not None,
    }


def _without_echoes(text: str | None) -> str | None:
    return None if text is None else echo.strip(text).text


def _response(entry: Entry) -> Row:
    assert entry.usage is not None
    spent = entry.usage
    tokens = (spent.input, spent.output, spent.cache_read, spent.cache_creation)
    names = ("input", "output", "cache_read", "cache_creation")
    told = {"response_id": entry.response_id or entry.uuid, "uuid": entry.uuid, "model": entry.model}
    return told | dict(zip(names, tokens, strict=True))


def _calls(entries: Sequence[Entry], cleaning: Cleaning) -> Iterator[Row]:
    for entry in entries:
        for call in entry.calls:
            told = {"id": call.id, "uuid": entry.uuid, "name": call.name, "path": call.path}
            yield told | {"input": cleaning.value(call.input)}


def _results(entries: Sequence[Entry], cleaning: Cleaning) -> Iterator[Row]:
    for entry in entries:
        for one in entry.results:
            told = {"call_id": one.call_id, "uuid": entry.uuid, "is_error": one.is_error}
            yield told | {"content": cleaning.text(one.content)}


async def keep_teams(within: Within, teams: Mapping[str, Sequence[Row]], cleaning: Cleaning) -> Counter[str]:
    """Keep teams with their members and tasks; new rows by table."""
    new: Counter[str] = Counter()
    for table, query in (
        ("teams", "keep_team"),
        ("team_members", "keep_member"),
        ("team_tasks", "keep_task"),
    ):
        for row in teams.get(table, ()):
            values = {name: cleaning.text(v) if isinstance(v, str) else v for name, v in row.items()}
            times = {name: rules.moment(v) for name, v in row.items() if name.endswith("_at")}
            new[table] += await store.run(within, query, values | times)
    return new


def memory(row: Row, cleaning: Cleaning, mended: Counter[str], *, now: datetime) -> Row:
    """A memory of the file as it is kept."""
    made = rules.moment(row["created_at"]) or now
    return {
        "id": rules.memory_id(row["id"], mended),
        "session": row["session_id"],
        "fact": (cleaning.text(str(row["fact"]).strip()) or "")[:_LONGEST_FACT],
        "category": rules.category(row["category"], mended),
        "confidence": rules.confidence(row["confidence"], mended),
        "created_at": made,
        "updated_at": rules.moment(row["updated_at"]) or made,
    }


async def keep_memories(
    database: Database, models: Models, space: str, memories: Sequence[Row], *, now: datetime
) -> int:
    """Keep memories and make them findable, in one transaction; how many were new."""
    generation: int | None = None
    for attempt in range(_TRIES):
        async with database.reading(space) as within:
            known: set[UUID] = (
                set() if within is None else await store.known_memories(within, [m["id"] for m in memories])
            )
            generation = generation or (None if within is None else within.space.generation)
        new = [one for one in memories if one["id"] not in known and one["fact"]]
        if not new:
            return 0
        embedded = await models.embed([one["fact"] for one in new], generation=generation)
        try:
            async with database.writing(space) as within:
                await store.hold_memories(within)
                if await store.known_memories(within, [one["id"] for one in new]):
                    continue  # somebody else kept some of them meanwhile
                fallback = next(iter(within.space.languages), DEFAULT)
                drafts = [
                    _draft(one, vector, fallback, now=now)
                    for one, vector in zip(new, embedded.vectors, strict=True)
                ]
                ids = await index.file(within, drafts, generation=embedded.generation)
                for one, entry in zip(new, ids, strict=True):
                    await store.run(within, "keep_memory", {**one, "entry": entry})
            return len(new)
        except Moved as moved:
            generation = moved.generation
            if attempt == _TRIES - 1:
                raise
    return 0


def _draft(one: Row, vector: Any, fallback: str, *, now: datetime) -> Draft:
    return Draft(
        kind=_TRANSCRIPTS,
        bag=bag(one["fact"], fallback=fallback),
        vector=vector,
        happened_at=one["created_at"],
        recorded_at=now,
        by_user=True,
        has_time=tells_time(one["fact"]),
        source_table="memories",
        source_id=str(one["id"]),
        content=one["fact"],
    )
