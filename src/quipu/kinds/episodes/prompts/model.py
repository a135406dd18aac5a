"""Prompts, what an agent is given, and what comes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

PromptStatus = Literal["waiting", "answered", "no_agent", "failed"]


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """A message of the conversation so far. ``role``: ``user``, ``assistant``, ``system`` or ``tool``."""

    role: str
    speaker: str | None
    content: str


@dataclass(frozen=True, slots=True)
class AgentRequest:
    """Input of an agent: a prompt, the conversation before it (oldest first), and recalled memory.

    ``memory`` is text for a prompt, marked as recalled; empty if nothing relevant is known.
    """

    prompt: str
    space: str
    session: str
    user: str | None
    history: Sequence[ChatMessage]
    memory: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt and how it stands.

    ``reply`` is the answer once there is one. ``status`` ``no_agent``: nobody was configured who could
    answer; ``failed``: its job was given up. ``answered_by``: the function, or the language model.
    ``error``: why there is no answer.
    """

    id: str
    session: str
    user: str | None
    prompt: str
    status: PromptStatus
    reply: str | None
    answered_by: str | None
    error: str | None
    created_at: datetime
    answered_at: datetime | None
