"""The pages of documents: lists below a path; one with its passages, its versions and their changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

from anyio import to_thread
from fastapi import Depends, Query
from starlette.responses import Response

from quipu.errors import NotFound
from quipu.interfaces.web.differences import Difference, difference
from quipu.interfaces.web.excerpts import Excerpt, excerpt, readable
from quipu.interfaces.web.fields import Number, Word, page_router
from quipu.interfaces.web.links import of_document
from quipu.interfaces.web.page_context import PageContext, ShownPage
from quipu.kinds.documents import rules
from quipu.kinds.documents.model import JSON, Document, DocumentVersion, FoundDocument, Passage

router = page_router()

_SHOWN: Final = 30
_FOLDERS: Final = 60
_NEAR: Final = 20
_PASSAGES: Final = 15
_VERSIONS: Final = 10
_LONGEST_ADDRESS: Final = 4_000
_MOST_NAMES: Final = 100
_BYTES_OF_LINKS: Final = 30_000
_BYTES_OF_CRUMBS: Final = 6_000
_BYTES_OF_TEXT: Final = 24_000
_BYTES_OF_VALUE: Final = 12_000
_BYTES_OF_METADATA: Final = 4_000
_BYTES_OF_A_ROW: Final = 300
_COMPARED_BYTES: Final = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentAddress:
    """A path and a key, as in the address: a path with slashes, or its names one by one."""

    path: Annotated[str | None, Query(max_length=_LONGEST_ADDRESS)] = None
    name: Annotated[list[str] | None, Query(max_length=_MOST_NAMES)] = None
    key: Annotated[str | None, Query(max_length=_LONGEST_ADDRESS)] = None

    @property
    def names(self) -> list[str]:
        """The names of the path; none where none is given.

        Raises:
            BadInput: one of them cannot be stored.
        """
        return rules.names("path", self.name or self.path) if self.name or self.path else []

    @property
    def one(self) -> tuple[list[str], str]:
        """The path and the key of one document.

        Raises:
            BadInput: there is no path or no key, or it cannot be stored.
        """
        return rules.names("path", self.name or self.path or ""), rules.key_name("key", self.key)


At = Annotated[DocumentAddress, Depends(DocumentAddress)]


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document in a list: its name below the path that is shown, its address, how it begins."""

    document: Document
    name: str
    href: str
    beginning: Excerpt


@dataclass(frozen=True, slots=True)
class VersionRow:
    """A version of a document; ``is_own`` is false for one of another document that stood there earlier."""

    version: DocumentVersion
    beginning: Excerpt
    is_own: bool


@router.get("/documents")
async def show(
    page: ShownPage, at: At, q: Word = None, user: Word = None, after: Word = None, start: Number = None
) -> Response:
    """Show the documents below a path, the latest change first; or those that answer a question."""
    if not page.space:
        return page.render("nothing.html", title="Documents")
    names = at.names
    query = {**of_document(names), "user": user}
    listed: Sequence[Document] = ()
    found: list[tuple[FoundDocument, str]] = []
    if q:
        found = await _found(page, q, names, user)
    else:
        listed = await page.memory.documents.list(
            names or None, space=page.space, user=user, limit=_SHOWN + 1, after=after
        )
    rows = [_row(page, one, names) for one in listed[:_SHOWN]]
    rows = _fitting(rows, [one.href for one in rows])
    folders, further = ([], None) if q or user or after else await _folders(page, names, start or 0)
    last = rows[-1].document.id if len(rows) < len(listed) else None
    return page.render(
        "documents.html",
        names=names,
        crumbs=_crumbs(page, names),
        asked={"q": q, "user": user},
        at=of_document(names),
        found=found,
        rows=rows,
        folders=folders,
        further=further,
        next=last and page.link("/documents", **query, after=last),
        first=(after or start) and page.link("/documents", **query),
    )


@router.get("/documents/cited/{number}")
async def cited(page: ShownPage, number: str) -> Response:
    """Send the browser on to the document that a hit of recall is a passage of."""
    return page.back(
        page.link("/documents/one", **_of(await page.memory.documents.cited(number, space=page.space)))
    )


@router.get("/documents/one")
async def one(page: ShownPage, at: At, start: Number = None, earlier: Number = None) -> Response:
    """Show a document: what it says, what recall finds of it, and its versions."""
    (names, key), documents = at.one, page.memory.documents
    try:
        document = await documents.get(names, key, space=page.space)
    except NotFound:
        document = None
    versions = await documents.history(names, key, space=page.space, limit=_VERSIONS + 1, offset=earlier or 0)
    passages: Sequence[Passage] = ()
    if document is not None:
        passages = await documents.passages(
            names, key, space=page.space, limit=_PASSAGES + 1, offset=start or 0
        )
    address = of_document(names, key)
    return page.render(
        "document.html",
        one=document,
        key=key,
        names=names,
        at=address,
        crumbs=_crumbs(page, names),
        elsewhere=_elsewhere(page, versions) if document is None else None,
        says=_contents(document),
        passages=passages[:_PASSAGES],
        further=page.link("/documents/one", **address, start=(start or 0) + _PASSAGES)
        if len(passages) > _PASSAGES
        else None,
        versions=_version_rows(versions),
        older=page.link("/documents/one", **address, earlier=(earlier or 0) + _VERSIONS)
        if len(versions) > _VERSIONS
        else None,
        newest=page.link("/documents/one", **address) if start or earlier else None,
    )


@router.get("/documents/difference")
async def changes(page: ShownPage, at: At, new: Number = None, old: Number = None) -> Response:
    """Show the changes between two versions; without an older one, since the version before."""
    names, key = at.one
    later, before = await _two(page, names, key, new=new, old=old)
    parts = await to_thread.run_sync(_differences, before, later)
    return page.render(
        "document_difference.html",
        key=key,
        old=before,
        new=later,
        parts_of=parts,
        at=of_document(names, key),
        back=page.link("/documents/one", **of_document(names, key)),
    )


