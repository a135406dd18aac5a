"""Snapshots on `/config/memory`: taken, restored after a preview, deleted. Agents have no way here."""

from __future__ import annotations

from starlette.responses import Response

from quipu.interfaces.web.background import Advance, Outcome, background_tasks, outcome_page
from quipu.interfaces.web.config import SchemaName, address
from quipu.interfaces.web.fields import Sure, page_router
from quipu.interfaces.web.formats import counted
from quipu.interfaces.web.page_context import PageContext, Posting, Visiting
from quipu.upkeep.snapshots.model import Restored

router = page_router()


@router.get("/config/memory/snapshots")
async def listed(visit: Visiting, schema: SchemaName = "memory") -> Response:
    """Redirect to the page of the schema, which lists the snapshots."""
    return visit.back(address(visit, schema))


@router.post("/config/memory/snapshots")
async def take(visit: Posting, schema: SchemaName = "memory") -> Response:
    """Take a snapshot now."""

    async def act(_: Advance) -> Outcome:
        made = await visit.memory.snapshots.create(space=visit.space, schema=schema)
        return Outcome(f"{made.name} is taken: {counted(made.rows, 'row')}.", address(visit, schema))

    back = address(visit, schema)
    return outcome_page(
        visit, await background_tasks(visit.request).begin(f"Snapshot of {schema}", act, back=back)
    )


@router.get("/config/memory/snapshots/{name}/restore")
async def look(visit: Visiting, name: str) -> Response:
    """Show the changes that restoring would make."""
    restored = await visit.memory.snapshots.restore(name, space=visit.space)
    return preview(
        visit,
        restored,
        title="Restore to this point?",
        sentence=f"{name} takes the place of everything in the schema {restored.schema}. A snapshot of what "
        "is there now is taken first: restoring that undoes it. What was forgotten since does not come back.",
        action=visit.link(f"/config/memory/snapshots/{name}/restore"),
        button="Restore",
    )


@router.post("/config/memory/snapshots/{name}/restore")
async def restore(visit: Posting, name: str, confirmed: Sure = False) -> Response:
    """Put a snapshot in the place of what its schema holds."""
    here = visit.link(f"/config/memory/snapshots/{name}/restore")
    if not confirmed:
        return visit.back(here)
    sizes = {one.name: one.bytes for one in await visit.memory.snapshots.list(space=visit.space)}

    async def act(advance: Advance) -> Outcome:
        done = await visit.memory.snapshots.restore(name, space=visit.space, confirm=True, progress=advance)
        return Outcome(news(done), address(visit, done.schema))

    background_task = await background_tasks(visit.request).begin(
        f"Restoring {name}", act, back=here, unit="bytes", total=sizes.get(name)
    )
    return outcome_page(visit, background_task)


@router.get("/config/memory/snapshots/{name}/delete")
async def ask(visit: Visiting, name: str) -> Response:
    """Ask before a snapshot is deleted."""
    return visit.confirm(
        title="Delete this snapshot?",
        sentence=f"{name} is deleted for good. The tables stay as they are.",
        action=visit.link(f"/config/memory/snapshots/{name}/delete"),
        button="Delete",
        back=visit.link("/config/memory"),
    )


@router.post("/config/memory/snapshots/{name}/delete")
async def delete(visit: Posting, name: str, confirmed: Sure = False) -> Response:
    """Delete a snapshot."""
    if not confirmed:
        return visit.back(visit.link(f"/config/memory/snapshots/{name}/delete"))
    return await _deleted(visit, name)


@router.delete("/config/memory/snapshots/{name}")
async def delete_by_script(visit: Posting, name: str) -> Response:
    """Delete a snapshot, for scripts of ours."""
    return await _deleted(visit, name)


async def _deleted(visit: PageContext, name: str) -> Response:
    gone = await visit.memory.snapshots.erase(name, space=visit.space, confirm=True)
    return visit.back(address(visit, gone.schema), news=f"{name} is deleted.")


def preview(
    visit: PageContext, restored: Restored, *, title: str, sentence: str, action: str, button: str
) -> Response:
    """Show each table's rows before and after (None: it is not there), and ask before it is done."""
    tables = sorted({*restored.before, *restored.after})
    return visit.page(
        "restore.html",
        title=title,
        sentence=sentence,
        rows=[(table, restored.before.get(table), restored.after.get(table)) for table in tables],
        lost=restored.lost,
        action=action,
        button=button,
        back=address(visit, restored.schema),
    )


def news(done: Restored) -> str:
    """Describe what was done, and how it is undone."""
    sentence = f"{done.source} is in its place: {counted(sum(done.after.values()), 'row')}."
    if done.erased:
        sentence += f" {counted(done.erased, 'row')} of what was forgotten did not come back."
    if done.lost:
        sentence += f" Not brought back: {'; '.join(done.lost)}."
    return f"{sentence} To undo it, restore {done.undo}." if done.undo else sentence
