"""The spaces of the database, and how much each holds."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import Query
from starlette.responses import Response

from quipu.interfaces.web.fields import page_router, slice_of
from quipu.interfaces.web.links import link
from quipu.interfaces.web.page_context import ShownPage

router = page_router()

_SIZE: Final = 100


@router.get("/spaces")
async def show(page: ShownPage, after: Annotated[str | None, Query(max_length=1000)] = None) -> Response:
    """Show spaces by name, a hundred at a time."""
    rows = await page.memory.spaces(after=after, limit=_SIZE + 1)
    part = slice_of(rows, size=_SIZE, key=lambda one: one.name)
    return page.render(
        "spaces.html",
        spaces=part.rows,
        addresses={one.name: _addresses(one.name) for one in part.rows},
        first=page.link("/spaces") if after else "",
        next=page.link("/spaces", after=part.after) if part.after else "",
    )


def _addresses(name: str) -> tuple[str, str]:
    """Return the addresses where a space is seen, and where it is forgotten."""
    return link("/", {"space": name}), link("/erasure", {"space": name, "whole": True})
