"""The page of long work: how far it is, and what came of it."""

from __future__ import annotations

from starlette.responses import Response

from quipu.interfaces.web.labours import Labour, labours
from quipu.interfaces.web.page import page_router
from quipu.interfaces.web.visit import Visit, Visiting

router = page_router()


@router.get("/jobs/{job}")
async def page(visit: Visiting, job: str) -> Response:
    """Show the progress of a job; the page reloads itself until it is done."""
    return visit.page("job.html", job=labours(visit.request).named(job))


def told(visit: Visit, labour: Labour) -> Response:
    """Send the browser to what came of it, or to the page that shows how far it is."""
    if labour.state == "done" and labour.outcome is not None:
        return visit.back(labour.outcome.address, news=labour.outcome.news)
    return visit.back(visit.link(f"/jobs/{labour.id}"))
