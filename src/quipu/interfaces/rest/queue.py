"""The queue: the jobs of all spaces, for whoever administers the database."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from pydantic import Field

from quipu.app.queue import Purge
from quipu.interfaces.rest.asking import Acting, Most, Number
from quipu.interfaces.rest.door import OwningAll, refused, room
from quipu.interfaces.rest.models import Asked, Told
from quipu.interfaces.rest.showing import shown_first
from quipu.interfaces.rest.told.items import Confirmable, HowMany, Items
from quipu.interfaces.rest.told.queue import JobTold, QueueStatusTold

router = room("queue")

_Topic = Annotated[str | None, Query(description="Only of this topic.", examples=["memory_chunker"])]
_Numbers = Annotated[
    list[Annotated[int, Field(ge=1, le=2**63 - 1)]] | None,
    Field(max_length=10_000, description="Null: all that were given up.", examples=[[17]]),
]


@router.get("", summary="How the queue stands")
async def status(engine: OwningAll) -> QueueStatusTold:
    """Return what waits for what, when schedules fire, and how many workers there are."""
    return QueueStatusTold.model_validate(await engine.memory.queue.status())


@router.get("/dead", summary="Jobs that were given up")
async def dead(engine: OwningAll, topic: _Topic = None, limit: Most = 20) -> Items[JobTold]:
    """Return the jobs that were given up, latest first."""
    found = await engine.memory.queue.dead(topic=topic, limit=limit)
    return Items(items=[JobTold.model_validate(one) for one in found])


@router.get("/jobs/{number}", summary="A job", responses=refused(_404="There is no such job (any more)."))
async def show(number: Number, engine: OwningAll) -> JobTold:
    """Return a job with its payload, and how it failed."""
    return JobTold.model_validate(await engine.memory.queue.show(number))


class Retried(Asked):
    """Jobs to try again."""

    numbers: _Numbers = None
    topic: Annotated[str | None, Field(examples=["memory_chunker"])] = None


@router.post("/retry", summary="Try jobs again")
async def retry(asked: Retried, engine: OwningAll) -> HowMany:
    """Treat jobs that were given up as if new; return how many."""
    return HowMany(count=await engine.memory.queue.retry(asked.numbers, topic=asked.topic))


class Purged(Acting):
    """Jobs to throw away."""

    numbers: _Numbers = None
    topic: Annotated[str | None, Field(examples=["memory_chunker"])] = None
    waiting: Annotated[bool, Field(description="Those that wait, too.")] = False


class PurgeTold(Told):
    """Jobs thrown away, or (`done` is false) to be thrown away, by topic."""

    done: bool
    jobs: dict[str, int]


@router.post(
    "/purge",
    summary="Throw jobs away",
    responses=refused(_412="What would go is no longer what was shown."),
)
async def purge(asked: Purged, engine: OwningAll) -> Confirmable[PurgeTold]:
    """Return a preview with a token first; with that token they go."""

    async def do(confirm: bool) -> Purge:
        return await engine.memory.queue.purge(
            asked.numbers, topic=asked.topic, waiting=asked.waiting, confirm=confirm
        )

    return await shown_first(
        "purge",
        asked.confirm,
        do,
        tell=PurgeTold.model_validate,
        counts=lambda found: {"numbers": asked.numbers, "jobs": dict(found.jobs)},
    )
