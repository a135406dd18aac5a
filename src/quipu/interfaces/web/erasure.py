"""Erasure: what would go, and when it went, the receipt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from fastapi import Form, Query
from starlette.responses import Response

from quipu.interfaces.web.page import page_router
from quipu.interfaces.web.visit import Posting, Visiting

router = page_router()

_Name = Annotated[str | None, Query(max_length=1000)]


@router.get("/erasure")
async def page(
    visit: Visiting, session: _Name = None, user: _Name = None, message: _Name = None, whole: bool = False
) -> Response:
    """Choose what is to be forgotten; once chosen, see what that would take."""
    what = {"session": session or None, "user": user or None, "message": message or None}
    if not visit.space or not (whole or any(what.values())):
        return visit.page("erasure.html")
    found = await visit.memory.forget(space=visit.space, **what)
    return visit.confirm(
        title=f"Forget {_told(what)}?",
        sentence="It goes from every table and index, at once and for good. A receipt without content is kept.",
        counts=_counts(found.counts),
        action=visit.link("/erasure", **what),
        button="Forget it",
        back=visit.link("/erasure"),
        values={"whole": "yes"} if whole else {},
    )


@router.post("/erasure")
async def erase(
    visit: Posting,
    session: _Name = None,
    user: _Name = None,
    message: _Name = None,
    whole: Annotated[bool, Form()] = False,
    confirmed: Annotated[bool, Form()] = False,
) -> Response:
    """Forget, and show the receipt."""
    what = {"session": session or None, "user": user or None, "message": message or None}
    if not confirmed or not (whole or any(what.values())):
        return visit.back(visit.link("/erasure", **what))
    done = await visit.memory.forget(space=visit.space, confirm=True, **what)
    return visit.page("receipt.html", done=done, what=_told(what), counts=_counts(done.counts))


def _counts(counts: Mapping[str, int]) -> dict[str, int]:
    """Tables from which something goes, the most first."""
    return dict(sorted(((k, n) for k, n in counts.items() if n), key=lambda pair: -pair[1]))


def _told(what: Mapping[str, str | None]) -> str:
    named = [f"the {kind} {name!r}" for kind, name in what.items() if name]
    return " in ".join(reversed(named)) if named else "the whole space"
