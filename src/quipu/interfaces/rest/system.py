"""The whole database: its spaces, and its health."""

from __future__ import annotations

from quipu.interfaces.rest.door import OwningAll, room
from quipu.interfaces.rest.models import Answer
from quipu.upkeep.health import Health
from quipu.upkeep.overview import SpaceCounts

router = room("system", prefix="")


class Spaces(Answer):
    """The spaces, by name."""

    spaces: list[SpaceCounts]


@router.get("/spaces", summary="List the spaces")
async def spaces(engine: OwningAll) -> Spaces:
    """Return every space of the database, by name."""
    return Spaces(spaces=await engine.memory.spaces())


@router.get("/health", summary="Show what the memory runs on")
async def health(engine: OwningAll) -> Health:
    """Return versions, counts and sizes. Ask ``/ready``, without a key, if the server is well."""
    return await engine.memory.health()
