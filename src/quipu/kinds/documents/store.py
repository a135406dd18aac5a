"""The queries of documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from typing import Any, Final

from quipu.errors import NotFound, Outdated
from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import Connection, Rows, SpaceTransaction, ask
from quipu.kinds.documents.model import (
    Document,
    DocumentDraft,
    DocumentFilter,
    DocumentVersion,
    ListQuery,
    Passage,
    PathQuery,
)
from quipu.kinds.documents.rules import encode

SQL = queries.load("quipu.kinds.documents")


@dataclass(frozen=True, slots=True)
class Stood:
    """A document that stands or stood at a place: if it stands there, or anywhere, and has a version."""

    document: str
    here: bool
    stands: bool
    has_version: bool


_GIVE_VERSION: Final = "Read it, and give its version."
_COLUMNS: Final = tuple(one.name for one in fields(Document))
_SCORE: Final = len(_COLUMNS)  # behind them


async def ask_put(conn: Connection, written: Sequence[DocumentDraft], *, now: datetime) -> Rows:
    """Write documents, in a pipeline that has entered their space; each place and key stands there once."""
    rows = ",".join(map(_row, written))
    return await ask(conn, SQL["put"], {"now": now, "documents": f"[{rows}]"})


def _row(one: DocumentDraft) -> str:
    """Return a document as JSON; its value is JSON already."""
    rest = {
        "place": one.place,
        "key": one.key,
        "body": one.body,
        "metadata": one.metadata,
        "user_name": one.user,
        "index_paths": one.index,
        "ttl_seconds": one.ttl_seconds,
        "written_by": one.written_by,
        "redacted": one.redacted,
    }
    return f'{{"value":{one.dumped or "null"},{encode(rest)[1:]}'


async def ask_passages(conn: Connection, written: Sequence[DocumentDraft]) -> None:
    """Have the passages of documents be those that were cut of them, in a pipeline as ``ask_put``."""
    cuts = [(number, one) for number, of in enumerate(written, start=1) for one in of.passages]
    await ask(
        conn,
        SQL["put_passages"],
        {
            "places": [one.place for one in written],
            "keys": [one.key for one in written],
            "of": [number for number, _ in cuts],
            "fields": [one.field for _, one in cuts],
            "headings": [one.heading for _, one in cuts],
            "lines": [one.line for _, one in cuts],
            "texts": [one.text for _, one in cuts],
        },
    )


async def ask_vectors(conn: Connection, written: Sequence[DocumentDraft]) -> None:
    """Have the vectors of documents be those that were given, in a pipeline as ``ask_put``."""
    vectors = [(number, one) for number, of in enumerate(written, start=1) for one in of.vectors or ()]
    await ask(
        conn,
        SQL["put_vectors"],
        {
            "places": [one.place for one in written],
            "keys": [one.key for one in written],
            "of": [number for number, _ in vectors],
            "vectors": [one for _, one in vectors],
        },
    )


def put_documents(
    rows: Sequence[tuple[Any, ...]], written: Sequence[DocumentDraft]
) -> dict[tuple[str, str], Document]:
    """Return documents as they were written, by place and key; ``rows`` are those of ``put``.

    Raises:
        Outdated: there was to be none at a place, and there is one.
    """
    by_address = {(row[1], row[2]): row for row in rows}
    documents: dict[tuple[str, str], Document] = {}
    for one in written:
        id_, _, _, version, sha256, created_at, updated_at, expires_at, is_new = by_address[
            one.place, one.key
        ]
        if one.expected_version == 0 and not is_new:  # somebody else was first
            raise Outdated("a document stands there already.", field="expected_version", hint=_GIVE_VERSION)
        documents[one.place, one.key] = Document(
            id=id_,
            path=one.path,
            key=one.key,
            value=one.value,
            body=one.body,
            metadata=one.metadata,
            user=one.user,
            index=one.index,
            version=version,
            sha256=sha256,
            created_at=created_at,
            updated_at=updated_at,
            ttl_seconds=one.ttl_seconds,
            expires_at=expires_at,
            written_by=one.written_by,
            redacted=one.redacted,
        )
    return documents


async def ask_get(conn: Connection, addresses: Sequence[tuple[str, str]], *, now: datetime) -> Rows:
    """Read documents, in a pipeline that has entered their space."""
    places, keys = [place for place, _ in addresses], [key for _, key in addresses]
    return await ask(conn, SQL["get"], {"places": places, "keys": keys, "now": now})


async def ask_list(conn: Connection, query: ListQuery, *, now: datetime) -> Rows:
    """Read documents below a path, in a pipeline that has entered their space; by vectors with the score."""
    name = "list_updated" if query.order == "updated" else "list_keys"
    values = {"limit": query.limit, "offset": query.offset, **query.wanted.values(now)}
    if query.vector is None:
        return await ask(conn, SQL[name], {**values, "after": query.after})
    return await ask(conn, SQL["nearest"], {**values, "vector": query.vector, "metric": query.metric})


async def ask_paths(conn: Connection, query: PathQuery, *, now: datetime) -> Rows:
    """Read paths, in a pipeline that has entered their space."""
    return await ask(conn, SQL["list_paths"], {**asdict(query), "now": now})


async def documents(rows: Rows) -> list[Document]:
    """Return the documents that a query has read."""
    return [document for document, _ in await scored(rows)]


async def scored(rows: Rows) -> list[tuple[Document, float | None]]:
    """Return the documents that a query has read by their columns, with the score where it says one."""
    found = await rows.fetchall()
    return [
        (Document(**dict(zip(_COLUMNS, row, strict=False))), row[_SCORE] if len(row) > _SCORE else None)
        for row in found
    ]


async def expire(tx: SpaceTransaction, *, now: datetime) -> None:
    """Take out documents that have expired; nobody forgot them, so an import may bring them again."""
    await tx.execute(SQL["may_return"], on="on")
    await tx.execute(SQL["expire"], now=now)
    await tx.execute(SQL["may_return"], on="off")


async def lock(
    tx: SpaceTransaction, at: tuple[str, str], *, version: int | None, sha256: str | None, now: datetime
) -> None:
    """Hold a document until the transaction ends, if it is of a version; 0 stands for none.

    Raises:
        Outdated: it is of another version, or says something else.
        NotFound: there is none.
    """
    place, key = at
    if version == 0:
        await expire(tx, now=now)
    rows = await tx.rows(SQL["lock"], place=place, key=key, now=now)
    standing, digest = rows[0] if rows else (0, None)
    if version == 0 and rows:
        raise Outdated(
            f"a document {key!r} stands there already.", field="expected_version", hint=_GIVE_VERSION
        )
    if not rows and version != 0 and (version is not None or sha256 is not None):
        raise NotFound(f"There is no document {key!r}.")
    if version is not None and version != standing:
        raise Outdated(
            f"{key!r} is of version {standing} by now.", field="expected_version", hint="Read it again."
        )
    if sha256 is not None and rows and sha256 != digest:
        raise Outdated(f"{key!r} says something else by now.", field="expected_sha256", hint="Read it again.")


async def ask_remove(conn: Connection, addresses: Sequence[tuple[str, str]], *, now: datetime) -> Rows:
    """Take documents away, each kept as a version, in a pipeline that has entered their space.

    The rows are the places and keys of those that stood.
    """
    places, keys = [place for place, _ in addresses], [key for _, key in addresses]
    return await ask(conn, SQL["remove"], {"places": places, "keys": keys, "now": now})


async def ask_refresh(conn: Connection, addresses: Sequence[tuple[str, str]], *, now: datetime) -> None:
    """Have documents expire as long from now as they were to when they were written, in a pipeline."""
    places, keys = [place for place, _ in addresses], [key for _, key in addresses]
    await ask(conn, SQL["refresh"], {"places": places, "keys": keys, "now": now})


async def stood_at(
    tx: SpaceTransaction, at: tuple[str, str], *, version: int, document: str | None, now: datetime
) -> list[Stood]:
    """Return the documents that stand or stood at a place, or one of them; the last one comes first."""
    place, key = at
    rows = await tx.rows(SQL["stood_at"], place=place, key=key, version=version, document=document, now=now)
    return [Stood(*row) for row in rows]


async def version(tx: SpaceTransaction, document: str, number: int) -> DocumentVersion:
    """Return a version of a document that is there."""
    (one,) = await tx.fetch(DocumentVersion, SQL["version"], document=document, version=number)
    return one


async def write_again(
    tx: SpaceTransaction, document: str, version: int, *, removed: bool, writer: str | None, now: datetime
) -> None:
    """Have a document say what an earlier version said; one that was removed stands again."""
    query = SQL["bring_back" if removed else "write_again"]
    await tx.execute(query, document=document, version=version, writer=writer, now=now)


async def by_ids(tx: SpaceTransaction, ids: Sequence[str], *, now: datetime) -> dict[str, Document]:
    """Return documents by id."""
    rows = await tx.run(SQL["by_id"], {"ids": list(ids), "now": now})
    return {one.id: one for one in await documents(rows)}


async def matching(tx: SpaceTransaction, wanted: DocumentFilter, *, now: datetime) -> tuple[int, ...]:
    """Return the entries of documents for which conditions hold."""
    return tuple(await tx.column(SQL["matching"], **wanted.values(now)))


async def versions(
    tx: SpaceTransaction, at: tuple[str, str], *, now: datetime, limit: int, offset: int
) -> list[DocumentVersion]:
    """Return the versions of what stands or stood at a place, the latest first."""
    place, key = at
    return await tx.fetch(
        DocumentVersion, SQL["versions"], place=place, key=key, now=now, limit=limit, offset=offset
    )


async def passages(
    tx: SpaceTransaction, at: tuple[str, str], *, now: datetime, limit: int, offset: int
) -> list[Passage] | None:
    """Return passages of a document, in their order; None where no document is."""
    place, key = at
    rows = await tx.rows(SQL["passages"], place=place, key=key, now=now, limit=limit, offset=offset)
    return [Passage(field=row[0], text=row[1], heading=row[2], line=row[3]) for row in rows if row[1]] or (
        [] if rows else None
    )


async def entries_of(tx: SpaceTransaction, ids: Sequence[str]) -> list[int]:
    """Return the entries of documents."""
    return await tx.column(SQL["entries_of"], ids=list(ids))


async def passages_of(tx: SpaceTransaction, entries: Sequence[int]) -> dict[int, tuple[Any, ...]]:
    """Return by entry the document's id, and the text, field, heading and first line of the passage."""
    rows = await tx.rows(SQL["passages_of"], ids=Int8s(entries)) if entries else []
    return {row[0]: row[1:] for row in rows}
