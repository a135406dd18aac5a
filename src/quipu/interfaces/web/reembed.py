"""Changing to the embedding model of the settings, from the overview."""

from __future__ import annotations

from starlette.responses import Response

from quipu.interfaces.web.background import Advance, Outcome, background_tasks, outcome_page
from quipu.interfaces.web.fields import Sure, page_router
from quipu.interfaces.web.formats import counted
from quipu.interfaces.web.page_context import SentForm, ShownPage

router = page_router()


@router.get("/reembed")
async def ask(page: ShownPage) -> Response:
    """Ask before all memories are embedded again."""
    health = await page.memory.health()
    return page.confirm(
        title=f"Embed everything with {health.wanted_model}?",
        sentence=f"All {counted(health.entries, 'memory', 'memories')} get new vectors, which takes a while. "
        "Everything goes on being searched and written meanwhile; what is cut off is finished another time.",
        action=page.link("/reembed"),
        button="Embed",
        back=page.link("/"),
    )


@router.post("/reembed")
async def reembed(page: SentForm, confirmed: Sure = False) -> Response:
    """Embed all memories with the model of the settings."""
    if not confirmed:
        return page.back(page.link("/reembed"))
    entries = (await page.memory.health()).entries

    async def act(advance: Advance) -> Outcome:
        done = await page.memory.reembed(progress=advance)
        news = f"{counted(done.entries, 'memory was', 'memories were')} embedded with {done.model}."
        return Outcome(news, page.link("/"))

    background_task = await background_tasks(page.request).begin(
        "Embedding", act, back=page.link("/"), unit="memories", total=entries
    )
    return outcome_page(page, background_task)
