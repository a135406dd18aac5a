"""API keys: made, listed, ended."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import Body, Path, Query, Request
from pydantic import Field

from quipu.interfaces.rest.door import OwningAll, refused, room
from quipu.interfaces.rest.models import Asked, Told
from quipu.interfaces.serving.served import served
from quipu.upkeep.keys.model import Level

router = room("keys")


class KeyAsked(Asked):
    """A key to be made."""

    name: Annotated[str, Field(description="For people: which program it is for.", examples=["notes"])]
    space: Annotated[str | None, Field(description="The one space that it opens; null: all.")] = None
    user: Annotated[
        str | None,
        Field(description="The one user of the space whose rows it sees and writes; null: everybody."),
    ] = None
    level: Level = "read"
    requests_per_minute: Annotated[int, Field(ge=1, le=1_000_000)] = 600


class KeyTold(Told):
    """A key, without its secret."""

    id: str
    name: str
    space: str | None
    user: str | None
    level: Level
    requests_per_minute: int
    created_at: datetime
    last_used_at: datetime | None
    revoked_at: datetime | None


class IssuedTold(Told):
    """A new key, with the token that is shown this once."""

    key: KeyTold
    token: str


class Keys(Told):
    """Keys, the newest first."""

    keys: list[KeyTold]


_KeyId = Annotated[str, Path(description="The key's id, not its token.", examples=["0a1b2c3d4e5f"])]
_EXAMPLE: dict[str, Any] = {"name": "notes", "space": "ana", "level": "write"}


@router.post("", status_code=201, summary="Make a key")
async def create(asked: Annotated[KeyAsked, Body(examples=[_EXAMPLE])], engine: OwningAll) -> IssuedTold:
    """Make a key and return its token, shown this once; the database has only its hash."""
    issued = await engine.memory.keys.create(
        asked.name,
        space=asked.space,
        user=asked.user,
        level=asked.level,
        requests_per_minute=asked.requests_per_minute,
    )
    return IssuedTold.model_validate(issued)


@router.get("", summary="List the keys")
async def listed(
    engine: OwningAll,
    of_space: Annotated[str | None, Query(description="Only those of one space.", examples=["ana"])] = None,
) -> Keys:
    """Return every key, newest first, revoked ones too."""
    found = await engine.memory.keys.list(space=of_space)
    return Keys(keys=[KeyTold.model_validate(key) for key in found])


@router.delete("/{key_id}", summary="End a key", responses=refused(_404="There is no such key."))
async def revoke(key_id: _KeyId, engine: OwningAll, request: Request) -> KeyTold:
    """Let it open nothing from now on; other servers of the same database notice within seconds."""
    found = await engine.memory.keys.revoke(key_id)
    served(request).access.forget()
    return KeyTold.model_validate(found)
