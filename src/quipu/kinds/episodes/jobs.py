"""Jobs on conversations, done without being asked for: topic to handler, one line each.

Only a worker needs the code that reads and thinks, but every program that recalls imports this file: so that
code is imported when a job begins.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from quipu.kernel.queue.model import Payload
from quipu.kinds.episodes.queues import CHUNKER, EPISODES, EXTRACTION, HISTORY, PROMPTS
from quipu.kinds.plug import Context, Handler, Schedule


async def chunk(context: Context, payload: Payload) -> None:
    """Form and read the exchanges of a session."""
    from quipu.kinds.episodes.conversations.reader import read  # noqa: PLC0415

    await read(context, payload)


async def condense(context: Context, payload: Payload) -> None:
    """Make episodes of what is ready in a session."""
    from quipu.kinds.episodes.building.rebuild import condense_ready  # noqa: PLC0415

    await condense_ready(context, payload)


async def extract(context: Context, payload: Payload) -> None:
    """Find the loops of a session's exchanges, and settle their claims."""
    from quipu.kinds.episodes.extraction.job import extract as read  # noqa: PLC0415

    await read(context, payload)


async def _settle(context: Context) -> None:
    """Settle the conflicts of which nothing was heard for long."""
    from quipu.kinds.episodes.extraction.job import settle_stale  # noqa: PLC0415

    await settle_stale(context)


async def answer_prompt(context: Context, payload: Payload) -> None:
    """Answer a prompt."""
    from quipu.kinds.episodes.prompts import answers  # noqa: PLC0415

    await answers.answer_prompt(context, payload)


async def continue_chat(context: Context, payload: Payload) -> None:
    """Answer what was said last in a conversation."""
    from quipu.kinds.episodes.prompts import answers  # noqa: PLC0415

    await answers.continue_chat(context, payload)


DECAY: Final = Schedule(name="conflicts decay", cron="23 3 * * *", each_space=True, handler=_settle)
HEARS: Final = (CHUNKER,)
HANDLERS: Final[Mapping[str, Handler]] = {
    CHUNKER: chunk,
    EPISODES: condense,
    EXTRACTION: extract,
    PROMPTS: answer_prompt,
    HISTORY: continue_chat,
}
JOB_SECONDS: Final[Mapping[str, float]] = {}
SCHEDULES: Final[tuple[Schedule, ...]] = (DECAY,)
