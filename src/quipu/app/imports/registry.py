"""Every source, in the order in which a path is compared with them: the particular before the general."""

from __future__ import annotations

from typing import Final

from quipu.app.imports.files import SourceFiles
from quipu.app.imports.source import Source
from quipu.app.imports.sources import (
    anthropic_memory,
    chatgpt,
    claude_ai,
    claude_mem,
    cognee,
    discord,
    graphiti,
    hindsight,
    langgraph,
    letta,
    markdown,
    mbox,
    mem,
    mem0,
    mempalace,
    openai_agents,
    pasted,
    server_memory,
    slack,
    whatsapp,
)
from quipu.errors import BadInput

SOURCES: Final[tuple[Source, ...]] = (
    mempalace.SOURCE,
    claude_mem.SOURCE,
    openai_agents.SOURCE,
    langgraph.SOURCE,
    mem0.SOURCE,
    graphiti.SOURCE,
    letta.SOURCE,
    hindsight.SOURCE,
    cognee.SOURCE,
    server_memory.SOURCE,
    markdown.OBSIDIAN,
    markdown.BASIC_MEMORY,
    chatgpt.SOURCE,
    claude_ai.SOURCE,
    slack.SOURCE,
    discord.SOURCE,
    mem.SOURCE,
    mbox.SOURCE,
    whatsapp.SOURCE,
    pasted.SOURCE,
    anthropic_memory.SOURCE,
    markdown.CLAUDE_CODE,
    markdown.CODING_AGENTS,
    markdown.MARKDOWN,
)


def named(name: str) -> Source:
    """Return the source of a name.

    Raises:
        BadInput: there is none.
    """
    for one in SOURCES:
        if one.name == name:
            return one
    raise BadInput(f"there is no source {name!r}.", field="source", hint=f"One of: {_names()}.")


def recognised(files: SourceFiles) -> Source:
    """Return the source that an export is of.

    Raises:
        BadInput: it is of none that is known.
    """
    for one in SOURCES:
        if one.recognise(files):
            return one
    raise BadInput(
        f"{files.path} is of no system that is known.",
        field="path",
        hint=f"Name its source, if it is of one of these: {_names()}.",
    )


def of_url(url: str, name: str | None) -> Source:
    """Return the source that a URL is of: the named one, or the only one of its scheme.

    Raises:
        BadInput: there is none, or there are several and none was named.
    """
    scheme = url.partition("://")[0].lower()
    fit = [one for one in SOURCES if scheme in one.schemes and name in (None, one.name)]
    if len(fit) == 1:
        return fit[0]
    several = (
        f"{scheme}:// may be of {', '.join(one.name for one in fit)}." if fit else "no source has such a URL."
    )
    raise BadInput(several, field="path", hint="Name its source.")


def _names() -> str:
    return ", ".join(one.name for one in SOURCES)
