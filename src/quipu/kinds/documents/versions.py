"""Earlier versions of documents: written again, or taken out for good."""

from __future__ import annotations

from datetime import datetime

from psycopg.errors import UniqueViolation

from quipu.errors import BadInput, Conflict, NotFound
from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.documents import store
from quipu.kinds.documents.model import DocumentVersion
from quipu.kinds.documents.store import SQL


async def revert(
    tx: SpaceTransaction,
    at: tuple[str, str],
    version: int,
    *,
    document: str | None,
    writer: str | None,
    now: datetime,
) -> None:
    """Have a document say what an earlier version said; one that was removed stands again.

    Raises:
        NotFound: nothing that stands or stood there has such a version.
        BadInput: the content of the version was taken out.
        Conflict: another document stands there, or it stands at another place.
    """
    stood = await store.stood_at(tx, at, version=version, document=document, now=now)
    if not stood or not stood[0].has_version:
        raise _no_version()
    one = stood[0]
    if one.stands and not one.here:
        raise Conflict("it stands at another place by now.", field="path", hint="Revert it there.")
    said = await store.version(tx, one.document, version)
    if said.redacted:
        raise BadInput("its content was taken out for good.", field="to")
    if said.ended_at is None:
        return
    try:
        await store.write_again(tx, one.document, version, removed=not one.stands, writer=writer, now=now)
    except UniqueViolation as error:
        raise Conflict("another document stands there by now.", field="document") from error


async def redact(
    tx: SpaceTransaction,
    at: tuple[str, str],
    version: int,
    *,
    document: str | None,
    now: datetime,
    confirm: bool,
) -> DocumentVersion:
    """Take the content of a version out for good, or with ``confirm`` false show it.

    Raises:
        NotFound: nothing that stands or stood there has such a version.
        BadInput: it is the version that stands, or several documents have such a version and none is named.
    """
    stood = await store.stood_at(tx, at, version=version, document=document, now=now)
    having = [one.document for one in stood if one.has_version]
    if not having:
        raise _no_version()
    if len(having) > 1:
        raise BadInput(
            f"{len(having)} documents that stood here have a version {version}.",
            field="document",
            hint="Name one by its id: the history shows them.",
        )
    one = await store.version(tx, having[0], version)
    if one.ended_at is None:
        raise BadInput("it is the version that stands.", field="version", hint="Write another one first.")
    if not confirm:
        return one
    await tx.execute(SQL["redact"], document=one.document, version=version, now=now)
    return await store.version(tx, one.document, version)


def _no_version() -> NotFound:
    return NotFound("There is no such version.", hint="The history of the document shows them.")
