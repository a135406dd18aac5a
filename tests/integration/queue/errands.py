"""What the workers of these tests can do. An effect is a job that nobody does, so it can be counted."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import anyio
from patience import PATIENCE_SECONDS

from quipu.app.kinds import KINDS
from quipu.app.workers import SYSTEM_SCHEDULES, Duties
from quipu.errors import BudgetSpent
from quipu.kernel.queue.outbox import put
from quipu.kinds.plug import Context, Handler, Schedule

TRACE = "trace"

AT_NIGHT = sum(1 for kind in KINDS for _ in kind.schedules) + len(SYSTEM_SCHEDULES)
"""How many jobs the schedules make where there is one space."""

Payload = Mapping[str, Any]


async def note(context: Context, payload: Payload) -> None:
    """Leaves a trace; ``started`` names a file to be written first, ``until`` one to be waited for.

    With ``seconds`` it takes so long.
    """
    if "started" in payload:
        await anyio.Path(payload["started"]).write_text(str(os.getpid()))
    while "until" in payload and not await anyio.Path(payload["until"]).exists():  # noqa: ASYNC110 - a file
        await anyio.sleep(0.01)
    await anyio.sleep(payload.get("seconds", 0))
    async with context.effect() as tx:
        await put(tx, TRACE, {"key": context.job.key, "attempt": context.job.attempts, **payload})


async def fail(context: Context, payload: Payload) -> None:
    """Fails as many times as ``times`` says."""
    if context.job.attempts <= payload["times"]:
        raise ValueError(f"not yet: password={payload.get('secret', '')}")
    await note(context, {})


async def end(context: Context, payload: Payload) -> None:
    """Ends as if it were cancelled, or the whole program, though nobody asked for it."""
    raise {"cancelled": asyncio.CancelledError, "exit": SystemExit}[payload["as"]]


async def spend(context: Context, payload: Payload) -> None:
    """Has nothing left for the day."""
    raise BudgetSpent("Nothing is left.", opens_at=datetime.now(UTC) + timedelta(hours=3))


async def tell(context: Context, payload: Payload) -> None:
    """Has no transaction of its own: writes to a file each time that it is done."""
    async with await anyio.open_file(payload["file"], "a") as file:
        await file.write(f"{context.space}\n")


async def chime(context: Context) -> None:
    async with context.effect() as tx:
        await put(tx, TRACE, {"chimed": context.job.key})


HANDLERS: dict[str, Handler] = {
    "note": note,
    "fail": fail,
    "tell": tell,
    "spend": spend,
    "end": end,
    "hang": note,
}
CHIME = Schedule(name="chime", cron="7 3 1 1 *", each_space=True, handler=chime)
DUTIES = Duties(HANDLERS, {"hang": 0.2}, {})
CHIMING = Duties({}, {}, {"chime": CHIME})


def started(path: Path) -> Payload:
    return {"started": str(path)}


async def appears(path: Path) -> None:
    """Wait for a file that a job writes."""
    with anyio.fail_after(PATIENCE_SECONDS):
        while not await anyio.Path(path).exists():  # noqa: ASYNC110 - another process may write it
            await anyio.sleep(0.01)
