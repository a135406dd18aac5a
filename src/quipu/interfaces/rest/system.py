"""The whole database: its spaces, and its health."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from quipu.interfaces.rest.door import OwningAll, room
from quipu.interfaces.rest.models import Answer

router = room("system", prefix="")


class SpaceAnswer(Answer):
    """A space, and how much it holds."""

    name: str
    entries: Annotated[int, Field(description="Memories that can be recalled.")]
    sessions: int


class Spaces(Answer):
    """The spaces, by name."""

    spaces: list[SpaceAnswer]


@router.get("/spaces", summary="List the spaces")
async def spaces(engine: OwningAll) -> Spaces:
    """Return every space of the database, by name."""
    return Spaces(spaces=[SpaceAnswer.model_validate(one) for one in await engine.memory.spaces()])


class HealthAnswer(Answer):
    """State of the memory: what it runs on and how much it holds."""

    embedded: bool
    server_version: str
    pgvector: str
    postgis: bool
    model: Annotated[str, Field(description="The embedding model that is searched.")]
    wanted_model: Annotated[str, Field(description="That of the settings.")]
    dimensions: int
    spaces: int
    entries: int
    size_bytes: int
    warnings: Annotated[list[str], Field(description="Warnings for a person, such as a disk that fills.")]


@router.get("/health", summary="Show what the memory runs on")
async def health(engine: OwningAll) -> HealthAnswer:
    """Return versions, counts and sizes. Ask ``/ready``, without a key, if the server is well."""
    return HealthAnswer.model_validate(await engine.memory.health())
