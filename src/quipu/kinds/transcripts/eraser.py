"""Erasing recorded sessions, and the lessons that rest on them alone.

A lesson that loses a source and keeps another stays if its words rest on what remains.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Final, TypeAlias
from uuid import UUID

from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import SpaceTransaction
from quipu.kernel.queue.outbox import put
from quipu.kinds.transcripts.jobs import LEARN
from quipu.record import store as record
from quipu.upkeep.erasure import tombstones
from quipu.upkeep.erasure.derived_text import repeats, words
from quipu.upkeep.erasure.model import Named, What

_SQL: Final = queries.load("quipu.kinds.transcripts")
_Said: TypeAlias = Mapping[str, Mapping[int, str]]
"""What was said, by name of the session and by id of the message."""


@dataclass(frozen=True, slots=True)
class _Wording:
    """A wording of a lesson with one of the lesson's sources; ``goes`` if the source is erased.

    ``edit`` is the id of an earlier wording, None for the present one.
    """

    lesson: UUID
    entry: int | None
    edit: int | None
    text: str
    session: str
    message: int | None
    excerpt: str
    goes: bool


@dataclass(frozen=True, slots=True)
class _Doomed:
    """Contents of an erasure: sessions by number, messages, lessons with their entries, edits by id.

    The sessions of ``again`` are to be read again.
    """

    sessions: Mapping[int, str]
    messages: Sequence[int]
    lessons: Sequence[tuple[UUID, int | None]]
    edits: Sequence[int] = ()
    again: Sequence[str] = ()


class TranscriptsEraser:
    """Takes lines with their calls and results, and lessons that no other session tells.

    Erasing one message takes its line and the lessons that rest on it alone; the rest of the session stays. A
    lesson that other messages tell too stays if its words are theirs. Otherwise it goes, and the sessions of
    these messages are read again.
    """

    async def count(self, tx: SpaceTransaction, what: What) -> Mapping[str, int]:
        """Count the rows that would go, by table; tables without any are left out."""
        doomed = await _doomed(tx, what)
        ((lines,),) = await tx.rows(_SQL["count_lines"], numbers=Int8s(list(doomed.sessions)))
        counts = {"transcript_lines": lines, "transcript_memories": len(doomed.lessons)}
        return {table: count for table, count in counts.items() if count}

    async def erase(self, tx: SpaceTransaction, what: What) -> Sequence[int]:
        """Erase them and return the entries of the lessons."""
        doomed = await _doomed(tx, what)
        names, everything = list(doomed.sessions.values()), what.everything
        numbers, messages = Int8s(list(doomed.sessions)), Int8s(doomed.messages)
        await tx.execute(_SQL["erase_memories"], memories=[lesson for lesson, _ in doomed.lessons])
        await tx.execute(_SQL["erase_edits"], edits=Int8s(doomed.edits))
        await tx.execute(_SQL["erase_sources"], sessions=names, messages=messages)
        await tx.execute(_SQL["erase_repetitions"], messages=messages)
        await tx.execute(_SQL["erase_prompts"], sessions=names, everything=everything)
        await tx.execute(_SQL["erase_teams"], sessions=names, everything=everything)
        await tx.execute(_SQL["erase_summaries"], numbers=numbers, everything=everything)
        await tx.execute(_SQL["erase_files"], everything=everything)
        await tx.execute(_SQL["erase_sessions"], numbers=numbers)
        if doomed.again:
            await tx.execute(_SQL["unread"], sessions=list(doomed.again))
            await put(tx, LEARN, {}, key="all")
        return [entry for _, entry in doomed.lessons if entry is not None]


async def noted(tx: SpaceTransaction, what: What, now: datetime) -> None:
    """Note the lines and prompts that an erasure takes."""
    sessions = await record.whole_sessions(tx, what)
    messages = Int8s(await record.matching(tx, what))
    lines = await tx.rows(_SQL["lines_to_go"], numbers=Int8s(list(sessions)), messages=messages)
    await tombstones.note(tx, "line", [(session, id_) for session, id_ in lines], until="infinity")
    prompts = await tx.rows(_SQL["prompts_to_go"], messages=messages, everything=what.everything)
    await tombstones.note(tx, "prompt", [(session, text) for session, text in prompts], until=now)
    if what.everything:
        prompting = await tx.rows(_SQL["prompting_sessions"])
        await tombstones.note(tx, "session", [(none, name) for none, name in prompting], until=now)


async def _doomed(tx: SpaceTransaction, what: What) -> _Doomed:
    sessions = await record.whole_sessions(tx, what)
    messages = await record.matching(tx, what)
    names = list(sessions.values())
    rows = await tx.rows(
        _SQL["doomed_memories"], sessions=names, messages=Int8s(messages), everything=what.everything
    )
    doomed = _Doomed(sessions, messages, [(lesson, entry) for lesson, entry in rows])
    return doomed if what.everything else await _with_unsupported(tx, doomed)


async def _with_unsupported(tx: SpaceTransaction, doomed: _Doomed) -> _Doomed:
    """Add the wordings of other lessons that do not rest on what remains.

    A wording stays unless it has a word that only erased messages of its sessions said: beside what its other
    sources say where it loses one, beside what remains of its sessions where it loses none.
    """
    names = list(doomed.sessions.values())
    ids = [lesson for lesson, _ in doomed.lessons]
    rows = await tx.fetch(
        _Wording, _SQL["wordings"], sessions=names, messages=Int8s(doomed.messages), doomed=ids
    )
    if not rows:
        return doomed
    said = await _said_in(tx, sorted({row.session for row in rows}))
    gone = set(doomed.messages)
    lessons: dict[UUID, int | None] = {}
    edits: list[int] = []
    again: set[str] = set()
    for (lesson, edit), group in groupby(rows, key=lambda row: (row.lesson, row.edit)):
        wordings = list(group)
        if lesson in lessons or _stays(wordings, said, gone, names):
            continue
        if edit is not None:
            edits.append(edit)
        else:
            lessons[lesson] = wordings[0].entry
            again |= {row.session for row in wordings if not row.goes}
    all_lessons = [*doomed.lessons, *lessons.items()]
    return _Doomed(doomed.sessions, doomed.messages, all_lessons, edits, sorted(again))


async def _said_in(tx: SpaceTransaction, sessions: Sequence[str]) -> _Said:
    said: dict[str, dict[int, str]] = {}
    for session, id_, content in await tx.rows(_SQL["said_in"], sessions=list(sessions)):
        said.setdefault(session, {})[id_] = content
    return said


def _stays(rows: Sequence[_Wording], said: _Said, gone: set[int], sessions: Sequence[str]) -> bool:
    concerned = {row.session for row in rows}
    spoken = [(session, *one) for session in concerned for one in said.get(session, {}).items()]
    erased = words(content for session, id_, content in spoken if id_ in gone or session in sessions)
    if any(row.goes for row in rows):
        remaining = words(_kept(rows, said, gone))
    else:
        remaining = words(content for _, id_, content in spoken if id_ not in gone)
    excerpts = words(row.excerpt for row in rows if row.goes)
    return not repeats(rows[0].text, erased=erased | excerpts, remaining=remaining)


def _kept(rows: Sequence[_Wording], said: _Said, gone: set[int]) -> Iterable[str]:
    """Yield the words of the sources that stay; of one that names no message, the rest of its session."""
    for row in rows:
        if row.goes:
            continue
        spoken = said.get(row.session, {})
        if row.message is not None:
            yield spoken.get(row.message, row.excerpt)
        else:
            yield from (content for id_, content in spoken.items() if id_ not in gone)


NAMED = Named(
    gone={"transcripts.memories": ("fact",), "transcripts.memory_edits": ("fact",)},
    indexed=("transcripts.memories",),
    words={
        "transcripts.memories": ("metadata",),
        "transcripts.lines": ("content_text", "thinking", "blocks"),
        "transcripts.memory_sources": ("excerpt",),
        "transcripts.prompts": ("content",),
        "transcripts.session_details": (
            *("custom_title", "ai_title", "summary", "first_prompt", "last_prompt", "agent_description"),
            "raw",
        ),
        "transcripts.summaries": ("summary",),
        "transcripts.team_tasks": ("subject", "description"),
        "transcripts.tool_calls": ("tool_input",),
        "transcripts.tool_results": ("content",),
    },
)
