"""The context of a page: who looks, at which space, how a page is rendered, and news for the next page."""

from __future__ import annotations

import base64
import binascii
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from typing import Annotated, Any, Final, Literal, cast

import orjson
from fastapi import Depends, Query, Request
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse, RedirectResponse, Response

from quipu.app.memory import AsyncMemory
from quipu.interfaces.serving.login import Posted, SignedIn
from quipu.interfaces.serving.served import served
from quipu.interfaces.serving.signin import of_port
from quipu.interfaces.web import files, formats, navigation, plots
from quipu.interfaces.web.links import Value, is_ours, link
from quipu.upkeep.erasure.model import Left

THEME: Final = "quipu_theme"
THEMES: Final = ("auto", "light", "dark")
_MOST_LISTED = 200
_SPACES_SECONDS = 2.0


KEEP_SECONDS: Final = 60
COOKIE: Final = "quipu_said"
_MOST_CHARACTERS: Final = 500

Tone = Literal["good", "bad"]


Names = dict[str, Any]
_FILTERS: Final = (
    formats.number,
    formats.size,
    formats.moment,
    formats.day,
    formats.ago,
    formats.counted,
    formats.shown,
)


@cache
def environment() -> Environment:
    """Return the one environment: values in a page are escaped, and a missing one is an error."""
    made = Environment(
        loader=PackageLoader("quipu.interfaces.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters, names = cast("Names", made.filters), cast("Names", made.globals)
    filters.update({one.__name__: one for one in _FILTERS})
    names.update({"static": files.address, "plots": plots})
    return made


@dataclass(frozen=True, slots=True)
class Notice:
    """A sentence for the reader, and whether it is good news."""

    text: str
    tone: Tone = "good"

    def cookie(self) -> str:
        """Return the news as the value of a cookie; a long sentence is cut."""
        text = (
            self.text
            if len(self.text) <= _MOST_CHARACTERS
            else f"{self.text[: _MOST_CHARACTERS - 1].rstrip()}…"
        )
        return base64.urlsafe_b64encode(orjson.dumps([self.tone, text])).decode("ascii")


def read(cookie: str | None) -> Notice | None:
    """Read the news from a cookie; None if there is none, or it is not ours."""
    if not cookie:
        return None
    try:
        tone, text = orjson.loads(base64.urlsafe_b64decode(cookie))
    except (binascii.Error, ValueError, TypeError):
        return None
    if not isinstance(text, str):
        return None
    return Notice(text[:_MOST_CHARACTERS], "bad" if tone == "bad" else "good")


@dataclass(frozen=True, slots=True)
class PageContext:
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

    def link(self, path: str, /, **query: Value) -> str:
        """Return the address of a page in this space."""
        return link(path, {"space": self.space, **query})

    def render(self, template: str, /, status: int = 200, **values: Any) -> Response:
        """Render a template with values."""
        cookie = of_port(COOKIE, self.request)
        news = read(self.request.cookies.get(cookie))
        html = _render(self.request, template, page=self, said=news, link=self.link, **values)
        response = HTMLResponse(html, status)
        if news is not None:
            response.delete_cookie(cookie)
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
        left: Sequence[Left] = (),
        values: Mapping[str, str] | None = None,
    ) -> Response:
        """Show a page that asks before a destructive act: its form posts ``confirmed=yes``.

        ``counts`` is what would go, by name; ``left`` is where names of a person would stay; ``values`` are
        sent along with the form.
        """
        return self.render(
            "confirm.html",
            title=title,
            sentence=sentence,
            action=action,
            button=button,
            back=back,
            counts=counts or {},
            left=left,
            values=values or {},
        )

    def back(self, address: str, *, news: str | None = None, bad: bool = False) -> Response:
        """Send the browser on to a page of ours, which says what was done."""
        response = RedirectResponse(address if is_ours(address) else "/", 303)
        if news is not None:
            notice = Notice(news, "bad" if bad else "good")
            response.set_cookie(
                of_port(COOKIE, self.request),
                notice.cookie(),
                max_age=KEEP_SECONDS,
                httponly=True,
                samesite="strict",
            )
        return response


async def shown_page(
    request: Request, who: SignedIn, space: Annotated[str | None, Query(max_length=1000)] = None
) -> PageContext:
    """Return the page of somebody who is signed in.

    Raises:
        KeyRefused: nobody is.
    """
    memory = served(request).memory
    spaces = await _spaces(request, memory)
    return PageContext(memory, request, space or next(iter(spaces), ""), spaces, who.csrf)


async def sent_form(page: Annotated[PageContext, Depends(shown_page)], _: Posted) -> PageContext:
    """Return the page of somebody who sends a form that we have shown to them.

    Raises:
        AccessRefused: the form does not carry their token.
    """
    return page


ShownPage = Annotated[PageContext, Depends(shown_page)]
SentForm = Annotated[PageContext, Depends(sent_form)]


def page_of(request: Request, problem: Mapping[str, object]) -> Response:
    """Show the page of an error, from its problem document."""
    space = request.query_params.get("space")

    def linked(path: str, /, **query: Value) -> str:
        return link(path, {"space": space, **query})

    html = _render(request, "error.html", page=None, said=None, link=linked, problem=problem)
    return HTMLResponse(html, int(str(problem["status"])))


def theme(request: Request) -> str:
    """Return the colours that the visitor chose: ``auto`` follows their system."""
    chosen = request.cookies.get(THEME, "auto")
    return chosen if chosen in THEMES else "auto"


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
    """Return the names of the spaces, asked for again after two seconds."""
    kept: tuple[float, tuple[str, ...]] | None = getattr(request.app.state, "space_names", None)
    if kept is not None and time.monotonic() - kept[0] < _SPACES_SECONDS:
        return kept[1]
    names = tuple(await memory.space_names())
    request.app.state.space_names = (time.monotonic(), names)
    return names
