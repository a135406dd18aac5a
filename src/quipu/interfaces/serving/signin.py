"""Signing in: a link that works once, exchanged for a session of a browser.

Sessions live in the memory of the process and end with it: whoever can restart the server can sign in again,
and nothing that opens the memory lies on a disk.
"""

from __future__ import annotations

import hmac
import re
import secrets
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Final

from starlette.requests import HTTPConnection

_COOKIE: Final = "quipu_session"
CSRF_FIELD: Final = "csrf_token"
CSRF_HEADER: Final = "x-csrf-token"
_MOST: Final = 100
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
    """A browser that is signed in. ``csrf`` is what its forms bring back, to show that they are ours."""

    id: str
    csrf: str
    since: float

    def sent(self, token: object) -> bool:
        """Return True if a form or a script of ours sent this."""
        return isinstance(token, str) and hmac.compare_digest(token.encode(), self.csrf.encode())


class SignIn:
    """The sign-in links and sessions of one process; the last 100 sessions are kept."""

    def __init__(self, *, session_seconds: float, clock: Callable[[], float] = monotonic) -> None:
        self._session_seconds = session_seconds
        self._clock = clock
        self._token = secrets.token_urlsafe(32)
        self._sessions: OrderedDict[str, BrowserSession] = OrderedDict()

    @property
    def token(self) -> str:
        """The token that signs somebody in, once; another one after that."""
        return self._token

    def redeem(self, token: str) -> BrowserSession | None:
        """Exchange the token for a new session, once; return None for any other token."""
        if not hmac.compare_digest(token.encode(), self._token.encode()):
            return None
        self._token = secrets.token_urlsafe(32)
        session = BrowserSession(secrets.token_urlsafe(32), secrets.token_urlsafe(32), self._clock())
        self._sessions[session.id] = session
        if len(self._sessions) > _MOST:
            self._sessions.popitem(last=False)
        return session

    def session(self, cookie: str | None) -> BrowserSession | None:
        """Return the session of a cookie, if it is not over."""
        session = self._sessions.get(cookie or "")
        if session is not None and self._clock() - session.since > self._session_seconds:
            del self._sessions[session.id]
            return None
        return session

    def end(self, session: BrowserSession) -> None:
        """Sign out."""
        self._sessions.pop(session.id, None)
