"""Uploads of what other systems remember: a file is previewed, or taken in with its origin."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated, Any, Final

from anyio import to_thread
from fastapi import Query, Request

from quipu.app.imports.model import ImportReport
from quipu.app.operations import OPERATIONS
from quipu.errors import BadInput, QuipuError
from quipu.interfaces.rest.derived import derived
from quipu.interfaces.rest.door import Administering
from quipu.interfaces.serving.limits import received
from quipu.interfaces.serving.served import served

router = derived("imports", OPERATIONS)

_MEDIA_TYPE: Final = "application/octet-stream"
_BODY: Final[dict[str, Any]] = {
    "requestBody": {
        "required": True,
        "content": {_MEDIA_TYPE: {"schema": {"type": "string", "format": "binary"}}},
    }
}
_Name = Annotated[
    str,
    Query(
        min_length=1,
        max_length=255,
        description="The name of the file, by whose ending it may be recognised.",
        examples=["chatgpt.zip"],
    ),
]
_Source = Annotated[
    str | None, Query(max_length=64, description="The source; recognised, if not given.", examples=["mem0"])
]
_User = Annotated[
    str | None, Query(max_length=512, description="Whose it is, where the source names nobody.")
]
_Names = Annotated[
    list[str] | None,
    Query(
        max_length=1_000,
        description="Who a person of the source is, NAME=USER; repeated.",
        examples=[["Ana <ana@example.org>=ana"]],
    ),
]
_Preview = Annotated[bool, Query(description="Write nothing, and tell what would come.")]
_ErasedToo = Annotated[bool, Query(description="Take in what was forgotten here, too.")]


@router.post("", summary="Bring what another system remembers", openapi_extra=_BODY)
async def load(
    request: Request,
    here: Administering,
    name: _Name,
    source: _Source = None,
    user: _User = None,
    names: _Names = None,
    preview: _Preview = False,
    erased_too: _ErasedToo = False,
) -> ImportReport:
    """Take in a file or a zip that another system wrote, each record where it belongs, with its origin.

    Its words become messages, its statements long-term memories or lessons, its notes and items documents,
    its tasks loops. Sending it again brings only what is new, so an import that was cut off is finished by
    sending it again. With ``preview`` nothing is written.
    """
    if name != Path(name).name or name in {".", ".."}:
        raise BadInput("a name without folders.", field="name")
    joined = dict(map(_person, names or ()))
    with tempfile.TemporaryDirectory(prefix="quipu-import-") as folder:
        path = Path(folder, name)
        with await to_thread.run_sync(path.open, "wb") as file:
            async for chunk in received(request.stream(), served(request).terms, larger="Use the CLI."):
                await to_thread.run_sync(file.write, chunk)
        try:
            return await here.memory.imports.load(
                path,
                space=here.space,
                source=source,
                user=user,
                names=joined,
                preview=preview,
                erased_too=erased_too,
            )
        except QuipuError as error:
            error.message = error.message.replace(f"{folder}/", "")  # the caller sent a name, no path of ours
            raise


def _person(given: str) -> tuple[str, str]:
    name, _, user = given.rpartition("=")
    if not name or not user:
        raise BadInput("a name, =, and a user.", field="names")
    return name, user
