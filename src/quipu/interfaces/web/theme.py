"""The colours that a visitor chose, kept by their browser."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Form
from starlette.responses import Response

from quipu.interfaces.web.page import page_router
from quipu.interfaces.web.page_context import THEME, Posting

router = page_router()

_KEEP_SECONDS = 365 * 86_400


@router.post("/theme")
async def choose(
    visit: Posting,
    theme: Annotated[Literal["auto", "light", "dark"], Form()],
    back: Annotated[str, Form()] = "/",
) -> Response:
    """Keep the choice, and show the page again."""
    response = visit.back(back)
    response.set_cookie(THEME, theme, max_age=_KEEP_SECONDS, httponly=True, samesite="strict")
    return response
