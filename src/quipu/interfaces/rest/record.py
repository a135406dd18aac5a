"""The record: taking in what is said, and recalling it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import Body
from pydantic import Field

from quipu.interfaces.rest.door import Reading, Writing, room
from quipu.interfaces.rest.models import Asked, Told

router = room("record", prefix="")

_SAID = {
    "messages": [{"role": "user", "content": "I moved to Lisbon in May.", "time": "2026-05-04T10:00:00Z"}],
    "session": "s1",
}


class Said(Asked):
    """What was just said."""

    messages: Annotated[
        list[dict[str, Any]],
        Field(
            min_length=1,
            description="Each with `content`; `id, session, role, speaker, time, user` if known.",
        ),
    ]
    session: Annotated[str | None, Field(description="Of those that do not say.")] = None
    user: Annotated[str | None, Field(description="Of those that do not say.")] = None


class RefusalTold(Told):
    """Why a message was not taken in."""

    line: int | None
    field: str | None
    reason: str


class ReportTold(Told):
    """What was taken in, and what was not and why."""

    imported: int
    duplicates: int
    echoes: Annotated[int, Field(description="Nothing but memory that was recalled before.")]
    refused: list[RefusalTold]
    redacted: Annotated[dict[str, int], Field(description="Secrets cut out, by kind.")]
    repaired: Annotated[int, Field(description="Characters that no database can store, replaced.")]
    assumed_utc: Annotated[int, Field(description="Times that came without a zone.")]
    ignored: Annotated[list[str], Field(description="Keys that we have no place for.")]
    ids: Annotated[list[str], Field(description="The ids under which they can be found again.")]
    seconds: float


@router.post("/observe", status_code=201, summary="Take in what was just said")
async def observe(said: Annotated[Said, Body(examples=[_SAID])], here: Writing) -> ReportTold:
    """Stored, searchable and durable when this answers; all of it or, where one cannot be taken, nothing."""
    report = await here.memory.observe(said.messages, space=here.space, session=said.session, user=said.user)
    return ReportTold.model_validate(report)


class Question(Asked):
    """A question, and what narrows it."""

    question: Annotated[str, Field(examples=["Where does Ana live?"])]
    user: Annotated[str | None, Field(description="Only what is kept for this person.")] = None
    session: Annotated[str | None, Field(description="Only this session.")] = None
    kinds: Annotated[list[str] | None, Field(examples=[["message", "ledger"]])] = None
    since: Annotated[str | None, Field(description="From this time on.", examples=["2026-05-01"])] = None
    until: Annotated[str | None, Field(description="Before this time.")] = None
    limit: Annotated[int, Field(ge=1, le=1000)] = 10


class SourceTold(Told):
    """Where a memory comes from."""

    message: str | None
    session: str | None
    speaker: str | None
    role: str | None
    user: str | None
    span: Annotated[tuple[int, int] | None, Field(description="Of a passage: its characters in the message.")]


class HitTold(Told):
    """One memory that came back."""

    kind: str
    id: str
    text: str
    score: Annotated[float, Field(description="0 to 1, the sum of the parts.")]
    parts: Annotated[dict[str, float], Field(description="What each signal added.")]
    happened_at: datetime
    recorded_at: datetime
    source: SourceTold


class Hits(Told):
    """The memories that answer a question, best first; none where nothing relevant is known."""

    hits: list[HitTold]


@router.post("/recall", summary="Ask a question")
async def recall(asked: Question, here: Reading) -> Hits:
    """The memories that answer it, best first, each with its score, its parts and its source."""
    found = await here.memory.recall(
        asked.question,
        space=here.space,
        user=asked.user,
        session=asked.session,
        kinds=asked.kinds,
        since=asked.since,
        until=asked.until,
        limit=asked.limit,
    )
    return Hits(hits=[HitTold.model_validate(hit) for hit in found])
