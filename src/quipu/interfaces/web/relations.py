"""The page of a message's links: what it replaces, what replaces it, and saying so or taking it back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

from fastapi import Depends, Form, Query
from starlette.responses import Response

from quipu.interfaces.web.fields import Filled, Text, Word, page_router
from quipu.interfaces.web.page_context import PageContext, SentForm, ShownPage
from quipu.record.replacements import Replacement

router = page_router()

PLACE: Final = "/recall/relations"
_NEWER, _OLDER = "it", "other"
WHICH: Final = ((_NEWER, "It replaces the other"), (_OLDER, "The other replaces it"))


@dataclass(frozen=True, slots=True)
class Shown:
    """A link as the page shows it: which of both holds, and the fields that name the other message."""

    link: Replacement
    fields: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """The message whose links are shown, as the address names it."""

    message: Annotated[str, Query(max_length=1000)]
    session: Word = None

    def link(self, page: PageContext, act: str = "") -> str:
        """Return the address of its page, or of an act on it."""
        return page.link(PLACE + act, message=self.message, session=self.session)


Looked = Annotated[Message, Depends(Message)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Other:
    """The other message of a link, and which of both replaces the other."""

    other: Text
    other_session: Filled = None
    newer: Annotated[Literal["it", "other"], Form()] = "it"

    def ends(self, one: Message) -> dict[str, Any]:
        """Return both messages as operations name them."""
        here, there = (one.message, one.session), (self.other, self.other_session)
        newer, older = (here, there) if self.newer == _NEWER else (there, here)
        return {
            "newer": newer[0],
            "older": older[0],
            "newer_session": newer[1],
            "older_session": older[1],
        }


OtherForm = Annotated[Other, Depends(Other)]


@router.get(PLACE)
async def show(page: ShownPage, one: Looked) -> Response:
    """Show the replacement links of a message."""
    relations = await page.memory.relations(one.message, space=page.space, session=one.session)
    return page.render(
        "relations.html",
        one=one,
        links=[Shown(link, _fields(link, one)) for link in relations],
        which=WHICH,
        relate=one.link(page, "/relate"),
        unrelate=one.link(page, "/unrelate"),
    )


@router.post(f"{PLACE}/relate")
async def relate(page: SentForm, one: Looked, form: OtherForm, reason: Filled = None) -> Response:
    """Say that one of two messages replaces the other."""
    await page.memory.relate(**form.ends(one), space=page.space, reason=reason)
    return page.back(one.link(page), news="The link is saved.")


@router.post(f"{PLACE}/unrelate")
async def unrelate(page: SentForm, one: Looked, form: OtherForm) -> Response:
    """Take a link back."""
    await page.memory.unrelate(**form.ends(one), space=page.space)
    return page.back(one.link(page), news="The link is removed; no rule makes it again.")


def _fields(link: Replacement, one: Message) -> dict[str, str]:
    """Return the fields of a form that name a link, seen from one of its messages."""
    newer, older = link.newer.source, link.older.source
    is_newer = newer.message == one.message and (
        newer.session == one.session or (older.message, older.session) != (one.message, one.session)
    )
    other = older if is_newer else newer
    return {
        "other": other.message or "",
        "other_session": other.session or "",
        "newer": _NEWER if is_newer else _OLDER,
    }
