"""Export and import of a schema of agents' tables on `/config/memory`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final, Literal

import anyio
from fastapi import Query, Request
from starlette.background import BackgroundTask
from starlette.datastructures import UploadFile
from starlette.responses import FileResponse, Response

from quipu.errors import AccessRefused, BadInput, NotFound, QuipuError, TooLarge
from quipu.interfaces.serving.login import SignedIn
from quipu.interfaces.serving.served import served
from quipu.interfaces.serving.signin import CSRF_FIELD
from quipu.interfaces.web.background import Advance, Outcome, background_tasks, outcome_page
from quipu.interfaces.web.config import SchemaName, address
from quipu.interfaces.web.fields import Sure, page_router
from quipu.interfaces.web.page_context import PageContext, SentForm, ShownPage
from quipu.interfaces.web.snapshots import news, preview

router = page_router()

_CHUNK: Final = 1_000_000
_What = Annotated[Literal["full", "structure"], Query()]


@router.get("/config/memory/export")
async def export(page: ShownPage, what: _What = "full", schema: SchemaName = "memory") -> Response:
    """Send a dump of the schema as a file; a long one is made first, and fetched from its own page."""
    here = background_tasks(page.request)
    path = here.file()

    async def act(_: Advance) -> Outcome:
        await page.memory.snapshots.export(
            path, structure=what == "structure", space=page.space, schema=schema
        )
        place = page.link(f"/config/memory/export/{path.name}", what=what, schema=schema)
        return Outcome("The dump is ready.", place)

    background_task = await here.begin(f"Export of {schema}", act, back=address(page, schema))
    if background_task.state == "done":
        return _handed_out(path, schema, what)
    return outcome_page(page, background_task)


@router.get("/config/memory/export/{file}")
async def fetch(page: ShownPage, file: str, what: _What = "full", schema: SchemaName = "memory") -> Response:
    """Send a dump that was made, once."""
    path = background_tasks(page.request).place / Path(file).name
    if not await anyio.Path(path).is_file():
        raise NotFound("That dump was downloaded already.", hint="Make it again.")
    return _handed_out(path, schema, what)


@router.post("/config/memory/import")
async def take_in(
    page: ShownPage, who: SignedIn, request: Request, schema: SchemaName = "memory"
) -> Response:
    """Keep the file that was sent, and try what it would change; nothing is changed yet.

    The form is read here and not before: who is not signed in, or sends too much, sends it in vain.
    """
    _check_length(request)
    async with request.form(max_files=1, max_fields=5) as form:
        if not who.sent(form.get(CSRF_FIELD)):
            raise AccessRefused("This form did not come from a page of yours.", hint="Reload the page.")
        sent = form.get("dump")
        if not isinstance(sent, UploadFile) or not sent.filename:
            raise BadInput("choose a file.", field="dump")
        path = background_tasks(request).file()
        async with await anyio.open_file(path, "wb") as file:
            while chunk := await sent.read(_CHUNK):
                await file.write(chunk)
    try:
        return await look(page, path.name, schema)
    except QuipuError:
        await anyio.Path(path).unlink()
        raise


@router.get("/config/memory/import/{file}")
async def look(page: ShownPage, file: str, schema: SchemaName = "memory") -> Response:
    """Show the changes that a file would make, from a trial that is rolled back."""
    path = await _kept(page, file)
    restored = await page.memory.snapshots.import_dump(path, space=page.space, schema=schema)
    return preview(
        page,
        restored,
        title="Import this dump?",
        sentence=f"It takes the place of everything in the schema {schema}. A snapshot of what is there now "
        "is taken first: restoring that undoes it.",
        action=page.link(f"/config/memory/import/{file}", schema=schema),
        button="Import",
    )


@router.post("/config/memory/import/{file}")
async def put_in(
    page: SentForm, file: str, confirmed: Sure = False, schema: SchemaName = "memory"
) -> Response:
    """Put the dump in the place of what the schema holds."""
    path = await _kept(page, file)
    here = page.link(f"/config/memory/import/{file}", schema=schema)
    if not confirmed:
        return page.back(here)

    async def act(advance: Advance) -> Outcome:
        done = await page.memory.snapshots.import_dump(
            path, space=page.space, schema=schema, confirm=True, progress=advance
        )
        await anyio.Path(path).unlink(missing_ok=True)
        return Outcome(news(done), address(page, schema))

    size = (await anyio.Path(path).stat()).st_size
    background_task = await background_tasks(page.request).begin(
        f"Import into {schema}", act, back=here, unit="bytes", total=size
    )
    return outcome_page(page, background_task)


def _check_length(request: Request) -> None:
    most = served(request).terms.import_bytes
    length = request.headers.get("content-length", "")
    if not length.isdecimal() or int(length) > most:
        raise TooLarge(
            f"A dump may have {most:,} bytes here.", hint="Larger ones: `quipu snapshots import-dump`."
        )


async def _kept(page: PageContext, file: str) -> Path:
    path = background_tasks(page.request).place / Path(file).name
    if not await anyio.Path(path).is_file():
        raise NotFound("That file is gone.", hint="Send it again.")
    return path


def _handed_out(path: Path, schema: str, what: str) -> Response:
    """Send the file, and delete it after that."""
    return FileResponse(
        path,
        filename=f"{schema}_{what}.sql",
        media_type="application/sql",
        background=BackgroundTask(anyio.Path(path).unlink, missing_ok=True),
    )
