"""Content of a briefing: recent sessions, lessons, files and open tasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class RecentSession:
    """A recent session; ``prompts`` is how often a person asked."""

    id: str
    project_path: str
    title: str | None
    git_branch: str | None
    first_timestamp: datetime | None
    last_timestamp: datetime | None
    prompts: int


@dataclass(frozen=True, slots=True)
class KnownLesson:
    """A memory; ``confidence`` is 0 to 1 as of today."""

    id: str
    fact: str
    category: str | None
    confidence: float
    session_id: str | None
    happened_at: datetime


@dataclass(frozen=True, slots=True)
class FrequentFile:
    """A file and how often it was edited, in how many sessions."""

    path: str
    edits: int
    sessions: int


@dataclass(frozen=True, slots=True)
class OpenTask:
    """A task that is open; ``source`` is where it stands: a memory, the agent's own list, or a team's."""

    text: str
    status: str
    source: str
    session_id: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownFacts:
    """Facts for a briefing, the most important of each kind first."""

    sessions: Sequence[RecentSession] = ()
    memories: Sequence[KnownLesson] = ()
    frequent_files: Sequence[FrequentFile] = ()
    todos: Sequence[OpenTask] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Bootstrap:
    """Briefing that fits: the lists, and a marked block for a prompt with an estimate of its tokens.

    ``text`` is empty if nothing fits or nothing is known.
    """

    sessions: Sequence[RecentSession]
    memories: Sequence[KnownLesson]
    frequent_files: Sequence[FrequentFile]
    todos: Sequence[OpenTask]
    text: str
    tokens: int
