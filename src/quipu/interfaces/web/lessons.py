"""The pages of lessons: what recorded sessions taught; edited, confirmed, archived and brought back."""

from __future__ import annotations

from typing import Final, Literal

from starlette.responses import Response

from quipu.interfaces.web.corrections import of_one
from quipu.interfaces.web.fields import Filled, Text, Word, page_router, slice_of, whole
from quipu.interfaces.web.page_context import SentForm, ShownPage
from quipu.kinds.transcripts.extract.model import CATEGORIES
from quipu.kinds.transcripts.lessons.model import STATES

router = page_router()

_SHOWN: Final = 50
Act = Literal["confirm", "archive", "unarchive"]
_NEWS: Final = {
    "confirm": "Confirmed: its confidence is higher now.",
    "archive": "The lesson is archived: it is not recalled, and can be brought back.",
    "unarchive": "The lesson is unarchived.",
}


@router.get("/transcripts/lessons")
async def show(
    page: ShownPage,
    q: Word = None,
    category: Word = None,
    project: Word = None,
    state: Word = None,
    after: Word = None,
) -> Response:
    """Show the lessons, surest first; or those that answer a question."""
    if not page.space:
        return page.render("nothing.html", title="Lessons")
    lessons = page.memory.lessons
    if q:
        found = await lessons.search(q, space=page.space, category=category, project=project, limit=_SHOWN)
        rows = [one.lesson for one in found]
    else:
        rows = await lessons.list(
            space=page.space,
            state=state or "live",  # pyright: ignore[reportArgumentType] - it is checked where it is taken
            category=category,
            project=project,
            limit=_SHOWN + 1,
            after=after,
        )
    shown = slice_of(rows, size=_SHOWN, key=lambda one: one.id)
    more = {"q": q, "state": state, "category": category, "project": project}
    return page.render(
        "lessons.html",
        lessons=shown.rows,
        asked=more,
        categories=CATEGORIES,
        states=(*STATES, "all"),
        next=shown.after and page.link("/transcripts/lessons", **more, after=shown.after),
        first=after and page.link("/transcripts/lessons", **more),
    )


@router.get("/transcripts/lessons/{number}")
async def lesson(page: ShownPage, number: str) -> Response:
    """Show one lesson, and where it was said."""
    lessons, key = page.memory.lessons, whole(number)
    one = await lessons.get(key, space=page.space)
    return page.render(
        "lesson.html",
        one=one,
        wrong=await of_one(page, "lesson", one.id),
        sources=(await lessons.sources(key, space=page.space))[:_SHOWN],
        categories=CATEGORIES,
    )


@router.post("/transcripts/lessons/{number}/edit")
async def edit(page: SentForm, number: str, fact: Text = "", category: Filled = None) -> Response:
    """Change what a lesson says."""
    await page.memory.lessons.edit(number, space=page.space, fact=fact, category=category)
    return page.back(
        page.link(f"/transcripts/lessons/{number}"),
        news="The lesson is changed; the earlier version is kept.",
    )


@router.post("/transcripts/lessons/{number}/{act}")
async def change(page: SentForm, number: str, act: Act) -> Response:
    """Confirm a lesson, archive it, or bring it back."""
    lessons = page.memory.lessons
    acts = {"confirm": lessons.confirm, "archive": lessons.archive, "unarchive": lessons.unarchive}
    await acts[act](number, space=page.space)
    return page.back(page.link(f"/transcripts/lessons/{number}"), news=_NEWS[act])
