"""The pages of open loops: what was asked, promised or waited for, to be closed."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from fastapi import Form
from starlette.responses import Response

from quipu.interfaces.web.fields import Filled, Word, page_router, slice_of
from quipu.interfaces.web.page_context import Posting, Visiting
from quipu.kinds.episodes.extraction.loops.model import LOOP_KINDS, LOOP_STATES

router = page_router()

_SHOWN: Final = 40


@router.get("/episodes/loops")
async def page(
    visit: Visiting,
    user: Word = None,
    session: Word = None,
    kind: Word = None,
    state: Word = None,
    after: Word = None,
) -> Response:
    """Show the open loops, or the closed ones; latest first."""
    if not visit.space:
        return visit.page("nothing.html", title="Open loops")
    shown = state if state in LOOP_STATES else "open"
    narrowed = {"user": user, "session": session, "kind": kind}
    rows = await visit.memory.loops.list(
        space=visit.space,
        user=user,
        session=session,
        kind=kind,  # pyright: ignore[reportArgumentType] - it is checked where it is taken
        state=shown,
        after=after,
        limit=_SHOWN + 1,
    )
    part = slice_of(rows, size=_SHOWN, key=lambda one: str(one.id))
    return visit.page(
        "loops.html",
        loops=part.rows,
        chosen={**narrowed, "state": shown},
        kinds=LOOP_KINDS,
        states=LOOP_STATES,
        next=part.after and visit.link("/episodes/loops", **narrowed, state=state, after=part.after),
        first=after and visit.link("/episodes/loops", **narrowed, state=state),
    )


@router.post("/episodes/loops/{number}/close")
async def close(
    visit: Posting,
    number: str,
    outcome: Annotated[Literal["resolved", "dropped"], Form()] = "resolved",
    evidence: Filled = None,
) -> Response:
    """Close a loop: it came about, or nobody wants it any more."""
    done = await visit.memory.loops.close(number, space=visit.space, evidence=evidence, outcome=outcome)
    return visit.back(visit.link("/episodes/loops"), news=f"It is {done.outcome}: {done.text}")


@router.post("/episodes/loops/{number}/reopen")
async def reopen(visit: Posting, number: str) -> Response:
    """Open a loop again."""
    done = await visit.memory.loops.reopen(number, space=visit.space)
    return visit.back(visit.link("/episodes/loops"), news=f"It is open again: {done.text}")
