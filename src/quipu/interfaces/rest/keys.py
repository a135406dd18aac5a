"""API keys: their derived routes, and the one that ends a key, which this server must notice at once."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Request

from quipu.app.operations import OPERATIONS
from quipu.interfaces.rest.derived import derived
from quipu.interfaces.rest.door import OwningAll, refused
from quipu.interfaces.serving.served import served
from quipu.upkeep.keys.model import Key

router = derived("keys", OPERATIONS)

_KeyId = Annotated[str, Path(description="The id of the key, not its token.", examples=["0a1b2c3d4e5f"])]


@router.delete("/{key}", summary="Revoke a key", responses=refused(_404="There is no such key."))
async def revoke(key: _KeyId, engine: OwningAll, request: Request) -> Key:
    """Let it open nothing from now on; other servers of the same database notice within seconds."""
    revoked = await engine.memory.keys.revoke(key)
    served(request).access.forget()
    return revoked
