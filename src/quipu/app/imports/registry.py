"""Every source, in the order in which a path is compared with them: the particular before the general."""

from __future__ import annotations

from typing import Final

from quipu.app.imports.files import SourceFiles
from quipu.app.imports.source import Source
from quipu.app.imports.sources import (
    anthropic_memory,
    chatgpt,
    claude_ai,
    cognee,
    discord,
    graphiti,
    hindsight,
    letta,
    markdown,
    mbox,
    mem,
    pasted,
    server_memory,
    slack,
    whatsapp,
)
from quipu.errors import BadInput

SOURCES: Final[tuple[Source, ...]] = (
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
        hint=f"Say which: `quipu import SOURCE PATH`, of {_names()}.",
    )


def _names() -> str:
    return ", ".join(one.name for one in SOURCES)
