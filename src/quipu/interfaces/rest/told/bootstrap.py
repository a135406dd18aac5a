"""What a new session begins with."""

from __future__ import annotations

from datetime import datetime

from quipu.interfaces.rest.models import Told


class ActivityTold(Told):
    """A recent session; `prompts` is how often a person asked."""

    id: str
    project_path: str
    title: str | None
    git_branch: str | None
    first_timestamp: datetime | None
    last_timestamp: datetime | None
    prompts: int


class KnownLessonTold(Told):
    """A memory; `confidence` is 0 to 1 as of today."""

    id: str
    fact: str
    category: str | None
    confidence: float
    session_id: str | None
    happened_at: datetime


class FrequentFileTold(Told):
    """A file and how often it was edited, in how many sessions."""

    path: str
    edits: int
    sessions: int


class TodoTold(Told):
    """A task that is open; `source` is where it stands: a memory, the agent's own list, or a team's."""

    text: str
    status: str
    source: str
    session_id: str | None


class BootstrapTold(Told):
    """What fits: the lists, and the same as a marked block for a prompt with an estimate of its tokens.

    `text` is empty where nothing fits or nothing is known.
    """

    sessions: list[ActivityTold]
    memories: list[KnownLessonTold]
    frequent_files: list[FrequentFileTold]
    todos: list[TodoTold]
    text: str
    tokens: int
