"""Conversations: their derived routes, and the one that waits for an answer."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from quipu.app.operations import OPERATIONS
from quipu.interfaces.rest.derived import derived
from quipu.interfaces.rest.door import Reading, refused
from quipu.interfaces.rest.models import Id
from quipu.kinds.episodes.prompts.model import Prompt

router = derived("conversations", OPERATIONS)


@router.get(
    "/prompts/{id}",
    summary="Show a prompt with its answer",
    responses=refused(_404="There is no such prompt."),
)
async def await_reply(
    id: Id,
    here: Reading,
    wait_seconds: Annotated[float, Query(ge=0, le=50, description="Wait so long for the answer.")] = 0.0,
) -> Prompt:
    """Return once it is answered, has failed, or the time is over (still `waiting`)."""
    return await here.memory.conversations.await_reply(id, space=here.space, timeout_seconds=wait_seconds)
