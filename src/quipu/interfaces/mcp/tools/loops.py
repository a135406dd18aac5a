"""Open loops: what was promised, asked or given to do, and has not come about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, Literal

from pydantic import Field

from quipu.errors import NotFound
from quipu.interfaces.mcp.bounds import fitting, more, shortened
from quipu.interfaces.mcp.model import Arguments, Desk, ToolAnswer, tool

if TYPE_CHECKING:
    from quipu.kinds.episodes.extraction.loops import model

_SHOWN_OF_ID: Final = 8


class OpenLoopsArguments(Arguments):
    """Filter of loops."""

    state: Literal["open", "closed", "all"] = "open"
    kind: Literal["question", "promise", "task", "waiting", "followup"] | None = None
    session: Annotated[str | None, Field(description="Only those of this session.")] = None
    limit: Annotated[int, Field(ge=1, le=100, description="The most to return.")] = 20


class Loop(ToolAnswer):
    """A loop."""

    id: str
    kind: str
    state: str
    what: str
    by: Annotated[str, Field(description="The person or agent whose promise, question or task it is.")]
    said_at: str
    due: str | None
    session: str | None
    outcome: str | None
    evidence: Annotated[str | None, Field(description="The words that closed it.")]

    def text(self) -> str:
        """Return a line."""
        due = f", due {self.due[:10]}" if self.due else ""
        ended = f" ({self.outcome}: {self.evidence or 'no words'})" if self.state == "closed" else ""
        origin = f"{self.kind} of {self.by}, {self.said_at[:10]}{due}"
        return f"- {self.id[:_SHOWN_OF_ID]} {origin}: {self.what}{ended}"


class OpenLoopsAnswer(ToolAnswer):
    """Loops, the latest first."""

    loops: list[Loop]
    left_out: int = 0

    def text(self) -> str:
        """Return a line for each loop."""
        if not self.loops:
            return "There are none."
        lines = "\n".join(loop.text() for loop in self.loops)
        return lines + more(self.left_out, "narrow it by kind, session or limit.")


@tool("List open loops", level="read")
async def open_loops(desk: Desk, arguments: OpenLoopsArguments) -> OpenLoopsAnswer:
    """List the open loops of past conversations: promises, questions, tasks, things waited for.

    The latest comes first, with due dates. Use it at the start of work, for 'what is left to do?', or to
    find the id of a loop that has just been settled.
    """
    rows = await desk.memory.loops.list(
        space=desk.caller.space,
        user=desk.caller.user,
        session=arguments.session,
        state=arguments.state,
        kind=arguments.kind,
        limit=arguments.limit,
    )
    shown, left_out = fitting([_loop(one) for one in rows])
    return OpenLoopsAnswer(loops=shown, left_out=left_out)


def _loop(one: model.Loop) -> Loop:
    return Loop(
        id=str(one.id),
        kind=one.kind,
        state=one.state,
        what=shortened(one.text, longest=600),
        by=one.by,
        said_at=one.said_at.isoformat(),
        due=one.due.isoformat() if one.due else None,
        session=one.session,
        outcome=one.outcome,
        evidence=one.evidence,
    )


class CloseLoopArguments(Arguments):
    """Loop to close, and its outcome."""

    id: Annotated[str, Field(min_length=4, max_length=36, description="Its id, or the beginning of it.")]
    outcome: Annotated[
        Literal["resolved", "dropped", "reopened"],
        Field(description="resolved: it came about; dropped: nobody wants it any more; reopened: not yet."),
    ] = "resolved"
    evidence: Annotated[str | None, Field(max_length=1_000, description="The reason, in words.")] = None


class CloseLoopAnswer(ToolAnswer):
    """The loop as it stands now."""

    loop: Loop

    def text(self) -> str:
        """Return a line."""
        return f"{self.loop.state}: {self.loop.text()[2:]}"


@tool("Close an open loop", level="write")
async def close_loop(desk: Desk, arguments: CloseLoopArguments) -> CloseLoopAnswer:
    """Close a loop that open_loops listed, once it has come about or nobody wants it any more.

    Give the evidence in words. It can be reopened. Returns the loop as it stands.
    """
    loops, space = desk.memory.loops, desk.caller.space
    loop = await loops.get(arguments.id, space=space)
    if desk.caller.user not in (None, loop.user):
        raise NotFound(f"There is no loop {arguments.id} here.", hint="open_loops tells their ids.")
    if arguments.outcome == "reopened":
        return CloseLoopAnswer(loop=_loop(await loops.reopen(loop.id, space=space)))
    closed = await loops.close(loop.id, space=space, evidence=arguments.evidence, outcome=arguments.outcome)
    return CloseLoopAnswer(loop=_loop(closed))
