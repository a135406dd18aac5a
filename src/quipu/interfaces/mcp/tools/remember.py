"""Remember: put down what is worth knowing later."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Final, Literal

from pydantic import Field

from quipu.errors import BadInput
from quipu.interfaces.mcp.model import Arguments, Desk, ToolAnswer, tool
from quipu.kinds.longterm.evaluation import agent
from quipu.kinds.longterm.evaluation.agent import AgentClaim, ClaimOutcome
from quipu.kinds.longterm.model import Category, Importance
from quipu.record.model import Report


class StatedClaim(Arguments):
    """A claim of the person, and the words that it rests on."""

    statement: Annotated[str, Field(description='One thing, a full sentence: "The user ..."; no pronouns.')]
    category: Category
    words: Annotated[str, Field(description="The exact words it rests on.")]
    importance: Importance | None = None
    message: Annotated[str | None, Field(description="Where they are, or session, if not in text.")] = None
    session: str | None = None


class RememberArguments(Arguments):
    """Text to be remembered, who said it, and what it tells of the person."""

    text: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=8_000,
            description="One fact, decision or event, clear by itself: names, not he or she; dates, not "
            "yesterday. With claims: the person's own words.",
        ),
    ] = None
    claims: Annotated[
        list[StatedClaim] | None, Field(description="Up to 20: what of it will hold true of the person.")
    ] = None
    said_by: Annotated[
        Literal["user", "assistant"],
        Field(description="user: said or asked for by them; assistant: your own conclusion."),
    ] = "user"
    speaker: Annotated[str | None, Field(max_length=200, description="Name of who said it, where known.")] = (
        None
    )
    time: Annotated[str | None, Field(description="When it was (ISO 8601), if not now.")] = None


class RememberAnswer(ToolAnswer):
    """Stored message and its id, and what became of each claim."""

    id: str
    stored: Annotated[bool, Field(description="False where it was remembered already, word for word.")]
    redacted: int
    cut_characters: int
    foreign_characters: int
    unmatched_marks: int
    claims: list[str]
    note: str

    def text(self) -> str:
        """Return a line on the message, and one on each claim."""
        return "\n".join(filter(None, (self.note, *self.claims)))


@tool("Remember something", level="write")
async def remember(desk: Desk, arguments: RememberArguments) -> RememberAnswer:
    """Store something worth knowing in later sessions.

    That is a decision and its reason, an event, what somebody said. Use it when asked to remember, or when it
    will clearly matter later; not for secrets. For a setting with one current value use set_fact. It can be
    recalled at once. Returns its id, which forget takes.
    """
    claims = _checked(arguments)
    caller = desk.caller
    if arguments.text is None:
        id_, report = "", Report()
    else:
        id_ = _id(caller.user, arguments.text, arguments)
        message = {"id": id_, **_message(arguments)}
        report = await desk.memory.observe([message], space=caller.space, user=caller.user)
    outcomes: Sequence[ClaimOutcome] = ()
    if claims:
        resting = [one if one.message or one.session else replace(one, message=id_) for one in claims]
        done = await desk.memory.longterm.remember(resting, space=caller.space, user=caller.user)
        outcomes = done.claims
    redacted = sum(report.redacted.values())
    return RememberAnswer(
        id=id_,
        stored=report.imported > 0,
        redacted=redacted,
        cut_characters=report.cut_characters,
        foreign_characters=report.foreign_characters,
        unmatched_marks=report.unmatched_marks,
        claims=[_line(place, one) for place, one in enumerate(outcomes)],
        note=_note(id_, report, redacted) if id_ else "",
    )


def _checked(arguments: RememberArguments) -> list[AgentClaim]:
    """Return the claims; those that name no message rest on the text, which is checked before it is stored.

    Raises:
        BadInput: there is nothing to store, or the words of a claim are not in the text.
    """
    given = [AgentClaim(**one.model_dump()) for one in arguments.claims or ()]
    claims = agent.checked(given) if given else []
    if arguments.text is None and not claims:
        raise BadInput("give a text, or claims on words that are recorded.", field="text")
    for place, one in enumerate(claims):
        if one.message is not None or one.session is not None:
            continue
        if arguments.text is None or not agent.quoted(one.words, arguments.text):
            raise BadInput("these words are not in the text.", field=f"claims[{place}].words", hint=_WAY_OUT)
        if arguments.said_by != "user":
            raise BadInput("claims rest on what the person said.", field="said_by", hint=_WAY_OUT)
    return claims


_WAY_OUT: Final = "Put what the person said into text, word for word; or name its message or session."


def _line(place: int, one: ClaimOutcome) -> str:
    """Return a line on a claim: its outcome, and the memory or the reason."""
    what = (
        one.reason if one.action == "left out" else " ".join((one.summary, *map("({})".format, one.memories)))
    )
    return f"claims[{place}] {one.action}: {what}"


def _message(arguments: RememberArguments) -> Mapping[str, object]:
    said = {"content": arguments.text, "role": arguments.said_by, "speaker": arguments.speaker}
    return said | ({} if arguments.time is None else {"time": arguments.time})


def _id(user: str | None, text: str, arguments: RememberArguments) -> str:
    """Return one id for the same words of the same person: a repeated call stores nothing new."""
    content = "\0".join([user or "", arguments.said_by, arguments.speaker or "", text])
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
