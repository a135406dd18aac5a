"""The pages of beliefs: what people said of themselves, with the words that said it."""

from __future__ import annotations

from typing import Final

from starlette.responses import Response

from quipu.interfaces.web.corrections import of_one
from quipu.interfaces.web.fields import Number, Word, page_router, whole
from quipu.interfaces.web.page_context import ShownPage
from quipu.kinds.episodes.extraction.beliefs.model import BELIEF_STATES

router = page_router()

_SHOWN: Final = 50


@router.get("/episodes/beliefs")
async def show(
    page: ShownPage, user: Word = None, key: Word = None, state: Word = None, offset: Number = None
) -> Response:
    """Show the beliefs, surest first."""
    if not page.space:
        return page.render("nothing.html", title="Beliefs")
    chosen, begin = state if state in BELIEF_STATES else "standing", offset or 0
    rows = await page.memory.beliefs.list(
        space=page.space, user=user, key=key, state=chosen, limit=_SHOWN + 1, offset=begin
    )
    asked = {"user": user, "key": key, "state": state}
    following = begin + _SHOWN
    return page.render(
        "beliefs.html",
        beliefs=rows[:_SHOWN],
        chosen={**asked, "state": chosen},
        states=BELIEF_STATES,
        next=page.link("/episodes/beliefs", **asked, offset=following) if len(rows) > _SHOWN else None,
        first=page.link("/episodes/beliefs", **asked) if begin else None,
    )


@router.get("/episodes/beliefs/{number}")
async def belief(page: ShownPage, number: str) -> Response:
    """Show a belief, the words that it rests on, and what its key was before."""
    beliefs, key = page.memory.beliefs, whole(number)
    one = await beliefs.get(key, space=page.space)
    history = await beliefs.history(key, space=page.space)
    return page.render(
        "belief.html",
        one=one,
        sources=(await beliefs.sources(key, space=page.space))[:_SHOWN],
        history=[other for other in history if other.id != one.id][:_SHOWN],
        wrong=await of_one(page, "belief", one.id),
    )
