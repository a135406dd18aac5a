"""After the agent: a job for each session in which something was said."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial

from quipu.errors import NotFound
from quipu.kernel.db.database import SpaceTransaction
from quipu.kernel.queue import outbox
from quipu.kernel.queue.model import Payload
from quipu.kinds.longterm.settings import EVERY
from quipu.kinds.plug import Context

EVALUATE = "longterm-evaluate"


async def evaluate(context: Context, payload: Payload) -> None:
    """Evaluate the next turns of a session, if enough were said; another job does those after them.

    A worker alone needs what evaluates: it is imported when a job begins.
    """
    from quipu.kernel.policy.policy import policy  # noqa: PLC0415
    from quipu.kinds.longterm.evaluation.evaluators import named  # noqa: PLC0415
    from quipu.kinds.longterm.evaluation.sessions import Sessions  # noqa: PLC0415
    from quipu.recall.search import Search  # noqa: PLC0415
    from quipu.recall.signatures import Cache  # noqa: PLC0415

    every = context.settings.of(EVERY)
    if every == 0:
        return
    session = str(payload["session"])
    async with named(
        None,
        database=context.database,
        models=context.models,
        settings=context.settings,
        clock=context.clock,
        language=context.language,
    ) as evaluator:
        sessions = Sessions(
            context.database,
            context.models,
            Search(context.models, clock=context.clock, cache=Cache()),
            evaluator,
            clock=context.clock,
            policy=policy(context.settings.policy),
        )
        try:
            stretch = await sessions.waiting(session, space=context.space)
        except NotFound:
            return  # it was forgotten meanwhile
        if stretch.more or len(stretch.said) >= every:
            await sessions.advance(
                session,
                stretch,
                space=context.space,
                transaction=partial(_effect, context, session if stretch.more else None),
            )


@asynccontextmanager
async def _effect(context: Context, left: str | None) -> AsyncGenerator[SpaceTransaction]:
    """Open the transaction of the job, and put another job for what is ``left`` of the session."""
    async with context.effect() as tx:
        yield tx
        if left is not None:
            await outbox.put(tx, EVALUATE, {"session": left}, session=left)
