"""claude-mem: its database ``claude-mem.db`` (schemas 4 to 52), and the JSON of its export script.

``sdk_sessions(content_session_id, memory_session_id, project, user_prompt, ...)``, the first being the
session of Claude Code; ``user_prompts(content_session_id, prompt_number, prompt_text)``; ``observations
(memory_session_id, project, type, title, subtitle, narrative, facts, concepts, files_read, files_modified,
text, ...)``; ``session_summaries(request, investigated, learned, completed, next_steps, notes, ...)``. Lists
are JSON, times are milliseconds in ``created_at_epoch``. In early schemas the sessions are called
``claude_session_id`` and ``sdk_session_id``. An export has the rows under ``sessions``, ``prompts``,
``observations`` and ``summaries``.

Prompts are words said in the session of Claude Code; observations and summaries become lessons, and next
steps are to be done. Calls of tools stand in Claude Code's transcripts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from quipu.app.imports.fields import Account, Fields, Unreadable, as_list, as_object, plain_row
from quipu.app.imports.files import SourceFiles
from quipu.app.imports.found import JSON, Found, Said, Stated, ToDo
from quipu.app.imports.source import Source
from quipu.errors import BadInput
from quipu.kernel.db import queries

_READ: Final = queries.load("quipu.app.imports", folder="rows")
_TABLES: Final = {
    "sdk_sessions": "sessions",
    "user_prompts": "prompts",
    "observations": "observations",
    "session_summaries": "summaries",
}
_LEFT: Final = {
    "tool_uses": "a call of a tool, which the transcripts of Claude Code have",
    "pending_messages": "a call that waits to be looked at",
    "memory_items": "a record of the server edition",
}
_PARTS: Final = ("request", "investigated", "learned", "completed", "next_steps", "notes")
_KEPT: Final = ("subtitle", "prompt_number", "agent_type", "agent_id")
_LISTS: Final = ("concepts", "files_read", "files_modified", "files_edited")
_EXPORT: Final = (b'"exportedAt"', b'"totalObservations"')
_COUNTS: Final = ("exportedAt", "exportedAtEpoch", "query", "project")
_CLAUDE: Final = "claude"

Row = Mapping[str, Any]
Rows = Callable[[str], Iterator[tuple[str, Row]]]
"""Rows of sessions, prompts, observations or summaries, by that name, each with its place."""


@dataclass(slots=True)
class _Sessions:
    """Sessions of Claude Code by those of claude-mem, and first prompts that may stand nowhere else."""

    names: dict[str, str] = field(default_factory=dict[str, str])
    unheard: dict[str, Said] = field(default_factory=dict[str, Said])


def _recognise(files: SourceFiles) -> bool:
    return any(_is_database(files.tables_in(name)) or _is_export(files, name) for name in files.names)


def _is_database(tables: Mapping[str, list[str]]) -> bool:
    return {"sdk_sessions", "observations"} <= set(tables)


def _is_export(files: SourceFiles, name: str) -> bool:
    return name.endswith(".json") and all(word in files.begin(name) for word in _EXPORT)


def _read(files: SourceFiles, account: Account) -> Iterator[Found]:
    others = 0
    for name in files.names:
        if _is_database(tables := files.tables_in(name)):
            yield from _of_database(files, name, tables, account)
        elif _is_export(files, name):
            yield from _found(_of_export(files, name, account), account)
        else:
            others += 1
    if others == len(files.names):
        raise BadInput(f"{files.path} is no database and no export of claude-mem.", field="path")
    if others:
        account.leave_out("a file that is not of claude-mem", others)


def _of_database(
    files: SourceFiles, name: str, tables: Mapping[str, list[str]], account: Account
) -> Iterator[Found]:
    kinds = {kind: table for table, kind in _TABLES.items() if table in tables}
    with files.sqlite(name) as connection:

        def rows(kind: str) -> Iterator[tuple[str, Row]]:
            if table := kinds.get(kind):
                for row in connection.execute(_READ[f"claude_mem_{table}"]):
                    yield f"{name}, {table} {row['id']}", dict(row)

        if "schema_versions" in tables:
            newest = connection.execute(_READ["claude_mem_schema_versions"]).fetchone()["version"]
            account.version = None if newest is None else f"schema {newest}"
        yield from _found(rows, account)
        for table, why in _LEFT.items():
            if table in tables and (
                count := connection.execute(_READ[f"claude_mem_{table}"]).fetchone()["count"]
            ):
                account.leave_out(why, count)


def _of_export(files: SourceFiles, name: str, account: Account) -> Rows:
    for key, _ in files.members(name):
        if key not in (*_TABLES.values(), *_COUNTS) and not key.startswith("total"):
            account.drop(f"export.{key}")

    def rows(kind: str) -> Iterator[tuple[str, Row]]:
        for number, (_, row) in enumerate(files.members(name, (kind,)), start=1):
            yield f"{name}, {kind} {number:,}", row

    return rows


def _found(rows: Rows, account: Account) -> Iterator[Found]:
    sessions = _Sessions()
    for where, row in rows("sessions"):
        with account.reading(where), account.fields(row, "session") as session:
            _remember(session, row, sessions)
    for where, row in rows("prompts"):
        with account.reading(where), account.fields(row, "prompt") as prompt:
            said = _prompt(prompt, row)
            sessions.unheard.pop(said.session or "", None)
            yield said
    yield from sessions.unheard.values()
    for where, row in rows("observations"):
        with account.reading(where), account.fields(row, "observation") as observation:
            if (learned := _observation(observation, row, sessions)) is not None:
                yield learned
            else:
                account.leave_out("an observation without words")
    for where, row in rows("summaries"):
        with account.reading(where), account.fields(row, "summary") as summary:
            yield from _summary(summary, row, sessions, account)


def _remember(session: Fields, row: Row, sessions: _Sessions) -> None:
    id_ = session.words("id")
    name = session.text("content_session_id") or session.words("claude_session_id")
    inner = session.text("memory_session_id") or session.text("sdk_session_id")
    started, said = _time(session, "started_at"), session.text("user_prompt")
    project = session.text("project")
    if inner is not None:
        sessions.names[inner] = name
    if said is not None:
        metadata = {} if project is None else {"project": project}
        sessions.unheard[name] = Said(
            id=f"session/{id_}",
            session=name,
            content=said,
            time=started,
            metadata=metadata,
            raw=plain_row(row.items()),
        )


def _prompt(prompt: Fields, row: Row) -> Said:
    platform, project = prompt.text("platform_source"), prompt.text("project")
    for known in ("session_db_id", "prompt_number", "memory_session_id"):
        prompt.get(known)
    about = {"project": project, "platform": None if platform == _CLAUDE else platform}
    return Said(
        id=f"prompt/{prompt.words('id')}",
        session=prompt.text("content_session_id") or prompt.words("claude_session_id"),
        content=prompt.words("prompt_text"),
        time=_time(prompt),
        metadata={name: value for name, value in about.items() if value is not None},
        raw=plain_row(row.items()),
    )


def _observation(observation: Fields, row: Row, sessions: _Sessions) -> Stated | None:
    id_ = observation.words("id")
    said = [observation.text(name) for name in ("title", "narrative", "text")]
    words = [one for one in [*said, *_listed(observation, "facts")] if isinstance(one, str) and one.strip()]
    category, session = observation.text("type"), _session(observation, sessions)
    time, metadata = _time(observation), _metadata(observation)
    return (
        None
        if not words
        else Stated(
            id=f"observation/{id_}",
            text="\n".join(words),
            lesson=True,
            category=category,
            session=session,
            time=time,
            metadata=metadata,
            raw=plain_row(row.items()),
        )
    )


def _summary(summary: Fields, row: Row, sessions: _Sessions, account: Account) -> Iterator[Found]:
    id_, session, time = summary.words("id"), _session(summary, sessions), _time(summary)
    parts = {name: text for name in _PARTS if (text := summary.text(name)) is not None}
    raw, metadata = plain_row(row.items()), _metadata(summary)
    if not parts:
        account.leave_out("a summary without words")
        return
    yield Stated(
        id=f"summary/{id_}",
        text="\n".join(f"{name}: {text}" for name, text in parts.items()),
        lesson=True,
        category="context",
        session=session,
        time=time,
        metadata=metadata,
        raw=raw,
    )
    if "next_steps" in parts:
        id_ = f"summary/{id_}/next_steps"
        yield ToDo(id=id_, text=parts["next_steps"], session=session, time=time, raw=raw)


def _session(given: Fields, sessions: _Sessions) -> str | None:
    inner = given.text("memory_session_id") or given.text("sdk_session_id")
    return None if inner is None else sessions.names.get(inner, inner)


def _metadata(given: Fields) -> dict[str, JSON]:
    """Return the project, and what else a record is about."""
    project = given.text("project")
    found: dict[str, JSON] = {"project": given.text("merged_into_project") or project}
    found |= {name: given.get(name) for name in _KEPT} | {name: _listed(given, name) for name in _LISTS}
    more = given.json("metadata")
    found |= {"metadata": more} if (inner := as_object(more)) is None else inner
    return {name: value for name, value in found.items() if value not in (None, "", [], {})}


def _listed(given: Fields, name: str) -> list[JSON]:
    """Return a list that stands there as JSON; a text that is none is one element."""
    try:
        value = given.json(name)
    except Unreadable:
        value = given.get(name)
    listed = as_list(value)
    return [value] if listed is None and value is not None else listed or []


def _time(given: Fields, name: str = "created_at") -> datetime | None:
    exact, told = given.time(f"{name}_epoch"), given.time(name)
    return exact or told


SOURCE: Final = Source(
    name="claude-mem",
    title="claude-mem",
    takes="prompts, observations and summaries of coding sessions",
    recognise=_recognise,
    read=_read,
)
