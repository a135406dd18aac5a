"""Remember: put down what is worth knowing later."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from quipu.interfaces.mcp.model import Arguments, Desk, ToolAnswer, tool

if TYPE_CHECKING:
    from quipu.record.model import Report


class RememberArguments(Arguments):
    """Text to be remembered, and who said it."""

    text: Annotated[
        str,
        Field(
            min_length=1,
            max_length=8_000,
            description="One fact, decision or event, in words that are clear without this conversation: "
            "names instead of he or she, dates instead of yesterday.",
        ),
    ]
    said_by: Annotated[
        Literal["user", "assistant"],
        Field(description="user: they said it or asked for it; assistant: it is your own conclusion."),
    ] = "user"
    speaker: Annotated[str | None, Field(max_length=200, description="Name of who said it, where known.")] = (
        None
    )
    time: Annotated[str | None, Field(description="When it was said or happened (ISO 8601), if not now.")] = (
        None
    )


class RememberAnswer(ToolAnswer):
    """Stored message, and its id."""

    id: str
    stored: Annotated[bool, Field(description="False where it was remembered already, word for word.")]
    redacted: Annotated[
        int, Field(description="The number of secrets that were cut out before it was stored.")
    ]
    cut_characters: Annotated[
        int, Field(description="The number of characters that were recalled memory, and were cut out.")
    ]
    foreign_characters: Annotated[
        int,
        Field(description="The number of characters of other spaces' memory: kept as text, and not found."),
    ]
    unmatched_marks: Annotated[
        int, Field(description="Marks of recalled memory in front of other words: kept as text, and found.")
    ]
    note: str

    def text(self) -> str:
        """Return a sentence."""
        return self.note


@tool("Remember something", level="write")
async def remember(desk: Desk, arguments: RememberArguments) -> RememberAnswer:
    """Store something worth knowing in later sessions.

    That is a decision and its reason, an event, a thing learnt, what somebody said. Use it when asked to
    remember, or when it will clearly matter later; not for what the conversation records anyway. For a
    setting or preference with one current value use set_fact. It can be recalled at once. Returns its id,
    which forget takes.
    """
    caller = desk.caller
    message: dict[str, Any] = {
        "content": arguments.text,
        "role": arguments.said_by,
        "speaker": arguments.speaker,
    }
    message |= {} if arguments.time is None else {"time": arguments.time}
    id_ = _id(caller.user, arguments)
    report = await desk.memory.observe([{**message, "id": id_}], space=caller.space, user=caller.user)
    redacted = sum(report.redacted.values())
    note = _note(id_, report, redacted)
    return RememberAnswer(
        id=id_,
        stored=report.imported > 0,
        redacted=redacted,
        cut_characters=report.cut_characters,
        foreign_characters=report.foreign_characters,
        unmatched_marks=report.unmatched_marks,
        note=note,
    )


def _id(user: str | None, arguments: RememberArguments) -> str:
    """Return one id for the same words of the same person: a repeated call stores nothing new."""
    content = "\0".join([user or "", arguments.said_by, arguments.speaker or "", arguments.text])
    return f"note-{hashlib.sha256(content.encode('utf-8', 'replace')).hexdigest()[:20]}"


def _note(id_: str, report: Report, redacted: int) -> str:
    if report.imported:
        secrets = f" {redacted} secrets were cut out of it first." if redacted else ""
        cut = report.cut_characters
        echoes = f" {cut} characters of it were recalled memory, and were left out." if cut else ""
        others = report.foreign_characters
        foreign = f" {others} characters of it are memory of other spaces: not searched." if others else ""
        return f"Remembered as message {id_}.{secrets}{echoes}{foreign}"
    if report.echoes:
        return "Nothing was stored: that is recalled memory, which is stored already."
    return f"That is remembered already, as message {id_}."
