"""The pages of long-term memory: filtered, written by hand, edited with history, archived by the many."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Any, Final, Literal

from fastapi import Depends, Form
from starlette.responses import Response

from quipu.errors import Conflict
from quipu.interfaces.web.corrections import of_one
from quipu.interfaces.web.fields import Filled, Sure, Text, Word, page_router, slice_of, whole
from quipu.interfaces.web.links import Value
from quipu.interfaces.web.page_context import PageContext, SentForm, ShownPage
from quipu.kernel.base.parameters import STATES, ListState
from quipu.kinds.longterm.model import CATEGORIES, IMPORTANCES, LongtermMemory

router = page_router()

_SHOWN: Final = 50
_REVISIONS: Final = 30
_OWN: Final[dict[str, Any]] = {"categories": CATEGORIES, "importances": IMPORTANCES}


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Filter of memories; None narrows nothing."""

    user: Word = None
    category: Word = None
    importance: Word = None
    text: Word = None

    def given(self) -> dict[str, Any]:
        """Return the filter as the calls of ``memory.longterm`` take it."""
        return asdict(self)


Filtered = Annotated[Filter, Depends(Filter)]


@router.get("/longterm")
async def show(page: ShownPage, chosen: Filtered, state: Word = None, after: Word = None) -> Response:
    """Show the memories, most important first."""
    if not page.space:
        return page.render("nothing.html", title="Long-term memory")
    shown, longterm = _state(state), page.memory.longterm
    rows = await longterm.list(
        space=page.space,
        state=shown,
        limit=_SHOWN + 1,
        after=after,
        **chosen.given(),
    )
    part = slice_of(rows, size=_SHOWN, key=lambda one: one.id)
    query: dict[str, Value] = {**chosen.given(), "state": None if shown == "live" else shown}
    return page.render(
        "longterm.html",
        memories=part.rows,
        counts=await longterm.counts(space=page.space, user=chosen.user),
        chosen=chosen,
        state=shown,
        states=STATES,
        next=part.after and page.link("/longterm", **query, after=part.after),
        first=after and page.link("/longterm", **query),
        many=page.link("/longterm/archive", **chosen.given()) if any(chosen.given().values()) else None,
        **_OWN,
    )


@router.post("/longterm")
async def add(
    page: SentForm,
    summary: Text = "",
    details: Filled = None,
    category: Annotated[str, Form()] = "context",
    importance: Annotated[str, Form()] = "medium",
    user: Filled = None,
) -> Response:
    """Write a memory by hand."""
    kept = await page.memory.longterm.add(
        summary,
        space=page.space,
        category=category,  # pyright: ignore[reportArgumentType] - it is checked where it is taken
        importance=importance,  # pyright: ignore[reportArgumentType]
        details=details,
        user=user,
    )
    news = (
        "The memory is saved." if kept.stated_count == 1 else "That was known already; it is counted again."
    )
    return page.back(page.link(f"/longterm/{kept.id}"), news=news)


@router.get("/longterm/archive")
async def preview(page: ShownPage, chosen: Filtered) -> Response:
    """Show the memories that archiving everything under a filter would take."""
    archived = await page.memory.longterm.archive_many(space=page.space, **chosen.given())
    return page.render(
        "longterm_archive.html",
        memories=archived.memories[:_SHOWN],
        count=len(archived.memories),
        chosen=chosen,
        action=page.link("/longterm/archive", **chosen.given()),
        back=page.link("/longterm", **chosen.given()),
    )


@router.post("/longterm/archive")
async def archive_many(
    page: SentForm, chosen: Filtered, confirmed: Sure = False, reason: Filled = None
) -> Response:
    """Archive all that the filter finds."""
    if not confirmed:
        return page.back(page.link("/longterm/archive", **chosen.given()))
    done = await page.memory.longterm.archive_many(
        space=page.space, reason=reason or "archived on the page", confirm=True, **chosen.given()
    )
    return page.back(
        page.link("/longterm", state="archived", **chosen.given()),
        news=f"Archived: {len(done.memories):,}. Recall no longer finds them; they can be unarchived.",
    )


@router.get("/longterm/{number}")
async def one(page: ShownPage, number: str) -> Response:
    """Show a memory with its history and the words it rests on."""
    return await _shown(page, await page.memory.longterm.get(whole(number), space=page.space))


@router.post("/longterm/{number}/edit")
async def edit(
    page: SentForm,
    number: str,
    expected_version: Annotated[int, Form()],
    summary: Text = "",
    details: Text = "",
    category: Filled = None,
    importance: Filled = None,
    reason: Filled = None,
) -> Response:
    """Change a memory; where somebody else changed it meanwhile, show both and change nothing."""
    longterm = page.memory.longterm
    now = await longterm.get(number, space=page.space)
    yours = {"summary": summary, "details": details, "category": category, "importance": importance}
    try:
        await longterm.edit(
            now.id,
            space=page.space,
            expected_version=expected_version,
            reason=reason,
            **yours,  # pyright: ignore[reportArgumentType] - it is checked where it is taken
        )
    except Conflict:
        now = await longterm.get(number, space=page.space)
        if now.version == expected_version:
            raise
        return await _shown(page, now, yours={**yours, "reason": reason}, seen=expected_version)
    return page.back(page.link(f"/longterm/{now.id}"), news="It is changed; the earlier version is kept.")


@router.post("/longterm/{number}/revert")
async def revert(page: SentForm, number: str, to: Annotated[int, Form()]) -> Response:
    """Have a memory read as an earlier version did."""
    await page.memory.longterm.revert(number, space=page.space, to=to)
    return page.back(page.link(f"/longterm/{number}"), news=f"The text of version {to} is back.")


@router.post("/longterm/{number}/{act}")
async def change(
    page: SentForm, number: str, act: Literal["archive", "unarchive"], reason: Filled = None
) -> Response:
    """Archive a memory, or bring it back."""
    longterm = page.memory.longterm
    if act == "archive":
        await longterm.archive(number, space=page.space, reason=reason)
        news = "The memory is archived: recall no longer finds it; it can be unarchived."
    else:
        await longterm.unarchive(number, space=page.space, reason=reason)
        news = "The memory is unarchived."
    return page.back(page.link(f"/longterm/{number}"), news=news)


async def _shown(
    page: PageContext,
    memory: LongtermMemory,
    *,
    yours: dict[str, str | None] | None = None,
    seen: int | None = None,
) -> Response:
    """Show a memory; after a conflict, also the wording that somebody wanted."""
    longterm, key = page.memory.longterm, whole(memory.id)
    return page.render(
        "longterm_one.html" if yours is None else "longterm_conflict.html",
        status=200 if yours is None else 409,
        one=memory,
        yours=yours,
        seen=seen,
        history=(await longterm.history(key, space=page.space))[:_REVISIONS],
        sources=(await longterm.sources(key, space=page.space))[:_REVISIONS],
        wrong=await of_one(page, "longterm", memory.id),
        edit=page.link(f"/longterm/{memory.id}/edit"),
        **_OWN,
    )


def _state(word: str | None) -> ListState:
    """Return the state that the page is asked for; live memories if it is none."""
    state: ListState | None = next((one for one in STATES if one == word), None)
    return state or "live"
