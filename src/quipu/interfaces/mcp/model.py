"""Model of a tool: its caller, its input and its answer."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from inspect import getdoc
from typing import TYPE_CHECKING, Any, Final, Literal, get_type_hints

from pydantic import BaseModel, ConfigDict

if TYPE_CHECKING:
    from quipu import AsyncMemory

Level = Literal["read", "write", "admin"]
LEVELS: Final[tuple[Level, ...]] = ("read", "write", "admin")


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Caller behind a connection, and what they may do: set by configuration, never by the model.

    With ``user``, messages, facts and loops are those of that person. ``schema`` and ``agent`` choose the
    tables, and whose grants apply; without an agent every table of the schema may be used. ``bound``: the
    database shows and takes rows of ``user`` alone. ``key`` is the id of the API key, if there is one.
    """

    space: str
    user: str | None = None
    level: Level = "admin"
    schema: str = "memory"
    agent: str | None = None
    bound: bool = False
    key: str | None = None

    def may(self, tool: Tool) -> bool:
        """Return True if they may use a tool."""
        return LEVELS.index(self.level) >= LEVELS.index(tool.level)

    @property
    def person(self) -> str:
        """Person whom facts are about: the named one, else the one whom the space stands for."""
        return self.user or self.space


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """Memory and caller that a call is answered with."""

    memory: AsyncMemory
    caller: Caller


class Arguments(BaseModel):
    """The arguments of a tool. What a tool does not know is refused, not passed over."""

    model_config = ConfigDict(extra="forbid")


class ToolAnswer(BaseModel):
    """Answer of a tool: its fields are the structured content, ``text`` the same for reading."""

    @abstractmethod
    def text(self) -> str:
        """Return the answer in words, as short as it can be."""

    @property
    def is_memory(self) -> bool:
        """True if the words are recalled memory: then they are marked, and never taken in again."""
        return False


Call = Callable[[Desk, Any], Awaitable[ToolAnswer]]


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
    arguments: type[Arguments]
    answer: type[ToolAnswer]
    call: Call
    destructive: bool
    repeatable: bool


def tool(
    title: str, *, level: Level, destructive: bool = False, repeatable: bool = True
) -> Callable[[Call], Tool]:
    """Make a tool of a function: its name, its docstring and its types are the declaration."""

    def made(call: Call) -> Tool:
        types = get_type_hints(call)
        return Tool(
            name=call.__name__,
            title=title,
            about=" ".join((getdoc(call) or "").split()),
            level=level,
            arguments=types["arguments"],
            answer=types["return"],
            call=call,
            destructive=destructive,
            repeatable=repeatable,
        )

    return made
