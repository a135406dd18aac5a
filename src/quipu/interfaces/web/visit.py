"""A visit: who looks, at which space, and how a page is made for them."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Annotated, Any, Final, Protocol

from fastapi import Depends, Form, Query, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from quipu import AsyncMemory
from quipu.interfaces.web import navigation, said
from quipu.interfaces.web.drawing import environment
from quipu.interfaces.web.links import Value, is_ours, link

THEME: Final = "quipu_theme"
THEMES: Final = ("auto", "light", "dark")
_MOST_LISTED = 200
_SPACES_SECONDS = 2.0


class NotSignedIn(Exception):
    """Nobody is signed in: a signal to `PageRoute`, which shows how to."""


class Forged(Exception):
    """A form was sent that no page of ours has shown: a signal to `PageRoute`."""


class Gate(Protocol):
    """Knows who is signed in."""

    def token(self, request: Request) -> str | None:
        """What forms of this visitor must carry; None where nobody is signed in."""
        ...

    def admits(self, request: Request, token: str) -> bool:
        """Whether a form with this token was shown to this visitor by us."""
        ...


@dataclass(frozen=True, slots=True)
class Visit:
    """One request for a page by somebody who is signed in.

    ``space`` is the one that is looked at; empty where the memory has none yet. ``token`` is what its forms
    carry.
    """

    memory: AsyncMemory
    request: Request
    space: str
    spaces: tuple[str, ...]
    token: str
    now: datetime = field(default_factory=lambda: datetime.now(UTC))

    def link(self, path: str, **query: Value) -> str:
        """The address of a page in this space."""
        return link(path, {"space": self.space, **query})

    def page(self, template: str, /, status: int = 200, **values: Any) -> Response:
        """The page that a template makes of values."""
        news = said.read(self.request.cookies.get(said.COOKIE))
        html = _render(self.request, template, visit=self, said=news, link=self.link, **values)
        response = HTMLResponse(html, status)
        if news is not None:
            response.delete_cookie(said.COOKIE)
        return response

    def confirm(
        self,
        *,
        title: str,
        sentence: str,
        action: str,
        button: str,
        back: str,
        counts: Mapping[str, int] | None = None,
        values: Mapping[str, str] | None = None,
    ) -> Response:
        """The page that asks before something is done which takes away: its form posts ``confirmed=yes``.

        ``counts`` is what would go, by name; ``values`` are sent along with the form.
        """
        return self.page(
            "confirm.html",
            title=title,
            sentence=sentence,
            action=action,
            button=button,
            back=back,
            counts=counts or {},
            values=values or {},
        )

    def back(self, address: str, *, news: str | None = None, bad: bool = False) -> Response:
        """Send the browser on to a page of ours, which says what was done."""
        response = RedirectResponse(address if is_ours(address) else "/", 303)
        if news is not None:
            told = said.Said(news, "bad" if bad else "good")
            response.set_cookie(
                said.COOKIE, told.cookie(), max_age=said.KEEP_SECONDS, httponly=True, samesite="strict"
            )
        return response


async def visiting(request: Request, space: Annotated[str | None, Query(max_length=1000)] = None) -> Visit:
    """The visit of somebody who is signed in.

    Raises:
        NotSignedIn: nobody is.
    """
    gate: Gate = request.app.state.gate
    token = gate.token(request)
    if token is None:
        raise NotSignedIn
    memory: AsyncMemory = request.app.state.memory
    spaces = await _spaces(request, memory)
    return Visit(memory, request, space or next(iter(spaces), ""), spaces, token)


async def posting(visit: Annotated[Visit, Depends(visiting)], token: Annotated[str, Form()] = "") -> Visit:
    """The visit of somebody who sends a form that we have shown to them.

    Raises:
        Forged: the form does not carry their token.
    """
    gate: Gate = visit.request.app.state.gate
    if not gate.admits(visit.request, token):
        raise Forged
    return visit


Visiting = Annotated[Visit, Depends(visiting)]
Posting = Annotated[Visit, Depends(posting)]


def plain_page(request: Request, template: str, status: int, **values: Any) -> Response:
    """A page for somebody of whom nothing is known: to sign in, or told of an error."""
    return HTMLResponse(_render(request, template, visit=None, said=None, link=_bare_link, **values), status)


def theme(request: Request) -> str:
    """The colours that the visitor chose: ``auto`` follows their system."""
    chosen = request.cookies.get(THEME, "auto")
    return chosen if chosen in THEMES else "auto"


def _bare_link(path: str, **query: Value) -> str:
    return link(path, query)


def _render(request: Request, template: str, **values: Any) -> str:
    return (
        environment()
        .get_template(template)
        .render(
            path=request.url.path,
            here=str(request.url.path) + (f"?{request.url.query}" if request.url.query else ""),
            theme=theme(request),
            request_is_get=request.method == "GET",
            navigation=navigation,
            most_listed=_MOST_LISTED,
            **values,
        )
    )


async def _spaces(request: Request, memory: AsyncMemory) -> tuple[str, ...]:
    """The names of the spaces, asked for again after two seconds."""
    kept: tuple[float, tuple[str, ...]] | None = getattr(request.app.state, "space_names", None)
    if kept is not None and time.monotonic() - kept[0] < _SPACES_SECONDS:
        return kept[1]
    names = tuple(await memory.space_names())
    request.app.state.space_names = (time.monotonic(), names)
    return names
