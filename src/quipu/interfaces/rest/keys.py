"""API keys: their derived routes, and the one that ends a key, which this server must notice at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from fastapi import Body, Path, Request

from quipu.app.operations import OPERATIONS
from quipu.interfaces.rest.derived import derived
from quipu.interfaces.rest.door import OwningAll, refused
from quipu.interfaces.rest.models import Acting, Confirmable, shown_first
from quipu.interfaces.serving.served import served
from quipu.upkeep.keys.model import Key

router = derived("keys", OPERATIONS)

_KeyId = Annotated[str, Path(description="The id of the key, not its token.", examples=["0a1b2c3d4e5f"])]


@router.post(
    "/{key}/revoke",
    summary="Revoke a key",
    responses=refused(_404="There is no such key.", _412="It is no longer what was shown."),
)
async def revoke(
    key: _KeyId, engine: OwningAll, request: Request, body: Annotated[Acting | None, Body()] = None
) -> Confirmable[Key]:
    """Show the key with a token; with that token, let it open nothing from now on.

    Other servers of the same database notice within seconds.
    """

    async def do(confirmed: bool) -> Key:
        return await engine.memory.keys.revoke(key, confirm=confirmed)

    done = await shown_first("keys.revoke", body and body.confirm, do, tell=_itself, counts=_same)
    served(request).access.forget()
    return done


def _itself(key: Key) -> Key:
    return key


def _same(key: Key) -> Mapping[str, object]:
    return {"id": key.id, "revoked": key.revoked_at is not None}
