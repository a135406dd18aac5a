"""What is measured: conversations, and questions whose evidence is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal, Protocol, get_args

Half = Literal["tune", "report"]
HALVES: tuple[Half, ...] = get_args(Half)
Asks = Literal["present", "past", "change"]
ASKS: tuple[Asks, ...] = get_args(Asks)
UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Message:
    """One turn, in the fields that ``Memory.import_messages`` takes."""

    id: str
    content: str
    session: str | None = None
    role: str = "user"
    speaker: str | None = None
    time: str | None = None
    user: str | None = None

    def as_dict(self) -> dict[str, object]:
        """The message without the fields that are not known."""
        return {key: value for key, value in asdict(self).items() if value is not None}

    @property
    def spoken(self) -> str:
        """``Speaker: text``, the form in which stores without a speaker field are fed."""
        return f"{self.speaker}: {self.content}" if self.speaker else self.content


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the ids of the messages that answer it, and the half it belongs to.

    ``evidence_sessions`` is kept apart from ``evidence`` because LoCoMo's published session figures
    read malformed ids differently; elsewhere it is the sessions of the evidence.

    Where values replace each other, ``newest`` are the messages with the one that holds, ``outdated`` those
    with the others, and ``asks`` says which are asked for. ``answer`` is the answer in words.
    """

    text: str
    evidence: tuple[str, ...]
    evidence_sessions: frozenset[str]
    category: str
    half: Half
    user: str | None = None
    answer: str | None = None
    asks: Asks | None = None
    newest: tuple[str, ...] = ()
    outdated: tuple[str, ...] = ()

    @property
    def was_told(self) -> bool:
        """Whether an answer exists; the measures leave out the others."""
        return self.category != UNKNOWN


@dataclass(frozen=True, slots=True)
class Conversation:
    """One space: its messages in order, and the questions about it."""

    name: str
    messages: tuple[Message, ...]
    questions: tuple[Question, ...]
    language: str = "english"

    def sessions(self) -> Mapping[str, str]:
        """Message id to session id, for messages that have one."""
        return {message.id: message.session for message in self.messages if message.session is not None}


def asked_before(conversation: Conversation, times: int) -> Conversation:
    """Let every question have been asked so many times, in sessions of their own after all others."""
    last = max(message.time or "" for message in conversation.messages)
    asked = (
        Message(
            id=f"asked-{time}-{number}",
            content=question.text,
            session=f"asked-{time}-{number // 20}",
            time=last or None,
            user=question.user,
        )
        for time in range(times)
        for number, question in enumerate(conversation.questions)
    )
    return replace(conversation, messages=(*conversation.messages, *asked))


class System(Protocol):
    """Something that ranks the messages of a conversation for questions."""

    name: str

    def rank(
        self, conversation: Conversation, questions: Sequence[Question], *, depth: int
    ) -> list[list[str]]:
        """For each question the ids of at most ``depth`` messages, best first."""
        ...

    def blocks(
        self, conversation: Conversation, questions: Sequence[Question], *, budget: int
    ) -> list[Filled]:
        """For each question a block of at most ``budget`` tokens, and the ids of the messages in it."""
        ...


@dataclass(frozen=True, slots=True)
class Filled:
    """One block: its text and the ids of the messages in it."""

    text: str
    ids: frozenset[str]
