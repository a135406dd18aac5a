"""Making episodes, writing them anew, erasing one for good."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from pydantic import Field

from quipu.interfaces.rest.asking import Acting, Id, SomeSession, given
from quipu.interfaces.rest.door import Administering, Writing, refused, room
from quipu.interfaces.rest.models import Asked
from quipu.interfaces.rest.record import ErasureTold
from quipu.interfaces.rest.showing import shown_first
from quipu.interfaces.rest.told.episodes import CondensationTold
from quipu.interfaces.rest.told.items import Confirmable
from quipu.upkeep.erasure.model import Erasure

router = room("episodes")

_GONE = refused(_404="There is no such episode.")


class Waiting(Asked):
    """What is to be condensed: what waits in a session, or everywhere."""

    session: SomeSession = None


@router.post("/condense", summary="Make episodes now")
async def condense(asked: Waiting, here: Writing) -> CondensationTold:
    """Of all that waits, as if nothing more were said. Workers do this when a conversation rests."""
    made = await here.memory.episodes.condense(space=here.space, session=asked.session)
    return CondensationTold.model_validate(made)


class Rebuilt(Waiting):
    """Which episodes are to be written anew: one, those of a session, or all of the space."""

    id: UUID | None = None
    again: Annotated[bool, Field(description="Also those that this builder wrote.")] = False


@router.post("/rebuild", summary="Write episodes anew", responses=_GONE)
async def rebuild(asked: Rebuilt, here: Writing) -> CondensationTold:
    """From what they are made of; how they read before stays as their history."""
    made = await here.memory.episodes.rebuild(space=here.space, **given(asked))
    return CondensationTold.model_validate(made)


@router.post(
    "/{id}/erase",
    summary="Erase an episode for good",
    responses=refused(_404="There is no such episode.", _412="What would go is no longer what was shown."),
)
async def erase(id: Id, asked: Acting, here: Administering) -> Confirmable[ErasureTold]:
    """First a preview with a token; with that token it goes. What was said stays."""

    async def do(confirm: bool) -> Erasure:
        return await here.memory.episodes.erase(id, space=here.space, confirm=confirm)

    return await shown_first(
        "erase episode",
        asked.confirm,
        do,
        tell=ErasureTold.model_validate,
        counts=lambda found: {"space": here.space, "id": str(id), "counts": dict(found.counts)},
    )
