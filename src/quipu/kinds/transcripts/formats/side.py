"""Files beside the transcripts: the history of prompts, the index of sessions, teams and their tasks."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

from quipu.kernel.base.lines import TOO_LONG, all_of, next_line, open_regular, rest_of_line
from quipu.kernel.base.scope import moment
from quipu.kinds.transcripts.formats.records import Fields, fields, parse, text


@dataclass(slots=True)
class Prompt:
    """Prompt that somebody typed, from the history."""

    session: str | None
    project_path: str
    happened_at: datetime
    content: str


@dataclass(slots=True)
class Member:
    """An agent of a team."""

    id: str
    name: str | None = None
    agent_type: str | None = None
    model: str | None = None
    prompt: str | None = None
    color: str | None = None
    cwd: str | None = None
    joined_at: datetime | None = None


@dataclass(slots=True)
class Team:
    """Agents that work together; ``id`` is the name of its directory."""

    id: str
    name: str | None = None
    description: str | None = None
    lead_session_id: str | None = None
    created_at: datetime | None = None
    members: list[Member] = field(default_factory=list[Member])


@dataclass(slots=True)
class Task:
    """A task of a team; ``id`` is team:task."""

    id: str
    team_id: str
    owner_name: str | None
    subject: str | None
    description: str | None
    status: str
    completed_at: datetime | None


def prompt(line: bytes, *, now: datetime) -> Prompt | None:
    """Read a line of ``history.jsonl``, with what was pasted into it; None if it says nothing."""
    record, _ = parse(line)
    if record is None:
        return None
    said = text(record.get("display")) or text(record.get("text"))  # the second: of Codex
    stamp = record.get("timestamp") if "timestamp" in record else record.get("ts")
    read = moment(stamp, now=now)
    if said is None or isinstance(read, str):
        return None
    pasted = [
        p for one in fields(record.get("pastedContents")).values() if (p := text(fields(one).get("content")))
    ]
    session = text(record.get("sessionId")) or text(record.get("session_id"))
    return Prompt(session, text(record.get("project")) or "", read.at, "\n\n".join([said, *pasted]))


def index(path: Path) -> Mapping[str, str]:
    """Return the summaries of ``sessions-index.json``, by session.

    Raises:
        OSError: it cannot be read.
        ValueError: it is no JSON object.
    """
    entries = _document(path).get("entries")
    summaries: dict[str, str] = {}
    for entry in map(fields, cast("list[object]", entries) if isinstance(entries, list) else []):
        session, summary = text(entry.get("sessionId")), text(entry.get("summary"))
        if session and summary:
            summaries[session] = summary
    return summaries


def team(path: Path, *, now: datetime) -> Team:
    """Read ``teams/NAME/config.json``.

    Raises:
        OSError: it cannot be read.
        ValueError: it is no JSON object.
    """
    told = _document(path)
    whole = Team(
        id=path.parent.name,
        name=text(told.get("name")),
        description=text(told.get("description")),
        lead_session_id=text(told.get("leadSessionId")),
        created_at=_time(told.get("createdAt"), now),
    )
    members = told.get("members")
    for member in map(fields, cast("list[object]", members) if isinstance(members, list) else []):
        name = text(member.get("agentId")) or text(member.get("name"))
        if name:
            whole.members.append(_member(name, member, now))
    return whole


def _member(name: str, told: Fields, now: datetime) -> Member:
    return Member(
        id=name,
        name=text(told.get("name")),
        agent_type=text(told.get("agentType")),
        model=text(told.get("model")),
        prompt=text(told.get("prompt")),
        color=text(told.get("color")),
        cwd=text(told.get("cwd")),
        joined_at=_time(told.get("joinedAt"), now),
    )


def task(path: Path, *, now: datetime) -> Task:
    """Read ``tasks/TEAM/N.json``; a task counts as done since its file was last written.

    Raises:
        OSError: it cannot be read.
        ValueError: it is no JSON object.
    """
    told, owner = _document(path), path.parent.name
    number = told.get("id")
    name = str(number) if isinstance(number, str | int) else path.stem
    status = text(told.get("status")) or "pending"
    written_at = min(now, datetime.fromtimestamp(path.stat().st_mtime, UTC))
    return Task(
        id=f"{owner}:{name}",
        team_id=owner,
        owner_name=text(told.get("owner")),
        subject=text(told.get("subject")),
        description=text(told.get("description")),
        status=status,
        completed_at=written_at if status == "completed" else None,
    )


def lines(path: Path) -> Iterator[bytes | None]:
    """Yield the lines of a file; None for one that is too long to be loaded.

    Raises:
        OSError: it cannot be read.
    """
    with open_regular(path) as file:
        while (line := next_line(file)) is not None:
            yield line.data if line.whole else None
            if not line.whole:
                deque(rest_of_line(file), maxlen=0)


def _time(value: object, now: datetime) -> datetime | None:
    read = moment(value, now=now)
    return None if isinstance(read, str) else read.at


def _document(path: Path) -> Fields:
    try:
        with open_regular(path) as file:
            said = all_of(file)
        if said is None:
            raise ValueError(f"it is {TOO_LONG}")
        told: object = json.loads(said)
    except RecursionError:
        raise ValueError("it is nested some 1,000 deep or more") from None
    if not isinstance(told, dict):
        raise ValueError("it is no JSON object")
    return cast("Fields", told)
