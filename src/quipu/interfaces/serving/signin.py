"""Signing in: a link that works once, exchanged for a session of a browser.

The database has hashes of both, so every process of a server knows them, and nothing that opens the memory
lies on a disk.
"""

from __future__ import annotations

import hmac
import re
from dataclasses import dataclass
from typing import Final

from starlette.requests import HTTPConnection

from quipu.app.memory import AsyncMemory
from quipu.interfaces.serving.lookups import Lookups

_COOKIE: Final = "quipu_session"
CSRF_FIELD: Final = "csrf_token"
CSRF_HEADER: Final = "x-csrf-token"
_FRESH_SECONDS: Final = 1.0
_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{43}\Z", re.ASCII)
_PORT: Final = re.compile(r":(\d{1,5})\Z")


def of_port(name: str, request: HTTPConnection) -> str:
    """Return a cookie name of this server: browsers keep one set of cookies for all ports of a host.

    The port is the one that the browser asked, which a proxy or a container may have given another number.
    """
    port = _PORT.search(request.headers.get("host", ""))
    return f"{name}_{port[1] if port else 443 if request.url.scheme == 'https' else 80}"


def session_cookie(request: HTTPConnection) -> str:
    """Return the name of the cookie that holds the session of a browser."""
    return of_port(_COOKIE, request)


@dataclass(frozen=True, slots=True)
class BrowserSession:
    """A browser that is signed in; ``id`` is what its cookie holds."""

    id: str

    @property
    def csrf(self) -> str:
        """The token that its forms bring back, to show that they are ours."""
        return hmac.digest(self.id.encode(), b"form", "sha256").hex()

    def sent(self, token: object) -> bool:
        """Return True if a form or a script of ours sent this."""
        return isinstance(token, str) and hmac.compare_digest(token.encode(), self.csrf.encode())


class SignIn:
    """The browsers that are signed in, as it was a second ago at most."""

    def __init__(self, memory: AsyncMemory, *, session_seconds: float) -> None:
        self._memory = memory
        self._session_seconds = session_seconds
        self._sessions: Lookups[BrowserSession] = Lookups(self._open, seconds=_FRESH_SECONDS)

    async def redeem(self, token: str) -> BrowserSession | None:
        """Exchange the token of a link for a new session, once; return None for any other token."""
        if not _TOKEN.match(token):
            return None
        session = await self._memory.signins.redeem(token, seconds=self._session_seconds)
        return None if session is None else BrowserSession(session)

    async def session(self, cookie: str | None) -> BrowserSession | None:
        """Return the session of a cookie, if it is not over."""
        return await self._sessions.find(cookie) if cookie and _TOKEN.match(cookie) else None

    async def end(self, session: BrowserSession) -> None:
        """Sign out."""
        await self._memory.signins.sign_out(session.id)
        self._sessions.forget()

    async def _open(self, cookie: str) -> BrowserSession | None:
        return BrowserSession(cookie) if await self._memory.signins.is_signed_in(cookie) else None
