"""The page of settings, and the colours that a visitor chose, which their browser keeps."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Annotated, Final, Literal

from fastapi import Form
from starlette.responses import Response

from quipu.interfaces.web.fields import page_router
from quipu.interfaces.web.page_context import THEME, SentForm, ShownPage
from quipu.upkeep.settings.model import SettingState

router = page_router()

_SOURCES: Final = {
    "argument": "given to this program",
    "environment": "environment",
    "space": "kept for this space",
    "database": "kept for every space",
    "default": "default",
}
_For = Annotated[Literal["all", "one"], Form()]


_KEEP_SECONDS = 365 * 86_400


@router.post("/theme")
async def choose(
    page: SentForm,
    theme: Annotated[Literal["auto", "light", "dark"], Form()],
    back: Annotated[str, Form()] = "/",
) -> Response:
    """Keep the choice, and show the page again."""
    response = page.back(back)
    response.set_cookie(THEME, theme, max_age=_KEEP_SECONDS, httponly=True, samesite="strict")
    return response


@router.get("/config/settings")
async def show(page: ShownPage) -> Response:
    """Show every setting, by subject."""
    states = await page.memory.settings.list(space=page.space or None)
    return page.render("settings.html", groups=_groups(states), sources=_SOURCES)


@router.get("/config/settings/{name}")
async def one(page: ShownPage, name: str) -> Response:
    """Show one setting, to be changed."""
    state = await page.memory.settings.get(name, space=page.space or None)
    return page.render("setting.html", state=state, sources=_SOURCES, bounds=_bounds(state))


@router.post("/config/settings/{name}")
async def change(
    page: SentForm,
    name: str,
    value: Annotated[str, Form(max_length=10_000)] = "",
    where: _For = "all",
    act: Annotated[Literal["set", "reset"], Form()] = "set",
    back: Annotated[str, Form()] = "",
) -> Response:
    """Keep a value, or forget the one that is kept."""
    settings, space = page.memory.settings, page.space if where == "one" else None
    if act == "reset":
        state = await settings.reset(name, space=space)
    else:
        state = await settings.set(name, value.strip(), space=space)
    return page.back(back or page.link(f"/config/settings/{state.name}"), news=_news(state))


def _groups(states: Sequence[SettingState]) -> list[tuple[str, list[SettingState]]]:
    """Group the settings by kind, in the order in which they came."""
    return [(kind, list(group)) for kind, group in groupby(states, key=lambda state: state.kind)]


def _bounds(state: SettingState) -> dict[str, str]:
    """Return the bounds and step for the field of a number."""
    if state.type not in ("whole number", "number"):
        return {}
    ends = {"min": state.least, "max": state.most}
    step = {"step": "1" if state.type == "whole number" else "any"}
    return {name: f"{end:.15g}" for name, end in ends.items() if end is not None} | step


def _news(state: SettingState) -> str:
    news = f"{state.name} is {state.value} now ({_SOURCES[state.source]})."
    return (
        f"{news} What is kept does not hold here: {state.variable} comes first." if state.overridden else news
    )
