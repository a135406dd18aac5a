"""Findings of ``quipu doctor`` on memory around agents: what failed in the last day."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from datetime import timedelta
from typing import Final

from quipu.app.queue import Queue
from quipu.interfaces.cli.opening import address
from quipu.interfaces.cli.views.text import count, day_and_time
from quipu.interfaces.middleware.journal import Trouble, troubles
from quipu.interfaces.middleware.model import Part
from quipu.kernel.base.clock import SystemClock
from quipu.kernel.config import Settings
from quipu.kernel.db.doctor import Finding
from quipu.kinds.longterm.evaluating.jobs import EVALUATE

_FAILED: Final[dict[Part, tuple[str, str]]] = {
    "open": ("opening failed", "openings failed"),
    "before": ("recovery failed or was late", "recoveries failed or were late"),
    "after": ("failure to write a turn", "failures to write turns"),
    "evaluate": ("evaluation failed", "evaluations failed"),
}


async def failures(settings: Settings) -> AsyncIterator[Finding]:
    """Yield what failed around agents in the last day, by kind."""
    try:
        found = troubles(settings.home, since=SystemClock().now() - timedelta(days=1))
    except OSError as error:
        yield Finding("middleware", "warn", f"its journal cannot be read: {error}")
        return
    if not found:
        yield Finding("middleware", "ok", "no failure around an agent was noted in the last day")
        return
    told = [_told(part, [one for one in found if one.part == part]) for part in _FAILED]
    hint = f"Answers went on without memory. All of it: {settings.home / 'middleware.jsonl'}"
    yield Finding("middleware", "warn", "in the last day " + "; ".join(one for one in told if one), hint)


async def evaluations(settings: Settings) -> AsyncIterator[Finding]:
    """Yield the state of evaluations: what waits, and what was given up."""
    async with address(settings) as url, Queue.open(url, settings) as queue:
        topics = (await queue.status()).topics
    of_it = next(one for one in topics if one.topic == EVALUATE)
    waiting = count(of_it.waiting + of_it.later + of_it.handed_over, "conversation")
    if of_it.dead:
        told = f"{count(of_it.dead, 'evaluation')} given up after failed tries; {waiting} to be evaluated"
        yield Finding("evaluation", "warn", told, f"To see why: quipu queue dead --topic {EVALUATE}")
        return
    yield Finding("evaluation", "ok", f"none was given up; {waiting} to be evaluated")


def _told(part: Part, found: Sequence[Trouble]) -> str:
    if not found:
        return ""
    last = max(found, key=lambda one: one.at)
    number = count(sum(one.times for one in found), *_FAILED[part])
    return f"{number}, last at {day_and_time(last.at)} ({last.trouble})"