async def _found(
    page: PageContext, question: str, names: list[str], user: str | None
) -> list[tuple[FoundDocument, str]]:
    """Return the documents that answer a question, with their addresses."""
    documents = await page.memory.documents.search(
        question, space=page.space, path=names or None, user=user, limit=_NEAR
    )
    rows = [(one, page.link("/documents/one", **_of(one.document))) for one in documents]
    return _fitting(rows, [href for _, href in rows])


async def _two(
    page: PageContext, names: list[str], key: str, *, new: int | None, old: int | None
) -> tuple[DocumentVersion, DocumentVersion]:
    """Return a version of a document, and an older one or the one before it.

    Raises:
        NotFound: there is no such version.
    """
    versions: list[DocumentVersion] = []
    later = before = None
    while before is None or later is None:
        more = await page.memory.documents.history(
            names, key, space=page.space, limit=_VERSIONS, offset=len(versions)
        )
        if not more:
            raise NotFound("There is no such version, or none before it.")
        versions += more
        own = [one for one in versions if one.document == versions[0].document]
        later = next((one for one in own if new in (None, one.version)), None)
        before = next((one for one in own if later and _is_before(one, later, old)), None)
    return later, before


def _is_before(one: DocumentVersion, later: DocumentVersion, old: int | None) -> bool:
    return one.version < later.version if old is None else one.version == old


def _differences(old: DocumentVersion, new: DocumentVersion) -> list[tuple[str, Difference]]:
    """Return the changes part by part; parts that are as they were are left out."""
    parts = [
        ("Place", "/".join([*old.path, old.key]), "/".join([*new.path, new.key])),
        ("Text", old.body or "", new.body or ""),
        ("Value", _written_out(old.value), _written_out(new.value)),
        ("Metadata", _written_out(dict(old.metadata) or None), _written_out(dict(new.metadata) or None)),
    ]
    return [(name, difference(was, now)) for name, was, now in parts if was != now]


def _written_out(value: JSON) -> str:
    return "" if value is None else readable(value, most_bytes=_COMPARED_BYTES).text


def _version_rows(versions: Sequence[DocumentVersion]) -> list[VersionRow]:
    return [
        VersionRow(one, _beginning(one.value, one.body), one.document == versions[0].document)
        for one in versions[:_VERSIONS]
    ]


def _elsewhere(page: PageContext, versions: Sequence[DocumentVersion]) -> str | None:
    """Return the address of a document that stands elsewhere by now; None where it was taken away."""
    latest = versions[0] if versions else None
    if latest is None or latest.ended_at is not None:
        return None
    return page.link("/documents/one", **of_document(latest.path, latest.key))


async def _folders(
    page: PageContext, names: list[str], start: int
) -> tuple[list[tuple[str, str]], str | None]:
    """Return the names right below a path with their addresses, and the address of more of them."""
    paths = await page.memory.documents.list_paths(
        names or None, space=page.space, depth=len(names) + 1, limit=_FOLDERS + 1, offset=start
    )
    listed = [(one.path[-1], page.link("/documents", **of_document(one.path))) for one in paths]
    shown = _fitting(listed[:_FOLDERS], [href for _, href in listed[:_FOLDERS]])
    further = page.link("/documents", **of_document(names), start=start + len(shown))
    folders = [pair for pair, path in zip(shown, paths, strict=False) if len(path.path) > len(names)]
    return folders, further if len(shown) < len(listed) else None


def _fitting(rows: Sequence[Any], links: Iterable[str], most_bytes: int = _BYTES_OF_LINKS) -> list[Any]:
    """Return the first rows, as many as have room with their links, at least one: an address may be long."""
    size = 0
    for count, link in enumerate(links):
        size += 2 * len(link)
        if size > most_bytes and count:
            return list(rows[:count])
    return list(rows)


def _crumbs(page: PageContext, names: Sequence[str]) -> list[tuple[str, str]]:
    """Return the paths that a path lies in, itself included, with their addresses; of many the last ones."""
    ends = range(len(names), 0, -1)
    crumbs = [(names[end - 1], page.link("/documents", **of_document(names[:end]))) for end in ends]
    return _fitting(crumbs, [href for _, href in crumbs], _BYTES_OF_CRUMBS)[::-1]


def _of(document: Document) -> dict[str, Any]:
    return of_document(document.path, document.key)


def _row(page: PageContext, document: Document, names: Sequence[str]) -> DocumentRow:
    name = "/".join([*document.path[len(names) :], document.key])
    href = page.link("/documents/one", **_of(document))
    return DocumentRow(document, name, href, _beginning(document.value, document.body))


def _beginning(value: JSON, body: str | None) -> Excerpt:
    """Return the beginning of a content, a few words."""
    if body is None:
        return readable(value, most_bytes=_BYTES_OF_A_ROW)
    return excerpt(body, most_bytes=_BYTES_OF_A_ROW)


def _contents(document: Document | None) -> dict[str, Excerpt | None]:
    """Return the text, the value and the metadata of a document, each as far as a page has room."""
    if document is None:
        return {"body": None, "value": None, "metadata": None}
    body, value, metadata = document.body, document.value, dict(document.metadata)
    return {
        "body": None if body is None else excerpt(body, most_bytes=_BYTES_OF_TEXT),
        "value": None if value is None else readable(value, most_bytes=_BYTES_OF_VALUE),
        "metadata": readable(metadata, most_bytes=_BYTES_OF_METADATA) if metadata else None,
    }
