"""Episodes: what conversations condensed into, how it fades, and what keeps it."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from pydantic import Field

from quipu.interfaces.rest.asking import Id, Ids, OfSession, Since, SomeUser, Until, User, given
from quipu.interfaces.rest.door import Reading, Writing, refused, room
from quipu.interfaces.rest.models import Asked
from quipu.interfaces.rest.pages import Page, Paging
from quipu.interfaces.rest.told.episodes import (
    EpisodeCurveTold,
    EpisodeMessageTold,
    EpisodeStatsTold,
    EpisodeTold,
    EpisodeVersionTold,
    FoundEpisodeTold,
)
from quipu.interfaces.rest.told.items import HowMany, Items
from quipu.kinds.episodes.fading.model import Order, Put

router = room("episodes")

_GONE = refused(_404="There is no such episode.")


@router.get("", summary="Episodes as they are now")
async def listing(
    here: Reading,
    page: Paging,
    session: OfSession = None,
    user: User = None,
    topic: Annotated[str | None, Query(description="Only of this topic.", examples=["travel"])] = None,
    since: Since = None,
    until: Until = None,
    state: Annotated[Put, Query(description="`deleted`: those that were put away.")] = "active",
    order: Annotated[Order, Query(description="The latest first, or the most of this.")] = "recent",
) -> Page[EpisodeTold]:
    """Of a session, a person, a topic, a time."""
    found = await here.memory.episodes.listing(
        space=here.space,
        session=session,
        user=user,
        topic=topic,
        since=since,
        until=until,
        state=state,
        order=order,
        limit=page.limit + 1,
        after=page.behind("episodes"),
    )
    return page.of_rows("episodes", [EpisodeTold.model_validate(one) for one in found])


@router.get("/stats", summary="How many episodes there are")
async def stats(here: Reading) -> EpisodeStatsTold:
    """How many exchanges wait, and how fresh it all is."""
    return EpisodeStatsTold.model_validate(await here.memory.episodes.stats(space=here.space))


class Asking(Asked):
    """A question to the episodes."""

    question: Annotated[str, Field(examples=["What was the trouble with the landlord?"])]
    user: SomeUser = None
    limit: Annotated[int, Field(ge=1, le=1000)] = 10


@router.post("/recall", summary="Ask the episodes")
async def recall(asked: Asking, here: Reading) -> Items[FoundEpisodeTold]:
    """Those that answer a question, best first. It changes nothing."""
    found = await here.memory.episodes.recall(space=here.space, **given(asked))
    return Items(items=[FoundEpisodeTold.model_validate(one) for one in found])


@router.post("/reinforce", summary="Note that episodes were of use", responses=_GONE)
async def reinforce(asked: Ids, here: Writing) -> HowMany:
    """They fade from now; how many uses count."""
    return HowMany(count=await here.memory.episodes.reinforce(asked.ids, space=here.space))


@router.get("/{id}", summary="An episode", responses=_GONE)
async def get(id: Id, here: Reading) -> EpisodeTold:
    """As it is now: salience, freshness and activation are of this moment."""
    return EpisodeTold.model_validate(await here.memory.episodes.get(id, space=here.space))


@router.get("/{id}/messages", summary="What was said in an episode", responses=_GONE)
async def messages(id: Id, here: Reading) -> Items[EpisodeMessageTold]:
    """In its order; none for one that was written by SQL."""
    found = await here.memory.episodes.messages(id, space=here.space)
    return Items(items=[EpisodeMessageTold.model_validate(one) for one in found])


@router.get("/{id}/history", summary="How an episode read before", responses=_GONE)
async def history(id: Id, here: Reading) -> Items[EpisodeVersionTold]:
    """Before it was written anew, the latest first."""
    found = await here.memory.episodes.history(id, space=here.space)
    return Items(items=[EpisodeVersionTold.model_validate(one) for one in found])


@router.get("/{id}/curve", summary="How an episode fades", responses=_GONE)
async def curve(
    id: Id,
    here: Reading,
    points: Annotated[int, Query(ge=2, le=1000, description="Moments of the curve.")] = 60,
    ahead_days: Annotated[
        int | None, Query(ge=0, le=3_650, description="How far to look ahead.", examples=[30])
    ] = None,
) -> EpisodeCurveTold:
    """How it faded and was refreshed until now, and how it will fade if nobody uses it."""
    found = await here.memory.episodes.curve(id, space=here.space, points=points, ahead_days=ahead_days)
    return EpisodeCurveTold.model_validate(found)


@router.post("/{id}/forget", summary="Put an episode away", responses=_GONE)
async def forget(id: Id, here: Writing) -> EpisodeTold:
    """It is not recalled any more, stays, and can be restored."""
    return EpisodeTold.model_validate(await here.memory.episodes.forget(id, space=here.space))


@router.post("/{id}/restore", summary="Bring an episode back", responses=_GONE)
async def restore(id: Id, here: Writing) -> EpisodeTold:
    """What it was, and its uses, are as they were."""
    return EpisodeTold.model_validate(await here.memory.episodes.restore(id, space=here.space))
