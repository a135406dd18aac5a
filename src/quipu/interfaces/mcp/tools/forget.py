"""Forget: a preview first; with its token, for good."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from pydantic import Field

from quipu.errors import BadInput, NotFound
from quipu.interfaces.mcp.model import Arguments, Desk, ToolAnswer, tool
from quipu.interfaces.serving.confirmation import confirmed, shown, token
from quipu.upkeep.erasure.model import Erasure

Token = Annotated[
    str | None,
    Field(max_length=100, description="The token of the preview. Give it only after the user agreed."),
]


class ForgetArguments(Arguments):
    """Message or session to be forgotten."""

    message: Annotated[str | None, Field(max_length=512, description="Id of a message, from recall.")] = None
    session: Annotated[str | None, Field(max_length=512, description="Id of a session: all of it.")] = None
    names: Annotated[
        list[str],
        Field(
            default_factory=list,
            max_length=100,
            description="Names or numbers to look for in what others said and in tables.",
        ),
    ]
    everywhere: Annotated[bool, Field(description="Take these names out there, too.")] = False
    token: Token = None


class ForgetAnswer(ToolAnswer):
    """Rows that would go, or went."""

    forgotten: Annotated[bool, Field(description="False: this is a preview, nothing has changed.")]
    rows: Annotated[dict[str, int], Field(description="Rows that go, by table, derived memory included.")]
    left: Annotated[
        dict[str, int],
        Field(default_factory=dict, description="Rows by place in which the names stand."),
    ]
    token: Annotated[str | None, Field(description="Of the preview.")] = None
    receipt: Annotated[str | None, Field(description="The proof that it is gone; it holds no content.")] = (
        None
    )

    def text(self) -> str:
        """Return a sentence, and what to do next."""
        listed = ", ".join(f"{count} {table}" for table, count in self.rows.items())
        if self.left:
            listed += ". Names are left in: " + ", ".join(f"{n} {place}" for place, n in self.left.items())
        if self.forgotten:
            return f"Forgotten: {listed}. Receipt {self.receipt}."
        return (
            f"Preview, nothing has changed. This would be gone for good: {listed}. Tell the user and ask; if "
            f"they agree, call again with the same arguments and token {self.token}."
        )


@tool("Forget for good", level="admin", destructive=True)
async def forget(desk: Desk, arguments: ForgetArguments) -> ForgetAnswer:
    """Erase a message or a whole session everywhere, with all that was derived from it alone.

    It cannot be undone. Use it only when the user asks. The first call changes nothing: it returns what
    would go and a token. Show that to the user; after they agree, call again with the token. Returns a
    receipt.
    """
    if (arguments.message is None) == (arguments.session is None):
        raise BadInput("give one of message and session.", field="message", hint="recall tells their ids.")
    caller = desk.caller
    what = {"message": arguments.message, "session": arguments.session, "user": caller.user}
    erase = partial(
        desk.memory.forget, space=caller.space, **what, names=arguments.names, everywhere=arguments.everywhere
    )
    preview = await erase()
    if not any(preview.counts.values()):
        raise NotFound(
            f"Nothing is known by the id {arguments.message or arguments.session!r}.",
            hint="recall tells the ids of messages and sessions.",
        )
    act = shown(preview, arguments.names, everywhere=arguments.everywhere)
    if not confirmed(arguments.token, "forget", act):
        return ForgetAnswer(
            forgotten=False, rows=dict(preview.counts), left=_left(preview), token=token("forget", act)
        )
    done = await erase(confirm=True)
    return ForgetAnswer(forgotten=True, rows=dict(done.counts), left=_left(done), receipt=done.receipt)


def _left(erasure: Erasure) -> dict[str, int]:
    return {one.place: one.count for one in erasure.left}
