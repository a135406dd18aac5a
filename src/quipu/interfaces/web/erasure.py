"""Erasure: what would go, and when it went, the receipt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from fastapi import Depends, Form, Query
from starlette.responses import Response

from quipu.interfaces.serving.confirmation import shown, token
from quipu.interfaces.web.fields import Sure, page_router
from quipu.interfaces.web.page_context import PageContext, SentForm, ShownPage
from quipu.upkeep.erasure.model import Erasure, What

router = page_router()

_Name = Annotated[str, Query(max_length=1000)]


def what(session: _Name = "", user: _Name = "", message: _Name = "") -> What:
    """Read from the address what to forget; an empty field names nothing."""
    return What(session=session or None, user=user or None, message=message or None)


Chosen = Annotated[What, Depends(what)]


@router.get("/erasure")
async def show(
    page: ShownPage, chosen: Chosen, whole: bool = False, names: _Name = "", everywhere: bool = False
) -> Response:
    """Choose what is to be forgotten; once chosen, see what that would take."""
    if not page.space or (chosen.everything and not whole):
        return page.render("erasure.html")
    erasure = await _forget(page, chosen, names=names, everywhere=everywhere, confirm=False)
    return page.confirm(
        title=f"Forget {_name(chosen)}?",
        sentence="It goes from every table and index, at once and for good. A receipt without content stays.",
        counts=_counts(erasure.counts),
        left=erasure.left,
        action=_address(page, chosen, names=names, everywhere=everywhere),
        button="Forget",
        back=page.link("/erasure"),
        values={
            "token": token("forget", _shown(erasure, names, everywhere=everywhere)),
            **({"whole": "yes"} if chosen.everything else {}),
        },
    )


@router.post("/erasure")
async def erase(
    page: SentForm,
    chosen: Chosen,
    names: _Name = "",
    everywhere: bool = False,
    whole: Sure = False,
    confirmed: Sure = False,
    given: Annotated[str, Form(alias="token")] = "",
) -> Response:
    """Forget, and show the receipt. The whole space only goes where the form says so.

    What would go and changed since it was shown is shown again.
    """
    if not page.space or not confirmed or (chosen.everything and not whole):
        return page.back(_address(page, chosen))
    seen = await _forget(page, chosen, names=names, everywhere=everywhere, confirm=False)
    if given != token("forget", _shown(seen, names, everywhere=everywhere)):
        return await show(page, chosen, whole=whole, names=names, everywhere=everywhere)
    done = await _forget(page, chosen, names=names, everywhere=everywhere, confirm=True)
    return page.render("receipt.html", done=done, what=_name(chosen), counts=_counts(done.counts))


def _shown(erasure: Erasure, names: str, *, everywhere: bool) -> Mapping[str, object]:
    return shown(erasure, _names(names), everywhere=everywhere)


def _names(text: str) -> list[str]:
    return [name for name in map(str.strip, text.split(",")) if name]


async def _forget(page: PageContext, chosen: What, *, names: str, everywhere: bool, confirm: bool) -> Erasure:
    return await page.memory.forget(
        space=page.space,
        session=chosen.session,
        user=chosen.user,
        message=chosen.message,
        names=_names(names),
        everywhere=everywhere,
        confirm=confirm,
    )


def _address(page: PageContext, chosen: What, *, names: str = "", everywhere: bool = False) -> str:
    return page.link(
        "/erasure",
        session=chosen.session,
        user=chosen.user,
        message=chosen.message,
        names=names or None,
        everywhere="yes" if everywhere else None,
    )


def _counts(counts: Mapping[str, int]) -> dict[str, int]:
    """Return the tables from which something goes, most first."""
    return dict(sorted(((name, n) for name, n in counts.items() if n), key=lambda pair: -pair[1]))


def _name(chosen: What) -> str:
    named = {"message": chosen.message, "session": chosen.session, "person": chosen.user}
    return " in ".join(f"the {kind} {name!r}" for kind, name in named.items() if name) or "the whole space"
