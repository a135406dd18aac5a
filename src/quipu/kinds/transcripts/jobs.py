"""Jobs on recorded sessions, done without being asked for.

Only a worker needs the code that reads and learns, but every program that recalls imports this file: so that
code is imported when a job begins.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from quipu.kernel.db.database import SpaceTransaction
from quipu.kernel.queue.model import Payload
from quipu.kernel.queue.outbox import put
from quipu.kinds.plug import Context, Schedule
from quipu.recall.search import Search
from quipu.recall.signatures import Cache
from quipu.record import backlog

if TYPE_CHECKING:
    from quipu.kinds.transcripts.lessons.lessons import AsyncLessons


LEARN: Final = "transcripts-learn"
QUIET: Final = timedelta(minutes=15)


async def ask(tx: SpaceTransaction, *, now: datetime) -> None:
    """Have what was taken in indexed and learned from in ``QUIET`` time, when its session may be at its end.

    What goes on longer is read then as far as it is, and again after what came later.
    """
    await put(tx, LEARN, {}, key="all", due=now + QUIET)


async def learn(context: Context, _: Payload) -> None:
    """Index the words and the meaning of what a sync took in, and keep what was said there that lasts.

    Each of the three goes on where it was cut off, so the job may be done twice.
    """
    from quipu.kinds.transcripts.browse import indexing  # noqa: PLC0415

    space = context.space
    await indexing.advance(context.database, space, seconds=None)
    await backlog.file(context.database, context.models, space)
    await _memories(context).extract(space=space)


async def _prune(context: Context) -> None:
    """Archive the memories in which nobody can have confidence any more."""
    await _memories(context).prune(space=context.space, confirm=True)


def _memories(context: Context) -> AsyncLessons:
    from quipu.kinds.transcripts.lessons.lessons import AsyncLessons  # noqa: PLC0415

    search = Search(context.models, clock=context.clock, cache=Cache())
    return AsyncLessons(
        context.database, context.models, search, clock=context.clock, settings=context.settings
    )


PRUNING = Schedule(name="memories pruning", cron="11 3 * * *", each_space=True, removes=True, handler=_prune)
