"""The job ``episodic_memory``: what is ready in a session is condensed, exactly once."""

from __future__ import annotations

from datetime import datetime

from quipu.kernel.db.database import SpaceTransaction
from quipu.kernel.queue import outbox
from quipu.kernel.queue.model import Payload
from quipu.kinds.episodes.building.service import Condensing, Ready
from quipu.kinds.episodes.queues import EPISODES
from quipu.kinds.plug import Context
from quipu.recall.model import GenerationChanged


async def condense(context: Context, payload: Payload) -> None:
    """Make episodes of what is ready in the session of the payload; look again when the rest may be.

    The effect is one transaction: the episodes, their entries in the index, and the job for what is left.
    """
    session = str(payload["session"])
    condensing = Condensing(
        context.database,
        context.models,
        clock=context.clock,
        language=context.language,
        secrets=context.settings.redact,
    )
    ready = await condensing.ready(context.space, session)
    while True:
        try:
            async with context.effect() as tx:
                if ready is not None:
                    await condensing.write(tx, ready)
                    await _look_again(tx, context.job.key, session, ready)
            return
        except GenerationChanged as moved:
            assert ready is not None  # without anything to file nothing moves
            ready = await condensing.measured(context.space, ready, moved.generation)


async def _look_again(tx: SpaceTransaction, key: str, session: str, ready: Ready) -> None:
    due: datetime | None = None if ready.more else ready.again
    if ready.more or due is not None:
        # Under another key than this job has: what is put under its own would have it done once more instead.
        # No session has such a name.
        other = f"{session}\nlater"
        key = session if key == other else other
        await outbox.put(tx, EPISODES, {"session": session}, key=key, due=due, session=session)
