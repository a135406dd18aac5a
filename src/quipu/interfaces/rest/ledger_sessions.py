"""Sessions of the ledger: opened, ended; and how long all of it is kept."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from quipu.interfaces.rest.asking import Acting, SomeSession, SomeUser, given
from quipu.interfaces.rest.door import Administering, Writing, refused, room
from quipu.interfaces.rest.models import Asked, Told
from quipu.interfaces.rest.showing import shown_first
from quipu.interfaces.rest.told.items import Confirmable
from quipu.interfaces.rest.told.ledger import RetentionReportTold
from quipu.kinds.ledger.retention.model import RetentionReport
from quipu.kinds.ledger.sessions import CardType, Status

router = room("ledger")

_Days = Annotated[
    int | None, Field(ge=0, le=36_500, description="0 keeps for ever; null: as set.", examples=[90])
]


class Opened(Asked):
    """What is known of a session that begins."""

    session: SomeSession = None
    user: SomeUser = None
    model: Annotated[str | None, Field(examples=["gpt-5"])] = None
    prompt_version: str | None = None
    rule_version: str | None = None
    card_type: CardType | None = None
    location_count: Annotated[int | None, Field(ge=0, le=2**31 - 1)] = None
    trace_id: str | None = None
    meta: dict[str, Any] | None = None


class SessionNamed(Told):
    """A session."""

    session: Annotated[str, Field(examples=["s1"])]


@router.post("/sessions", summary="Open a session")
async def open_session(asked: Opened, here: Writing) -> SessionNamed:
    """The name of a session that can be written about: yours, or a new one."""
    name = await here.memory.ledger.open_session(space=here.space, **given(asked))
    return SessionNamed(session=name)


class Ended(Asked):
    """Which session ended, and how."""

    session: Annotated[str, Field(examples=["s1"])]
    status: Status = "ended"


@router.post("/sessions/end", status_code=204, summary="End a session")
async def end_session(asked: Ended, here: Writing) -> None:
    """Note that it ended now, `ended` or in `error`; `active` takes that back."""
    await here.memory.ledger.end_session(asked.session, space=here.space, status=asked.status)


class Kept(Acting):
    """For how long it is kept."""

    session_days: _Days = None
    excerpt_days: _Days = None
    evidence_days: _Days = None


@router.post(
    "/retention",
    summary="Let go what is no longer needed",
    responses=refused(_412="What would go is no longer what was shown."),
)
async def retention(asked: Kept, here: Administering) -> Confirmable[RetentionReportTold]:
    """First a preview with a token; with that token, old sessions, expired values and evidence go."""
    days = given(asked, "confirm")

    async def do(confirm: bool) -> RetentionReport:
        return await here.memory.ledger.retention(space=here.space, confirm=confirm, **days)

    return await shown_first(
        "retention", asked.confirm, do, tell=RetentionReportTold.model_validate, counts=_counts
    )


def _counts(report: RetentionReport) -> dict[str, object]:
    return {"space": report.space, "counts": dict(report.counts)}
