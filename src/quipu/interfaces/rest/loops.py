"""Open loops: what was asked, promised, given to do or waited for, until it is resolved."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Query
from pydantic import Field

from quipu.interfaces.rest.asking import Id, OfSession, User
from quipu.interfaces.rest.door import Reading, Writing, refused, room
from quipu.interfaces.rest.models import Asked
from quipu.interfaces.rest.pages import Page, Paging
from quipu.interfaces.rest.told.items import Items
from quipu.interfaces.rest.told.loops import LoopTold

router = room("loops")

_GONE = refused(_404="There is no such loop.")
_State = Annotated[Literal["open", "closed", "all"], Query(description="Which ones.")]
_Kind = Annotated[
    Literal["question", "promise", "task", "waiting", "followup"] | None,
    Query(description="Only of this kind.", examples=["promise"]),
]


@router.get("", summary="Loops, the latest first")
async def listing(
    here: Reading,
    page: Paging,
    user: User = None,
    session: OfSession = None,
    state: _State = "open",
    kind: _Kind = None,
) -> Page[LoopTold]:
    """Those that are open, or were."""
    found = await here.memory.loops.listing(
        space=here.space,
        user=user,
        session=session,
        state=state,
        kind=kind,
        limit=page.limit + 1,
        after=page.behind("loops"),
    )
    return page.of_rows("loops", [LoopTold.model_validate(one) for one in found])


@router.get("/due", summary="Loops that matter now")
async def due(
    here: Reading,
    user: User = None,
    session: OfSession = None,
    limit: Annotated[int, Query(ge=1, le=100, description="At most.")] = 5,
) -> Items[LoopTold]:
    """The most urgent first: what is due, then what was mentioned lately."""
    found = await here.memory.loops.remind(space=here.space, user=user, session=session, limit=limit)
    return Items(items=[LoopTold.model_validate(one) for one in found])


@router.get("/{id}", summary="A loop", responses=_GONE)
async def get(id: Id, here: Reading) -> LoopTold:
    """With what closed it, where it is closed."""
    return LoopTold.model_validate(await here.memory.loops.get(id, space=here.space))


class Closed(Asked):
    """How a loop was closed."""

    evidence: Annotated[str | None, Field(description="Why, in words.", examples=["She sent it."])] = None
    outcome: Literal["resolved", "dropped"] = "resolved"


@router.post("/{id}/close", summary="Close a loop", responses=_GONE)
async def close(id: Id, asked: Closed, here: Writing) -> LoopTold:
    """It is resolved, or dropped. One that is closed stays as it is."""
    closed = await here.memory.loops.close(
        id, space=here.space, evidence=asked.evidence, outcome=asked.outcome
    )
    return LoopTold.model_validate(closed)


@router.post("/{id}/reopen", summary="Open a loop again", responses=_GONE)
async def reopen(id: Id, here: Writing) -> LoopTold:
    """What closed it is forgotten. One that is open stays as it is."""
    return LoopTold.model_validate(await here.memory.loops.reopen(id, space=here.space))
