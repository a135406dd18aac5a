"""Agents that answer prompts: a function of the user's, or a language model."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Final, cast

from anyio import to_thread

from quipu.errors import ConfigError, QuipuError
from quipu.kernel.language.model import Language
from quipu.kernel.language.prompt import entry, label, latest
from quipu.kinds.episodes.prompting.model import Asked

PURPOSE: Final = "episodes.answer"
"""Under which the tokens of a language model are counted."""

_PROMPT: Final = Path(__file__).with_name("prompts") / "answer.md"
_MOST_CHARACTERS: Final = 24_000
_FORM: Final = "It is module:function, such as my_agent:answer."


@dataclass(frozen=True, slots=True)
class Answer:
    """Answer to a prompt, and who gave it."""

    text: str
    by: str


Agent = Callable[[Asked], Awaitable[Answer]]


def agent_of(name: str | None, language: Language | None) -> Agent | None:
    """Return the agent that is configured, None where nobody is.

    Raises:
        ConfigError: ``name`` (QUIPU_AGENT) is no function that can be had.
    """
    if name is not None:
        return partial(_call, named(name), name)
    return None if language is None else partial(_say, language)


def named(name: str) -> Callable[[Asked], Any]:
    """Import the function of a name, for example ``my_agent:answer``.

    Raises:
        ConfigError: there is no such module, or no such function in it.
    """
    module, _, attribute = name.partition(":")
    if not module or not attribute:
        raise ConfigError(f"QUIPU_AGENT is {name!r}.", hint=_FORM)
    try:
        found: object = import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"QUIPU_AGENT {name!r} cannot be had: {error}.", hint=_FORM) from error
    if not callable(found):
        raise ConfigError(f"QUIPU_AGENT {name!r} is no function.", hint=_FORM)
    return cast("Callable[[Asked], Any]", found)


async def _call(function: Callable[[Asked], Any], name: str, asked: Asked) -> Answer:
    """Call the function; await it if it is async, else run it in a thread."""
    if inspect.iscoroutinefunction(function):
        said = await function(asked)
    else:
        said = await to_thread.run_sync(function, asked)
        said = await said if inspect.isawaitable(said) else said
    if not isinstance(said, str):
        raise QuipuError(f"The agent {name} returned no answer.", hint="It returns the answer as text.")
    return Answer(said, name)


async def _say(language: Language, asked: Asked) -> Answer:
    history = [(line.speaker or line.role, line.content) for line in asked.history]
    talk = [*history, (asked.user or "user", asked.prompt[-_MOST_CHARACTERS:])]
    known = [entry("Memory:", asked.memory)] if asked.memory else []
    parts = [*known, *(entry(f"{label(who)} wrote:", text) for who, text in talk)]
    said = await language.say(
        instructions=_PROMPT.read_text("utf-8"),
        text=latest(parts, most=_MOST_CHARACTERS),
        purpose=PURPOSE,
    )
    return Answer(said, f"llm:{language.name}")
