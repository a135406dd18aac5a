"""What conversations tell."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from quipu.interfaces.rest.models import Told
from quipu.kinds.episodes.conversing.model import ConversationStatus
from quipu.kinds.episodes.prompting.model import PromptStatus
from quipu.kinds.episodes.shapes import Mode


class ConversationTold(Told):
    """A conversation as the seed has it. `session` is the id that the caller gave, `thread` a name.

    `title` is the one that was set, or else the beginning of what was said first.
    """

    id: str
    session: str
    user: str | None
    topic: str
    title: str | None
    status: ConversationStatus
    thread: str | None
    messages: int
    created_at: datetime
    updated_at: datetime


class UtteranceTold(Told):
    """A message as the seed has it. `mode` is what a reply did; null for what is no reply."""

    id: str
    message: str
    role: str
    speaker: str | None
    content: str
    mode: Mode | None
    metadata: dict[str, Any]
    created_at: datetime


class ExchangeTold(Told):
    """An exchange and what it yields. `chunk` is null while it is to be read (anew).

    `chunk` has the shape `shapes.Chunk`. `trouble`: why a language model did not make it.
    """

    id: int
    thread: str | None
    topic: str | None
    user: str | None
    started_at: datetime
    ended_at: datetime
    salience: float
    chunk: dict[str, Any] | None
    chunker: str | None
    trouble: str | None
    episode: str | None
    messages: list[str]


class DialogueTold(Told):
    """A conversation with its messages and its exchanges, oldest first."""

    conversation: ConversationTold
    messages: list[UtteranceTold]
    exchanges: list[ExchangeTold]


class ThreadTold(Told):
    """A run of exchanges in one channel without a long pause, named `{platform}:{channel}:{seq}`.

    `state`: `active` (it goes on), `resting` (it can be resumed) or `ended`, as of when it was asked.
    """

    id: int
    name: str
    user: str | None
    platform: str
    channel: str
    seq: int
    state: str
    started_at: datetime
    last_at: datetime
    exchanges: int
    resumed: int
    continued_from: str | None


class TopicTold(Told):
    """Something that a person comes back to. `messages` counts exchanges; `words` are its commonest."""

    id: int
    name: str
    user: str | None
    messages: int
    words: list[str]
    last_at: datetime


class PromptTold(Told):
    """A prompt and how it stands.

    `reply` is the answer once there is one. `status` `no_agent`: nobody was configured who could
    answer; `failed`: its job was given up. `answered_by`: the function, or the language model.
    `error`: why there is no answer.
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
