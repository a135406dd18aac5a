"""Gather: everything about a topic or a time, in order."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from quipu.interfaces.mcp.bounds import fitting
from quipu.interfaces.mcp.model import Arguments, Desk, ToolAnswer, tool

if TYPE_CHECKING:
    from quipu.recall.timeline import Gathered, Moment


class GatherArguments(Arguments):
    """Topic or time, and what narrows it."""

    topic: Annotated[str | None, Field(max_length=4_000, description="Leave out for all of a time.")] = None
    speaker: Annotated[str | None, Field(description="Only from this name, or role user, assistant.")] = None
    since: Annotated[str | None, Field(description="From this day or time on.")] = None
    until: Annotated[str | None, Field(description="Before this one.")] = None
    exchanges: Annotated[bool, Field(description="With replies.")] = False
    limit: Annotated[int, Field(ge=1, le=100, description="The most lines.")] = 50
    after: Annotated[str | None, Field(description="cursor of the part before.")] = None


class GatheredLine(ToolAnswer):
    """One memory in its place."""

    at: str
    by: str
    line: str
    reply: str = ""
    message: str | None = None

    def text(self) -> str:
        """Return a line, with its reply below."""
        reply = f"\n  {self.reply}" if self.reply else ""
        named = f" [{self.message}]" if self.message else ""
        return f"- {self.at[11:16]} {self.by}: {self.line}{named}{reply}"


class GatherAnswer(ToolAnswer):
    """A part of a timeline."""

    lines: list[GatheredLine]
    coverage: str
    cursor: str | None = None

    def text(self) -> str:
        """Return a heading for each day, a line for each memory, and the coverage."""
        if not self.lines:
            return "Nothing is known of it."
        told: list[str] = []
        for day, lines in groupby(self.lines, key=lambda one: one.at[:10]):
            told += [day, *(one.text() for one in lines)]
        more = f"; go on with after={self.cursor}" if self.cursor else ""
        return "\n".join([*told, f"({self.coverage}{more})"])

    @property
    def is_memory(self) -> bool:
        """True if there are any."""
        return bool(self.lines)


@tool("Gather memories in order", level="read")
async def gather(desk: Desk, arguments: GatherArguments) -> GatherAnswer:
    """Gather everything about a topic, or of a time, oldest first, in short lines.

    Use it instead of recall to list, count, order or summarise: "which books", "in what order", "what
    happened with", "last week". Returns lines by day, how much of it they cover, and a cursor for the rest.
    """
    found = await _part(desk, arguments, limit=arguments.limit)
    shown, left_out = fitting([_line(one) for one in found.items])
    if left_out:
        found = await _part(desk, arguments, limit=len(shown))
        shown = [_line(one) for one in found.items]
    return GatherAnswer(lines=shown, coverage=found.coverage, cursor=found.cursor)


async def _part(desk: Desk, arguments: GatherArguments, *, limit: int) -> Gathered:
    caller = desk.caller
    return await desk.memory.gather(
        arguments.topic,
        space=caller.space,
        user=caller.user,
        speaker=arguments.speaker,
        since=arguments.since,
        until=arguments.until,
        exchanges=arguments.exchanges,
        limit=limit,
        after=arguments.after,
    )


def _line(one: Moment) -> GatheredLine:
    text = " ".join(one.text.split())
    return GatheredLine(
        at=one.happened_at.isoformat(timespec="minutes"),
        by=one.source.speaker or one.source.role or one.kind,
        line=f"{text} ({one.said_again})" if one.said_again else text,
        reply=f"{one.replier}: {' '.join(one.reply.split())}" if one.reply else "",
        message=one.source.message if one.kind == "message" else None,
    )
