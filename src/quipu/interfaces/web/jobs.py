"""The page of long work: how far it is, and what came of it."""

from __future__ import annotations

from starlette.responses import Response

from quipu.interfaces.web.background import BackgroundTask, background_tasks
from quipu.interfaces.web.page import page_router
from quipu.interfaces.web.page_context import PageContext, Visiting

router = page_router()


@router.get("/jobs/{job}")
async def page(visit: Visiting, job: str) -> Response:
    """Show the progress of a job; the page reloads itself until it is done."""
    return visit.page("job.html", job=background_tasks(visit.request).named(job))


def told(visit: PageContext, background_task: BackgroundTask) -> Response:
    """Send the browser to what came of it, or to the page that shows how far it is."""
    if background_task.state == "done" and background_task.outcome is not None:
        return visit.back(background_task.outcome.address, news=background_task.outcome.news)
    return visit.back(visit.link(f"/jobs/{background_task.id}"))
