"""Dumps of agents' schemas: handed out as files, and taken in."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import AsyncIterable
from pathlib import Path
from typing import Annotated, Any, Final

from anyio import Path as AsyncPath
from fastapi import Query, Request
from starlette.background import BackgroundTask
from starlette.responses import FileResponse

from quipu.interfaces.rest.door import Administering, refused, room
from quipu.interfaces.rest.models import Confirmable, shown_first
from quipu.interfaces.serving.limits import Limits, received
from quipu.interfaces.serving.served import served
from quipu.upkeep.snapshots.model import Restored

router = room("snapshots")

_MEDIA_TYPE: Final = "application/sql"
_FILE: Final = "dump.sql"
_Schema = Annotated[
    str, Query(max_length=512, description="The short name of the schema.", examples=["memory"])
]
_DUMP: Final[dict[str, Any]] = {
    "requestBody": {
        "required": True,
        "content": {_MEDIA_TYPE: {"schema": {"type": "string"}, "example": "-- what /export handed out\n"}},
    }
}


@router.get(
    "/export",
    summary="Hand out a schema",
    response_class=FileResponse,
    responses={
        200: {
            "description": "A dump in plain SQL.",
            "headers": {
                "Quipu-Export": {
                    "description": "The id under which the file is noted, with its SHA-256.",
                    "schema": {"type": "string", "format": "uuid"},
                }
            },
            "content": {_MEDIA_TYPE: {"schema": {"type": "string"}}},
        },
        **refused(_404="There is no such schema."),
    },
)
async def export(
    here: Administering,
    schema: _Schema = "memory",
    structure: Annotated[bool, Query(description="Without the rows.")] = False,
) -> FileResponse:
    """Send a dump of a schema, or of its structure alone."""
    place = tempfile.TemporaryDirectory(prefix="quipu-export-")
    path = Path(place.name) / _FILE
    try:
        done = await here.memory.snapshots.export(path, structure=structure, space=here.space, schema=schema)
    except BaseException:
        place.cleanup()
        raise
    return FileResponse(
        path,
        media_type=_MEDIA_TYPE,
        filename=f"{schema}.sql",
        headers={"Quipu-Export": done.id},
        background=BackgroundTask(place.cleanup),
    )


@router.post(
    "/import",
    summary="Take a dump in",
    openapi_extra=_DUMP,
    responses=refused(_409="The schema is in use.", _412="What would be done is no longer what was shown."),
)
async def import_dump(
    request: Request,
    here: Administering,
    schema: _Schema = "memory",
    confirm: Annotated[str | None, Query(max_length=512, description="The token of the preview.")] = None,
) -> Confirmable[Restored]:
    """Try a dump and show the result, with a token; sent again with that token it takes the schema's place.

    Only tables, sequences, views, types, indexes, constraints, comments and rows are taken in. A snapshot of
    what is there now is taken first.
    """
    with tempfile.TemporaryDirectory(prefix="quipu-import-") as place:
        path = Path(place) / _FILE
        sha256 = await _stored(request.stream(), path, served(request).terms)

        async def do(confirmed: bool) -> Restored:
            return await here.memory.snapshots.import_dump(
                path, space=here.space, schema=schema, confirm=confirmed
            )

        return await shown_first(
            "import dump",
            confirm,
            do,
            tell=lambda preview: preview,
            counts=lambda preview: {
                "space": here.space,
                "schema": schema,
                "sha256": sha256,
                "before": dict(preview.before),
            },
        )


async def _stored(chunks: AsyncIterable[bytes], path: Path, terms: Limits) -> str:
    """Write all that is sent into a file; its digest."""
    digest = hashlib.sha256()
    async with await AsyncPath(path).open("wb") as file:
        async for chunk in received(chunks, terms, larger="Use the CLI."):
            digest.update(chunk)
            await file.write(chunk)
    return digest.hexdigest()
