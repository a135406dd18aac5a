"""The page of a timeline: its form, the days with what was said, and how much of it is shown."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import Annotated, Final

from fastapi import Depends, Query
from pydantic import AfterValidator
from starlette.responses import Response

from quipu.interfaces.web.fields import Word, page_router
from quipu.interfaces.web.links import Value
from quipu.interfaces.web.page_context import ShownPage
from quipu.recall.timeline import Gathered

router = page_router()

PLACE: Final = "/recall/timeline"
_SHOWN: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineQuery:
    """A topic and what narrows it; empty words narrow nothing."""

    topic: Annotated[str, Query(alias="q", max_length=100_000), AfterValidator(str.strip)] = ""
    user: Word = None
    speaker: Word = None
    since: Word = None
    until: Word = None
    exchanges: bool = False
    after: Word = None

    @property
    def is_asked(self) -> bool:
        """True if there is something to gather."""
        return bool(self.topic or self.user or self.speaker or self.since or self.until)

    def query(self) -> dict[str, Value]:
        """Return the query of the page's address, from the first part on."""
        return {
            "q": self.topic or None,
            "user": self.user,
            "speaker": self.speaker,
            "since": self.since,
            "until": self.until,
            "exchanges": "1" if self.exchanges else None,
        }


@router.get(PLACE)
async def show(page: ShownPage, asking: Annotated[TimelineQuery, Depends(TimelineQuery)]) -> Response:
    """Show everything about a topic, a person or a time, oldest first."""
    found = Gathered((), 0, 0)
    if page.space and asking.is_asked:
        found = await page.memory.gather(
            asking.topic or None,
            space=page.space,
            user=asking.user,
            speaker=asking.speaker,
            since=asking.since,
            until=asking.until,
            exchanges=asking.exchanges,
            limit=_SHOWN,
            after=asking.after,
        )
    days = [
        (day, list(moments)) for day, moments in groupby(found.items, key=lambda one: one.happened_at.date())
    ]
    return page.render(
        "timeline.html",
        asking=asking,
        days=days,
        coverage=found.coverage,
        next=found.cursor and page.link(PLACE, **asking.query(), after=found.cursor),
        first=asking.after and page.link(PLACE, **asking.query()),
    )
