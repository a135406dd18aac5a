"""The values of conversations: what was said, exchanges, threads and topics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from quipu.kinds.episodes.shapes import Mode

ConversationStatus = Literal["active", "archived", "deleted"]


@dataclass(frozen=True, slots=True)
class Message:
    """A message of a session. ``id`` is its number in the record: a later one has a higher.

    ``kept`` is its content as far as it may be kept of people, by which it is understood; of a tool nothing.
    """

    id: int
    role: str
    speaker: str | None
    user: str | None
    happened_at: datetime
    content: str
    tools: bool = False
    kept: str = ""

    @property
    def is_reply(self) -> bool:
        """True if an agent or a tool said it."""
        return self.role in ("assistant", "tool")


@dataclass(frozen=True, slots=True)
class Run:
    """The messages of one exchange, oldest first: what was asked, then what was answered.

    Either may be empty, not both: nobody answered, or an agent spoke first. ``begins``: the number of its
    first message, where that was forgotten.
    """

    requests: Sequence[Message]
    replies: Sequence[Message]
    begins: int | None = None

    @property
    def messages(self) -> Sequence[Message]:
        """All of it, oldest first."""
        return (*self.requests, *self.replies)

    @property
    def first(self) -> int:
        """The number of the first message."""
        return self.messages[0].id if self.begins is None else self.begins

    @property
    def last(self) -> int:
        """The number of the last message."""
        return self.messages[-1].id

    @property
    def started_at(self) -> datetime:
        """Time of its earliest message."""
        return min(one.happened_at for one in self.messages)

    @property
    def ended_at(self) -> datetime:
        """Time of its latest message."""
        return max(one.happened_at for one in self.messages)

    @property
    def user(self) -> str | None:
        """Person whose exchange it is, if that is known."""
        return next((one.user or one.speaker for one in self.requests if one.user or one.speaker), None)


@dataclass(frozen=True, slots=True)
class Thread:
    """A run of exchanges in one channel without a long pause, named ``{platform}:{channel}:{seq}``.

    ``state``: ``active`` (it goes on), ``resting`` (it can be resumed) or ``ended``, as of when it was asked.
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


@dataclass(frozen=True, slots=True)
class Topic:
    """Something that a person comes back to. ``messages`` counts exchanges; ``words`` are its commonest."""

    id: int
    name: str
    user: str | None
    messages: int
    words: Sequence[str]
    last_at: datetime


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation as the seed has it. ``session`` is the id that the caller gave, ``thread`` a name.

    ``title`` is the one that was set, or else the beginning of what was said first.
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


@dataclass(frozen=True, slots=True)
class Utterance:
    """A message as the seed has it. ``mode`` is what a reply did; None for what is no reply."""

    id: str
    message: str
    role: str
    speaker: str | None
    content: str
    mode: Mode | None
    metadata: Mapping[str, Any]
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Exchange:
    """An exchange and what it yields. ``chunk`` is None while it is to be read (again).

    ``chunk`` has the shape ``shapes.Chunk``. ``trouble``: why a language model did not make it.
    """

    id: int
    thread: str | None
    topic: str | None
    user: str | None
    started_at: datetime
    ended_at: datetime
    salience: float
    chunk: Mapping[str, Any] | None
    chunker: str | None
    trouble: str | None
    episode: str | None
    messages: Sequence[str]


@dataclass(frozen=True, slots=True)
class Dialogue:
    """A conversation with its messages and its exchanges, oldest first."""

    conversation: Conversation
    messages: Sequence[Utterance]
    exchanges: Sequence[Exchange]
