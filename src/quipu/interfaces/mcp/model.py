"""What a tool is: who calls it, what it is given, what it answers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from pydantic import BaseModel, ConfigDict

if TYPE_CHECKING:
    from quipu import AsyncMemory

Level = Literal["read", "write", "admin"]
LEVELS: Final[tuple[Level, ...]] = ("read", "write", "admin")


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Whose memory a connection is about, and what it may do: settled by configuration, never by the model.

    With ``user``, messages, facts and loops are those of that person. ``schema`` and ``agent`` say which
    tables, and with whose grants; without an agent every table of the schema may be used. ``bound``: the
    database shows and takes rows of ``user`` alone. ``key``: the id of the API key, if there is one.
    """

    space: str
    user: str | None = None
    level: Level = "admin"
    schema: str = "memory"
    agent: str | None = None
    bound: bool = False
    key: str | None = None

    def may(self, tool: Tool) -> bool:
        """Whether they may use a tool."""
        return LEVELS.index(self.level) >= LEVELS.index(tool.level)

    @property
    def person(self) -> str:
        """Whom facts are about: the person, or where none is named, the one whom the space stands for."""
        return self.user or self.space


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What a call is answered from."""

    memory: AsyncMemory
    caller: Caller


class Given(BaseModel):
    """The arguments of a tool. What a tool does not know is refused, not passed over."""

    model_config = ConfigDict(extra="forbid")


class Answer(BaseModel):
    """What a tool answers: its fields are the structured content, ``text`` the same for reading."""

    @abstractmethod
    def text(self) -> str:
        """The answer in words, as short as it can be."""

    @property
    def is_memory(self) -> bool:
        """Whether the words are recalled memory: then they are marked, and never taken in again."""
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool as a model meets it, and the call behind it.

    ``about`` is written for the model: what it does, when to use it, what comes back. ``destructive``: what
    was there may be gone after it. ``repeatable``: the same call again changes nothing more.
    """

    name: str
    title: str
    about: str
    level: Level
    given: type[Given]
    answer: type[Answer]
    call: Callable[[Desk, Any], Awaitable[Answer]]
    destructive: bool = False
    repeatable: bool = True
