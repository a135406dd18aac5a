"""The first page: what is known of each kind, how it grew, and what it runs on."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, time
from itertools import accumulate
from typing import Final

from starlette.responses import Response

from quipu.app.entries import Used
from quipu.interfaces.web import navigation
from quipu.interfaces.web.fields import page_router
from quipu.interfaces.web.formats import counted, day
from quipu.interfaces.web.navigation import place
from quipu.interfaces.web.page_context import PageContext, ShownPage
from quipu.kernel.base.text import excerpt
from quipu.upkeep.overview import NOTHING, DayCount, Overview

router = page_router()

_MOST_POINTS: Final = 200
_MOST_USED: Final = 10
_TEXT: Final = 160
_KINDS: Final = {
    "message": ("Messages", "/transcripts"),
    "ledger": ("Facts and evidence", "/ledger"),
    "lesson": ("Lessons", "/transcripts"),
    "episodes": ("Episodes", "/episodes"),
    "longterm": ("Long-term", "/longterm"),
    "document": ("Passages of documents", "/documents"),
    "tables": ("Fields of tables", "/tables"),
}


@router.get("/")
async def show(page: ShownPage) -> Response:
    """Show the overview of the space."""
    memory, space = page.memory, page.space
    known = await memory.overview(space=space) if space else NOTHING
    times, growth = totals(known.happened), totals(known.recorded)
    return page.render(
        "overview.html",
        known=known,
        numbers=_numbers(page, known),
        times=times,
        times_summary=_summary(times),
        growth=growth,
        growth_summary=_summary(growth),
        used=[_used(page, one) for one in await memory.used_lately(space=space, limit=_MOST_USED)]
        if space
        else [],
        queue=await memory.queue.status(),
        health=await memory.health(),
    )


def totals(days: Sequence[DayCount]) -> list[tuple[datetime, float]]:
    """Return the number of memories at the end of each day, thinned to what a plot can show."""
    ends = [datetime.combine(one.day, time.min, UTC) for one in days]
    sums = list(zip(ends, accumulate(float(one.entries) for one in days), strict=True))
    step = -(-len(sums) // _MOST_POINTS) if sums else 1
    return [*sums[:-1:step], *sums[-1:]]


def _numbers(page: PageContext, known: Overview) -> list[tuple[str, str, str]]:
    """Return name, number and address of each kind."""
    shown = {entry.path for entry in navigation.MEMORY}
    return [
        (name, f"{known.kinds.get(kind, 0):,}", page.link(path) if path in shown else "")
        for kind, (name, path) in _KINDS.items()
    ]


def _used(page: PageContext, one: Used) -> tuple[Used, str, str]:
    """Return a memory with the beginning of its text, and its address."""
    address = place(one)
    return one, excerpt(one.text, _TEXT), "" if address is None else page.link(address[0], **address[1])


def _summary(growth: Sequence[tuple[datetime, float]]) -> str:
    if not growth:
        return ""
    memories = counted(int(growth[-1][1]), "memory", "memories")
    return f"From {day(growth[0][0])} to {day(growth[-1][0])} they grow to {memories}."
