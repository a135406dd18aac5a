"""Every source, in the order in which a path is compared with them: the particular before the general."""

from __future__ import annotations

from typing import Final

from quipu.app.imports.files import SourceFiles
from quipu.app.imports.source import Source
from quipu.app.imports.sources import claude_mem, langgraph, mem0, mempalace, openai_agents
from quipu.errors import BadInput

SOURCES: Final[tuple[Source, ...]] = (
    mempalace.SOURCE,
    claude_mem.SOURCE,
    openai_agents.SOURCE,
    langgraph.SOURCE,
    mem0.SOURCE,
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
