"""Import: recorded messages as a stream of lines, answered by a stream of lines that tell how far it is."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncGenerator, AsyncIterable
from typing import Annotated, Any, BinaryIO, Final

import anyio
from anyio import to_thread
from fastapi import Query, Request, Security
from pydantic import Field
from starlette.responses import StreamingResponse

from quipu.errors import QuipuError
from quipu.interfaces.rest.door import Here, Needs, room
from quipu.interfaces.rest.models import Answer, Problem
from quipu.interfaces.rest.record import Intake, RefusalAnswer
from quipu.interfaces.serving.limits import Limits, received
from quipu.interfaces.serving.problems import document
from quipu.interfaces.serving.served import served
from quipu.record.model import Report
from quipu.record.readers import jsonl

router = room("import", prefix="")

_MEDIA_TYPE: Final = "application/x-ndjson"
_TELL_SECONDS: Final = 0.5
_REFUSALS: Final = 100
_EXAMPLE: Final = '{"session": "s1", "id": "m1", "speaker": "Ana", "content": "I moved to Lisbon in May."}\n'
_STREAM: Final[dict[str, Any]] = {
    "requestBody": {
        "required": True,
        "content": {_MEDIA_TYPE: {"schema": {"type": "string"}, "example": _EXAMPLE}},
    }
}
_Writing = Annotated[Here, Security(Needs("write"))]  # the same import again changes nothing: no key needed

_ErasedToo = Annotated[bool, Query(description="Take in what was forgotten, too.")]


class ImportAnswer(Intake):
    """Result of an import: what was imported, and what was not and why."""

    withheld: Annotated[int, Field(description="Were erased, and left out.")]
    refused: int
    refusals: Annotated[list[RefusalAnswer], Field(description="The first hundred of those.")]


class Progress(Answer):
    """One line of the answer. The last has a report or a problem."""

    done: Annotated[int, Field(description="Lines dealt with so far.")]
    report: ImportAnswer | None = None
    problem: Problem | None = None


@router.post(
    "/import",
    summary="Import recorded messages",
    openapi_extra=_STREAM,
    response_class=StreamingResponse,
    responses={200: {"description": "Lines of progress.", "model": Progress, "content": {_MEDIA_TYPE: {}}}},
)
async def import_lines(request: Request, here: _Writing, erased_too: _ErasedToo = False) -> StreamingResponse:
    """Import JSON Lines: messages with ``content`` and any of ``id, session, role, speaker, time, user``.

    What cannot be taken is refused and reported, the rest is stored. Importing the same again changes
    nothing, so an import that was cut off is finished by sending it again. What was forgotten is withheld,
    unless ``erased_too``. The answer begins when all was sent: a line every half a second, the last one with
    the report.
    """
    lines = await _whole(request.stream(), served(request).terms)
    return StreamingResponse(_told(here, lines, erased_too=erased_too), media_type=_MEDIA_TYPE)


async def _whole(chunks: AsyncIterable[bytes], terms: Limits) -> BinaryIO:
    """Store all that is sent in a file without a name: a slow client holds no connection to the database."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 - closed by who reads it, or below
    try:
        async for chunk in received(chunks, terms, larger="Send it in parts."):
            await to_thread.run_sync(file.write, chunk)
    except BaseException:
        file.close()
        raise
    file.seek(0)
    return file


async def _told(here: Here, file: BinaryIO, *, erased_too: bool) -> AsyncGenerator[bytes]:
    """Yield the lines of the answer while the import runs; it stops when the client leaves."""
    done = reported = 0

    def count(lines: int) -> None:
        nonlocal done
        done += lines

    taking = asyncio.ensure_future(
        here.memory.import_messages(jsonl.read(file), space=here.space, progress=count, erased_too=erased_too)
    )
    try:
        while not (await asyncio.wait({taking}, timeout=_TELL_SECONDS))[0]:
            if done > reported:
                reported = done
                yield _line(Progress(done=done))
        yield _line(_last(taking, done))
    finally:
        taking.cancel()
        with anyio.CancelScope(shield=True):
            await asyncio.wait({taking})
        file.close()


def _last(taking: asyncio.Future[Report], done: int) -> Progress:
    error = taking.exception()
    if error is None:
        return Progress(done=done, report=_report(taking.result()))
    ours = error if isinstance(error, QuipuError) else QuipuError()
    return Progress(done=done, problem=Problem.model_validate(document(ours)))


def _report(report: Report) -> ImportAnswer:
    counted = Intake.model_validate(report).model_dump()
    return ImportAnswer.model_validate(
        {
            **counted,
            "withheld": report.withheld,
            "ignored": counted["ignored"][:_REFUSALS],
            "refused": len(report.refused),
            "refusals": report.refused[:_REFUSALS],
        }
    )


def _line(progress: Progress) -> bytes:
    return progress.model_dump_json(exclude_none=True).encode() + b"\n"
