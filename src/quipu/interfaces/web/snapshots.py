"""Snapshots on `/config/memory`: taken, restored after a preview, deleted. Agents have no way here."""

from __future__ import annotations

from starlette.responses import Response

from quipu.interfaces.web.background import Advance, Outcome, background_tasks, outcome_page
from quipu.interfaces.web.config import SchemaName, address
from quipu.interfaces.web.fields import Sure, page_router
from quipu.interfaces.web.formats import counted
from quipu.interfaces.web.page_context import PageContext, SentForm, ShownPage
from quipu.upkeep.snapshots.model import Restored

router = page_router()


@router.get("/config/memory/snapshots")
async def listed(page: ShownPage, schema: SchemaName = "memory") -> Response:
    """Redirect to the page of the schema, which lists the snapshots."""
    return page.back(address(page, schema))


@router.post("/config/memory/snapshots")
async def take(page: SentForm, schema: SchemaName = "memory") -> Response:
    """Take a snapshot now."""

    async def act(_: Advance) -> Outcome:
        made = await page.memory.snapshots.create(space=page.space, schema=schema)
        return Outcome(f"{made.name} is taken: {counted(made.rows, 'row')}.", address(page, schema))

    back = address(page, schema)
    return outcome_page(
        page, await background_tasks(page.request).begin(f"Snapshot of {schema}", act, back=back)
    )


@router.get("/config/memory/snapshots/{name}/restore")
async def look(page: ShownPage, name: str) -> Response:
    """Show the changes that restoring would make."""
    restored = await page.memory.snapshots.restore(name, space=page.space)
    return preview(
        page,
        restored,
        title="Restore to this point?",
        sentence=f"{name} takes the place of everything in the schema {restored.schema}. A snapshot of what "
        "is there now is taken first: restoring that undoes it. What was forgotten since does not come back.",
        action=page.link(f"/config/memory/snapshots/{name}/restore"),
        button="Restore",
    )


@router.post("/config/memory/snapshots/{name}/restore")
async def restore(page: SentForm, name: str, confirmed: Sure = False) -> Response:
    """Put a snapshot in the place of what its schema holds."""
    here = page.link(f"/config/memory/snapshots/{name}/restore")
    if not confirmed:
        return page.back(here)
    sizes = {one.name: one.bytes for one in await page.memory.snapshots.list(space=page.space)}

    async def act(advance: Advance) -> Outcome:
        done = await page.memory.snapshots.restore(name, space=page.space, confirm=True, progress=advance)
        return Outcome(news(done), address(page, done.schema))

    background_task = await background_tasks(page.request).begin(
        f"Restoring {name}", act, back=here, unit="bytes", total=sizes.get(name)
    )
    return outcome_page(page, background_task)


@router.get("/config/memory/snapshots/{name}/delete")
async def ask(page: ShownPage, name: str) -> Response:
    """Ask before a snapshot is deleted."""
    return page.confirm(
        title="Delete this snapshot?",
        sentence=f"{name} is deleted for good. The tables stay as they are.",
        action=page.link(f"/config/memory/snapshots/{name}/delete"),
        button="Delete",
        back=page.link("/config/memory"),
    )


@router.post("/config/memory/snapshots/{name}/delete")
async def delete(page: SentForm, name: str, confirmed: Sure = False) -> Response:
    """Delete a snapshot."""
    if not confirmed:
        return page.back(page.link(f"/config/memory/snapshots/{name}/delete"))
    return await _deleted(page, name)


@router.delete("/config/memory/snapshots/{name}")
async def delete_by_script(page: SentForm, name: str) -> Response:
    """Delete a snapshot, for scripts of ours."""
    return await _deleted(page, name)


async def _deleted(page: PageContext, name: str) -> Response:
    gone = await page.memory.snapshots.erase(name, space=page.space, confirm=True)
    return page.back(address(page, gone.schema), news=f"{name} is deleted.")


def preview(
    page: PageContext, restored: Restored, *, title: str, sentence: str, action: str, button: str
) -> Response:
    """Show each table's rows before and after (None: it is not there), and ask before it is done."""
    tables = sorted({*restored.before, *restored.after})
    return page.render(
        "restore.html",
        title=title,
        sentence=sentence,
        rows=[(table, restored.before.get(table), restored.after.get(table)) for table in tables],
        lost=restored.lost,
        action=action,
        button=button,
        back=address(page, restored.schema),
    )


def news(done: Restored) -> str:
    """Describe what was done, and how it is undone."""
    sentence = f"{done.source} is in its place: {counted(sum(done.after.values()), 'row')}."
    if done.erased:
        sentence += f" {counted(done.erased, 'row')} of what was forgotten did not come back."
    if done.lost:
        sentence += f" Not brought back: {'; '.join(done.lost)}."
    return f"{sentence} To undo it, restore {done.undo}." if done.undo else sentence
