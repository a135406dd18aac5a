"""The way in for people: the sign-in link, signing out, and what pages need to know of who looks.

    @router.get("/ledger")
    async def page(who: SignedIn, …): …  # without a session: to the page that says how to sign in

    @router.post("/ledger/correct")
    async def correct(form: Posted, who: SignedIn): …

Each form has ``<input type="hidden" name="csrf_token" value="{{ who.csrf }}">``; scripts of ours send the
same token as the header X-CSRF-Token.
"""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Depends, Request
from starlette.datastructures import FormData
from starlette.responses import HTMLResponse, RedirectResponse, Response

from quipu.errors import AccessRefused, KeyRefused
from quipu.interfaces.serving.served import served
from quipu.interfaces.serving.signin import CSRF_FIELD, CSRF_HEADER, BrowserSession, session_cookie
from quipu.kernel.db.turns import set_caller

router = APIRouter(include_in_schema=False)

_PAGE: Final = """<!doctype html>
<html lang="en" data-theme="auto">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Sign in · Quipu</title>
<link rel="icon" type="image/svg+xml" href="/static/icon.svg">
<link rel="stylesheet" href="/static/style.css">
</head>
<body>
<main>
<h1>Sign in</h1>
<p>{told}</p>
<p>Open the link that <code>quipu serve</code> printed where it runs. A link works once, for a day; the
signal <code>USR1</code> has the server print another.</p>
</main>
</body>
</html>
"""


async def signed_in(request: Request) -> BrowserSession:
    """Return the session of the browser that asks.

    Raises:
        KeyRefused: it has none; pages are answered with the way to the page that says how to sign in.
        TooManyRequests: it asks too often.
    """
    serving = served(request)
    session = await serving.signin.session(request.cookies.get(session_cookie(request)))
    if session is None:
        raise KeyRefused("You are not signed in.", hint="Open the link that `quipu serve` printed.")
    serving.access.pace(f"session {session.id}", serving.terms.session_per_minute)
    set_caller("session")
    return session


SignedIn = Annotated[BrowserSession, Depends(signed_in)]


async def posted(request: Request, session: SignedIn) -> FormData:
    """Return the form that a page of ours sent.

    Raises:
        AccessRefused: it came from elsewhere.
    """
    form = await request.form()
    if not session.sent(request.headers.get(CSRF_HEADER) or form.get(CSRF_FIELD)):
        raise AccessRefused(
            "This form did not come from a page of yours.", hint="Load the page again, then send it again."
        )
    return form


Posted = Annotated[FormData, Depends(posted)]


@router.get("/signin")
async def signin(request: Request, token: str = "") -> Response:
    """Exchange the token of a link for a session; without one, say how to get one."""
    serving = served(request)
    if await serving.signin.session(request.cookies.get(session_cookie(request))) is not None:
        return RedirectResponse("/", 303)
    session = await serving.signin.redeem(token) if token else None
    if session is None:
        reason = "This link was used, or is not of this server." if token else "Nobody is signed in here."
        return HTMLResponse(_PAGE.format(told=reason), 403 if token else 401)
    answer = RedirectResponse("/", 303)
    answer.set_cookie(
        session_cookie(request),
        session.id,
        max_age=int(serving.terms.session_seconds),
        httponly=True,
        samesite="strict",
        secure=serving.terms.secure_cookies or request.url.scheme == "https",
    )
    return answer


@router.post("/signout")
async def signout(request: Request, form: Posted, session: SignedIn) -> Response:  # noqa: ARG001 - form: checked
    """End the session of this browser."""
    await served(request).signin.end(session)
    answer = RedirectResponse("/signin", 303)
    answer.delete_cookie(session_cookie(request), httponly=True, samesite="strict")
    return answer
