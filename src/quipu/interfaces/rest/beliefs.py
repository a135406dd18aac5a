"""Beliefs: what stands about people, its history, and its conflicts."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Query
from pydantic import Field

from quipu.interfaces.rest.asking import Acting, Id, Most, User
from quipu.interfaces.rest.door import Administering, Reading, Writing, refused, room
from quipu.interfaces.rest.models import Asked
from quipu.interfaces.rest.pages import Page, Paging
from quipu.interfaces.rest.showing import shown_first
from quipu.interfaces.rest.told.beliefs import BeliefSourceTold, BeliefTold, ConflictTold
from quipu.interfaces.rest.told.items import Confirmable, Items
from quipu.kinds.episodes.minding.beliefs.model import Belief

router = room("beliefs")

_GONE = refused(_404="There is no such belief.")
_State = Annotated[Literal["standing", "contested", "superseded", "all"], Query(description="Which ones.")]


@router.get("", summary="Beliefs, the surest first")
async def listing(
    here: Reading,
    page: Paging,
    user: User = None,
    key: Annotated[str | None, Query(description="What it is about.", examples=["home"])] = None,
    state: _State = "standing",
) -> Page[BeliefTold]:
    """Those that stand, are contested, or were superseded."""
    found = await here.memory.beliefs.listing(
        space=here.space,
        user=user,
        key=key,
        state=state,
        limit=page.limit + 1,
        offset=page.counted("beliefs"),
    )
    return page.of_counted("beliefs", [BeliefTold.model_validate(one) for one in found])


@router.get("/conflicts", summary="Conflicts, the worst first")
async def conflicts(
    here: Reading,
    user: User = None,
    settled: Annotated[bool, Query(description="Those that are settled, too.")] = False,
    limit: Most = 50,
) -> Items[ConflictTold]:
    """What stands, and what was said against it."""
    found = await here.memory.beliefs.conflicts(space=here.space, user=user, settled=settled, limit=limit)
    return Items(items=[ConflictTold.model_validate(one) for one in found])


@router.post("/conflicts/ask", summary="The conflict to ask about")
async def ask(here: Writing, user: User = None) -> ConflictTold | None:
    """The one that is most worth asking about, or null; each asking makes it less pressing."""
    found = await here.memory.beliefs.ask(space=here.space, user=user)
    return None if found is None else ConflictTold.model_validate(found)


class Resolved(Asked):
    """Which side of a conflict is right."""

    keep: Annotated[
        str, Field(description="`belief`, `rival`, or the value that is right.", examples=["rival"])
    ]


@router.post(
    "/conflicts/{id}/resolve",
    summary="Settle a conflict",
    responses=refused(_404="There is no such conflict."),
)
async def resolve(id: Id, asked: Resolved, here: Writing) -> BeliefTold:
    """What stands then."""
    return BeliefTold.model_validate(await here.memory.beliefs.resolve(id, asked.keep, space=here.space))


@router.get("/{id}", summary="A belief", responses=_GONE)
async def get(id: Id, here: Reading) -> BeliefTold:
    """As it stands, or as it was superseded."""
    return BeliefTold.model_validate(await here.memory.beliefs.get(id, space=here.space))


@router.get("/{id}/sources", summary="What said a belief", responses=_GONE)
async def sources(id: Id, here: Reading) -> Items[BeliefSourceTold]:
    """The messages, the latest first."""
    found = await here.memory.beliefs.sources(id, space=here.space)
    return Items(items=[BeliefSourceTold.model_validate(one) for one in found])


@router.get("/{id}/history", summary="All that was held", responses=_GONE)
async def history(id: Id, here: Reading) -> Items[BeliefTold]:
    """Of the person and key of a belief, the latest first."""
    found = await here.memory.beliefs.history(id, space=here.space)
    return Items(items=[BeliefTold.model_validate(one) for one in found])


class BeliefCorrected(Asked):
    """The value that is right."""

    value: Annotated[str, Field(examples=["Lisbon"])]


@router.post("/{id}/correct", summary="Correct a belief", responses=_GONE)
async def correct(id: Id, asked: BeliefCorrected, here: Writing) -> BeliefTold:
    """Its conflicts are settled; the old value stays in history."""
    return BeliefTold.model_validate(await here.memory.beliefs.correct(id, asked.value, space=here.space))


@router.post(
    "/{id}/forget",
    summary="Delete a belief",
    responses=refused(_404="There is no such belief.", _412="It is no longer what was shown."),
)
async def forget(id: Id, asked: Acting, here: Administering) -> Confirmable[BeliefTold]:
    """First as it stands, with a token; with that token it goes for good, with its conflicts."""

    async def do(confirm: bool) -> Belief:
        found = await here.memory.beliefs.get(id, space=here.space)
        if confirm:
            await here.memory.beliefs.forget(id, space=here.space)
        return found

    return await shown_first(
        "forget belief",
        asked.confirm,
        do,
        tell=BeliefTold.model_validate,
        counts=lambda one: {"space": here.space, "id": str(one.id), "value": one.value, "state": one.state},
    )
