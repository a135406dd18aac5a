"""The pages of recommendations: what was recommended, how surely, and the evidence behind it."""

from __future__ import annotations

from typing import Final

from starlette.responses import Response

from quipu.interfaces.web.fields import Number, Word, page_router, slice_of
from quipu.interfaces.web.page_context import ShownPage
from quipu.kinds.ledger.evidence.arguments import theme_named

router = page_router()

_SHOWN: Final = 50


@router.get("/ledger/recommendations")
async def listing(page: ShownPage, session: Word = None, before: Number = None) -> Response:
    """Show the recommendations of a space or a session, latest first."""
    if not page.space:
        return page.render("nothing.html", title="Recommendations")
    rows = await page.memory.evidence.list(space=page.space, session=session, after=before, limit=_SHOWN + 1)
    shown = slice_of(rows, size=_SHOWN, key=lambda one: str(one.id))
    return page.render(
        "recommendations.html",
        recommendations=shown.rows,
        session=session,
        next=shown.after and page.link("/ledger/recommendations", session=session, before=shown.after),
        first=before and page.link("/ledger/recommendations", session=session),
    )


@router.get("/ledger/recommendations/{number}")
async def recommendation(page: ShownPage, number: int, theme: Word = None) -> Response:
    """Show one recommendation with its evidence, best first; all of it, or of one theme."""
    chosen = theme_named("theme", theme) if theme else None
    return page.render(
        "recommendation.html",
        one=await page.memory.evidence.get(number, space=page.space),
        evidence=await page.memory.evidence.sources(number, space=page.space, theme=chosen, limit=_SHOWN),
        chosen=chosen,
    )
