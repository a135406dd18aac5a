"""The page of corrections: what was marked as wrong, and taking that back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final
from uuid import UUID

from fastapi import Form
from starlette.responses import Response

from quipu.interfaces.web.fields import Filled, page_router
from quipu.interfaces.web.page_context import PageContext, SentForm, ShownPage
from quipu.record.corrections.model import CorrectedKind, Correction

router = page_router()

_SHOWN: Final = 100
_MOST: Final = 1_000
_PLACES: Final[Mapping[CorrectedKind, str]] = {
    "longterm": "/longterm/{id}",
    "belief": "/episodes/beliefs/{id}",
    "loop": "/episodes/loops",
    "lesson": "/transcripts/lessons/{id}",
    "rule": "/corrections",
}


@router.get("/corrections")
async def show(page: ShownPage) -> Response:
    """Show corrections, latest first, and the rules behind them."""
    if not page.space:
        return page.render("nothing.html", title="Corrections")
    corrections = page.memory.corrections
    return page.render(
        "corrections.html",
        corrections=await corrections.list(space=page.space, limit=_SHOWN),
        counts=await corrections.counts(space=page.space),
        places=_PLACES,
    )


@router.post("/corrections/{number}")
async def add(
    page: SentForm, number: str, kind: Annotated[CorrectedKind, Form()], reason: Filled = None
) -> Response:
    """Mark a memory as wrong."""
    done = await page.memory.corrections.add(number, space=page.space, kind=kind, reason=reason)
    news = "It is marked as wrong: it is not recalled, and the same words do not bring it back."
    return page.back(_shown(page, done), news=news)


@router.post("/corrections/{number}/remove")
async def remove(page: SentForm, number: str) -> Response:
    """Take a correction back."""
    done = await page.memory.corrections.remove(number, space=page.space)
    return page.back(_shown(page, done), news="It is not marked as wrong any more.")


def _shown(page: PageContext, one: Correction) -> str:
    return page.link(_PLACES[one.kind].format(id=one.id))


async def of_one(page: PageContext, kind: CorrectedKind, id_: UUID | str) -> Correction | None:
    """Return the correction of a memory; None if it is not marked as wrong."""
    found = await page.memory.corrections.list(space=page.space, kind=kind, memory=UUID(str(id_)), limit=1)
    return found[0] if found else None


async def of_kind(page: PageContext, kind: CorrectedKind) -> dict[UUID, Correction]:
    """Return the latest corrections of a kind, by the id of the memory."""
    found = await page.memory.corrections.list(space=page.space, kind=kind, limit=_MOST)
    return {one.id: one for one in found}
