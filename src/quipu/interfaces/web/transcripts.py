"""The pages of recorded sessions: which there are, what was said in one, where something was said."""

from __future__ import annotations

from typing import Annotated, Any, Final

from fastapi import Query
from starlette.responses import Response

from quipu.interfaces.web.fields import Number, Word, page_router, slice_of
from quipu.interfaces.web.page_context import PageContext, ShownPage
from quipu.kinds.transcripts.browse.model import PARTS, ROLES, Transcript

router = page_router()

_SESSIONS: Final = 30
_LINES: Final = 40
_HITS: Final = 20
_LESSONS: Final = 20


@router.get("/transcripts")
async def show(page: ShownPage, project: Word = None, after: Word = None) -> Response:
    """Show the sessions, latest first."""
    if not page.space:
        return page.render("nothing.html", title="Transcripts")
    seeing = page.memory.transcripts
    rows = await seeing.list(space=page.space, project=project, after=after, limit=_SESSIONS + 1)
    shown = slice_of(rows, size=_SESSIONS, key=lambda one: one.id)
    return page.render(
        "transcripts.html",
        sessions=shown.rows,
        project=project,
        next=shown.after and page.link("/transcripts", project=project, after=shown.after),
        first=after and page.link("/transcripts", project=project),
        parts=PARTS,
        roles=ROLES,
    )


@router.get("/transcripts/search")
async def search(
    page: ShownPage,
    q: Word = None,
    project: Word = None,
    session: Word = None,
    part: Word = None,
    role: Word = None,
    errors: Annotated[bool, Query()] = False,
) -> Response:
    """Show where something was said, thought, given to a tool or answered by it."""
    hits = None
    if q and page.space:
        hits = await page.memory.transcripts.search(
            q,
            space=page.space,
            project=project,
            session=session,
            part=part,  # pyright: ignore[reportArgumentType] - it is checked where it is taken
            role=role,  # pyright: ignore[reportArgumentType]
            errors=errors,
            limit=_HITS,
        )
    options = {"q": q, "project": project, "session": session, "part": part, "role": role, "errors": errors}
    return page.render("transcripts_search.html", found=hits, asked=options, parts=PARTS, roles=ROLES)


@router.get("/transcripts/session")
async def session(page: ShownPage, name: str, start: Number = None) -> Response:
    """Show a session like a chat, with the lessons that were drawn from it."""
    lines = await page.memory.transcripts.get(name, space=page.space, limit=_LINES, offset=start or 0)
    lessons = await page.memory.lessons.list(
        space=page.space, session=lines.session.id, state="all", limit=_LESSONS + 1
    )
    return page.render(
        "transcript.html",
        shown=lines,
        lessons=lessons[:_LESSONS],
        more=len(lessons) > _LESSONS,
        start=start or 0,
        **_pages(page, lines, start or 0),
    )


def _pages(page: PageContext, shown: Transcript, start: int) -> dict[str, Any]:
    """Return the addresses of the lines before and after those that are shown."""
    name, end = shown.session.id, start + len(shown.lines)
    earlier = page.link("/transcripts/session", name=name, start=max(0, start - _LINES))
    later = page.link("/transcripts/session", name=name, start=end)
    return {"earlier": earlier if start else None, "later": later if end < shown.total else None}
