"""The pages of open loops: what was asked, promised or waited for, to be closed."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from fastapi import Form
from starlette.responses import Response

from quipu.interfaces.web.corrections import of_kind
from quipu.interfaces.web.fields import Filled, Word, page_router, slice_of
from quipu.interfaces.web.page_context import SentForm, ShownPage
from quipu.kinds.episodes.extraction.loops.model import LOOP_KINDS, LOOP_STATES

router = page_router()

_SHOWN: Final = 40


@router.get("/episodes/loops")
async def show(
    page: ShownPage,
    user: Word = None,
    session: Word = None,
    kind: Word = None,
    state: Word = None,
    after: Word = None,
) -> Response:
    """Show the open loops, or the closed ones; latest first."""
    if not page.space:
        return page.render("nothing.html", title="Open loops")
    shown = state if state in LOOP_STATES else "open"
    narrowed = {"user": user, "session": session, "kind": kind}
    rows = await page.memory.loops.list(
        space=page.space,
        user=user,
        session=session,
        kind=kind,  # pyright: ignore[reportArgumentType] - it is checked where it is taken
        state=shown,
        after=after,
        limit=_SHOWN + 1,
    )
    part = slice_of(rows, size=_SHOWN, key=lambda one: str(one.id))
    return page.render(
        "loops.html",
        loops=part.rows,
        chosen={**narrowed, "state": shown},
        kinds=LOOP_KINDS,
        states=LOOP_STATES,
        wrong=await of_kind(page, "loop"),
        next=part.after and page.link("/episodes/loops", **narrowed, state=state, after=part.after),
        first=after and page.link("/episodes/loops", **narrowed, state=state),
    )


@router.post("/episodes/loops/{number}/close")
async def close(
    page: SentForm,
    number: str,
    outcome: Annotated[Literal["resolved", "dropped"], Form()] = "resolved",
    evidence: Filled = None,
) -> Response:
    """Close a loop: it came about, or nobody wants it any more."""
    done = await page.memory.loops.close(number, space=page.space, evidence=evidence, outcome=outcome)
    return page.back(page.link("/episodes/loops"), news=f"It is {done.outcome}: {done.text}")


@router.post("/episodes/loops/{number}/reopen")
async def reopen(page: SentForm, number: str) -> Response:
    """Open a loop again."""
    done = await page.memory.loops.reopen(number, space=page.space)
    return page.back(page.link("/episodes/loops"), news=f"It is open again: {done.text}")
