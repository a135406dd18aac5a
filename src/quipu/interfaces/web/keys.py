"""API keys: made, listed, ended."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from fastapi import Form
from starlette.responses import Response

from quipu.interfaces.serving.served import served
from quipu.interfaces.web.fields import page_router
from quipu.interfaces.web.page_context import PageContext, Posting, Visiting
from quipu.upkeep.keys.model import LEVELS, Issued, Level

router = page_router()

_MOST_SHOWN: Final = 200
_TOLD: Final = {
    "read": "read: recall and look",
    "write": "write: and take in, correct",
    "admin": "admin: and forget, restore",
}


@router.get("/keys")
async def page(visit: Visiting) -> Response:
    """Show every key, newest first."""
    return await _page(visit, None)


@router.post("/keys")
async def create(
    visit: Posting,
    name: Annotated[str, Form(max_length=1000)],
    opens: Annotated[Literal["one", "all"], Form()],
    user: Annotated[str, Form(max_length=1000)] = "",
    level: Annotated[Level, Form()] = "read",
    requests_per_minute: Annotated[int, Form()] = 600,
) -> Response:
    """Make a key, and show its token this once."""
    issued = await visit.memory.keys.create(
        name.strip(),
        space=visit.space if opens == "one" else None,
        user=user.strip() or None,
        level=level,
        requests_per_minute=requests_per_minute,
    )
    return await _page(visit, issued)


@router.get("/keys/{key_id}/revoke")
async def ask(visit: Visiting, key_id: str) -> Response:
    """Ask before a key is ended."""
    return visit.confirm(
        title="Revoke this key?",
        sentence=f"Programs with the key {key_id} lose access. This cannot be undone.",
        action=visit.link(f"/keys/{key_id}/revoke"),
        button="Revoke",
        back=visit.link("/keys"),
    )


@router.post("/keys/{key_id}/revoke")
async def revoke(visit: Posting, key_id: str) -> Response:
    """Revoke a key."""
    ended = await visit.memory.keys.revoke(key_id)
    served(visit.request).access.forget()
    return visit.back(visit.link("/keys"), news=f"The key {ended.name!r} is revoked.")


async def _page(visit: PageContext, issued: Issued | None) -> Response:
    """Show the list; with the token of a key that was just made, which no browser may keep."""
    keys = await visit.memory.keys.list()
    levels = [(one, _TOLD[one]) for one in LEVELS]
    shown = visit.page(
        "keys.html", keys=keys[:_MOST_SHOWN], more=len(keys) - _MOST_SHOWN, issued=issued, levels=levels
    )
    shown.headers["Cache-Control"] = "no-store"
    return shown
