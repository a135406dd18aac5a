"""Our own kinds of conversation: the files of ``bench/data``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from quality.model import ASKS, HALVES, UNKNOWN, Conversation, Message, Question

DATA = Path(__file__).resolve().parent.parent / "data"
SCENES = ("assistant", "chinese", "coding", "german", "threads")
"""Names of the conversations that are made of scenes; the others are transcripts."""


def load(directory: Path = DATA, *, names: Sequence[str] | None = None) -> list[Conversation]:
    """Every conversation of the directory, by name; only those of ``names``, if given."""
    return [read(path) for path in sorted(directory.glob("*.json")) if names is None or path.stem in names]


def read(path: Path) -> Conversation:
    """One file ``{"name", "language", "messages", "questions"}``; ValueError if a question lacks evidence."""
    raw = json.loads(path.read_text(encoding="utf-8"))
    messages = tuple(Message(**message) for message in raw["messages"])
    sessions = {message.id: message.session for message in messages}
    return Conversation(
        name=raw["name"],
        language=raw.get("language", "english"),
        messages=messages,
        questions=tuple(_question(entry, sessions, path.name) for entry in raw["questions"]),
    )


def _question(entry: Mapping[str, Any], sessions: Mapping[str, str | None], origin: str) -> Question:
    newest, outdated = entry.get("newest", ()), entry.get("outdated", ())
    missing = [id_ for id_ in (*entry["evidence"], *newest, *outdated) if id_ not in sessions]
    is_bare = bool(entry["evidence"]) == (entry["category"] == UNKNOWN)
    if missing or is_bare or entry["half"] not in HALVES or entry.get("asks") not in (None, *ASKS):
        raise ValueError(
            f"{origin}: {entry['question']!r} has no usable evidence or half (missing: {missing})"
        )
    found = (sessions[id_] for id_ in entry["evidence"])
    return Question(
        text=entry["question"],
        evidence=tuple(entry["evidence"]),
        evidence_sessions=frozenset(session for session in found if session is not None),
        category=entry["category"],
        half=entry["half"],
        user=entry.get("user"),
        answer=entry.get("answer"),
        asks=entry.get("asks"),
        newest=tuple(newest),
        outdated=tuple(outdated),
    )
