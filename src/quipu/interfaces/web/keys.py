"""API keys: made, listed, ended."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from fastapi import Form
from starlette.responses import Response

from quipu.interfaces.serving.served import served
from quipu.interfaces.web.fields import page_router
from quipu.interfaces.web.page_context import PageContext, SentForm, ShownPage
from quipu.upkeep.keys.model import LEVELS, Issued, Level

router = page_router()

_MOST_SHOWN: Final = 200
_TOLD: Final = {
    "read": "read: recall and look",
    "write": "write: and take in, correct",
    "admin": "admin: and forget, restore",
}


@router.get("/keys")
async def show(page: ShownPage) -> Response:
    """Show every key, newest first."""
    return await _page(page, None)


@router.post("/keys")
async def create(
    page: SentForm,
    name: Annotated[str, Form(max_length=1000)],
    opens: Annotated[Literal["one", "all"], Form()],
    user: Annotated[str, Form(max_length=1000)] = "",
    level: Annotated[Level, Form()] = "read",
    requests_per_minute: Annotated[int, Form()] = 600,
) -> Response:
    """Make a key, and show its token this once."""
    issued = await page.memory.keys.create(
        name.strip(),
        space=page.space if opens == "one" else None,
        user=user.strip() or None,
        level=level,
        requests_per_minute=requests_per_minute,
    )
    return await _page(page, issued)


@router.get("/keys/{key_id}/revoke")
async def ask(page: ShownPage, key_id: str) -> Response:
    """Ask before a key is ended."""
    return page.confirm(
        title="Revoke this key?",
        sentence=f"Programs with the key {key_id} lose access. This cannot be undone.",
        action=page.link(f"/keys/{key_id}/revoke"),
        button="Revoke",
        back=page.link("/keys"),
    )


@router.post("/keys/{key_id}/revoke")
async def revoke(page: SentForm, key_id: str) -> Response:
    """Revoke a key."""
    ended = await page.memory.keys.revoke(key_id, confirm=True)
    served(page.request).access.forget()
    return page.back(page.link("/keys"), news=f"The key {ended.name!r} is revoked.")


async def _page(page: PageContext, issued: Issued | None) -> Response:
    """Show the list; with the token of a key that was just made, which no browser may keep."""
    keys = await page.memory.keys.list()
    levels = [(one, _TOLD[one]) for one in LEVELS]
    shown = page.render(
        "keys.html", keys=keys[:_MOST_SHOWN], more=len(keys) - _MOST_SHOWN, issued=issued, levels=levels
    )
    shown.headers["Cache-Control"] = "no-store"
    return shown
