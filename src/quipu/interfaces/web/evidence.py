"""The pages of recommendations: what was recommended, how surely, and the evidence behind it."""

from __future__ import annotations

from typing import Final

from starlette.responses import Response

from quipu.interfaces.web.fields import Number, Word, page_router, slice_of
from quipu.interfaces.web.page_context import Visiting
from quipu.kinds.ledger.evidence.arguments import theme_named

router = page_router()

_SHOWN: Final = 50


@router.get("/ledger/recommendations")
async def listing(visit: Visiting, session: Word = None, before: Number = None) -> Response:
    """Show the recommendations of a space or a session, latest first."""
    if not visit.space:
        return visit.page("nothing.html", title="Recommendations")
    rows = await visit.memory.evidence.list(
        space=visit.space, session=session, after=before, limit=_SHOWN + 1
    )
    shown = slice_of(rows, size=_SHOWN, key=lambda one: str(one.id))
    return visit.page(
        "recommendations.html",
        recommendations=shown.rows,
        session=session,
        next=shown.after and visit.link("/ledger/recommendations", session=session, before=shown.after),
        first=before and visit.link("/ledger/recommendations", session=session),
    )


@router.get("/ledger/recommendations/{number}")
async def recommendation(visit: Visiting, number: int, theme: Word = None) -> Response:
    """Show one recommendation with its evidence, best first; all of it, or of one theme."""
    chosen = theme_named("theme", theme) if theme else None
    return visit.page(
        "recommendation.html",
        one=await visit.memory.evidence.get(number, space=visit.space),
        evidence=await visit.memory.evidence.sources(number, space=visit.space, theme=chosen, limit=_SHOWN),
        chosen=chosen,
    )
