"""Records that a reader finds in another system: said, stated, kept as a document, or to be done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

JSON = Any
Metadata = Mapping[str, JSON]


def _none() -> dict[str, JSON]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """Words that somebody said: a message of a session.

    ``id`` is unique in its session, or the source's own. ``role`` is user, assistant, system, tool, or any
    other. ``speaker`` is who spoke, where that is not the user or the assistant, and ``user`` whose words
    they are, where the source says. ``item`` is the message as an agent exchanged it, where it was no plain
    text. One that is not ``heard`` keeps its place in the session and is found by nobody: instructions, other
    branches. ``raw`` is the record of the source, for its origin.
    """

    id: str
    session: str | None
    content: str
    role: str = "user"
    speaker: str | None = None
    user: str | None = None
    time: datetime | None = None
    item: Mapping[str, JSON] | None = None
    metadata: Metadata = field(default_factory=_none)
    heard: bool = True
    raw: JSON = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """A statement that the source drew from what was said or read.

    It becomes a long-term memory, or a ``lesson``, of a coding agent. ``time`` is when it was first said.
    It held from ``valid_from`` on, until ``valid_until``, in the world. ``sources`` are words of the same
    import that it rests on, each its session, a slash and its id. ``category`` is one of the source's own
    words; ``confidence`` 0 to 1.
    """

    id: str
    text: str
    details: str | None = None
    lesson: bool = False
    category: str | None = None
    confidence: float | None = None
    user: str | None = None
    session: str | None = None
    time: datetime | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    sources: Sequence[str] = ()
    metadata: Metadata = field(default_factory=_none)
    raw: JSON = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """A version that a document had before, and when it was written."""

    value: JSON = None
    body: str | None = None
    metadata: Metadata = field(default_factory=_none)
    time: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Filed:
    """A document: a file, a note, or an item of a store.

    ``index`` as of `documents.put`: False keeps it out of recall, as instructions are. ``earlier`` are the
    versions before, the oldest first.
    """

    id: str
    path: Sequence[str]
    key: str
    value: JSON = None
    body: str | None = None
    metadata: Metadata = field(default_factory=_none)
    user: str | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    expires_at: datetime | None = None
    ttl_seconds: float | None = None
    index: bool | Sequence[str] = True
    earlier: Sequence[Earlier] = ()
    raw: JSON = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToDo:
    """Something that is to be done, until ``due``: an open loop."""

    id: str
    text: str
    user: str | None = None
    session: str | None = None
    time: datetime | None = None
    due: datetime | None = None
    raw: JSON = None


Found = Said | Stated | Filed | ToDo
KINDS: Final[Mapping[type, str]] = {Said: "message", Stated: "memory", Filed: "document", ToDo: "loop"}


def kind_of(found: Found) -> str:
    """Return the kind of memory that a record becomes."""
    return "lesson" if isinstance(found, Stated) and found.lesson else KINDS[type(found)]
