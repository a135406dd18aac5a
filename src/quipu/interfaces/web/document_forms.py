"""The forms of documents: written, edited, moved, taken away and brought back, taken out for good."""

from __future__ import annotations

import json
from typing import Annotated, Final

from fastapi import Form, Query
from starlette.responses import Response

from quipu.errors import BadInput, Outdated
from quipu.interfaces.serving.confirmation import shown, token
from quipu.interfaces.web.documents import At
from quipu.interfaces.web.fields import MOST_CHARACTERS, Filled, Sure, Text, page_router
from quipu.interfaces.web.links import of_document
from quipu.interfaces.web.page_context import PageContext, SentForm, ShownPage
from quipu.kinds.documents import rules
from quipu.kinds.documents.model import JSON, Document

router = page_router()

_LONGEST_ADDRESS: Final = 4_000
_ONE: Final = "/documents/one"
Version = Annotated[int, Query(ge=1)]
Name = Annotated[str, Form(max_length=_LONGEST_ADDRESS)]


@router.post("/documents")
async def add(
    page: SentForm,
    path: Name = "",
    key: Name = "",
    body: Text = "",
    value: Filled = None,
    user: Filled = None,
) -> Response:
    """Write a new document."""
    put = await page.memory.documents.put(
        path,
        key,
        _read(value),
        body=_lines(body) or None,
        user=user,
        space=page.space,
        expected_version=0,
    )
    return page.back(_address(page, put), news=f"The document is saved.{_cut_out(put)}")


@router.get("/documents/edit")
async def edit(page: ShownPage, at: At) -> Response:
    """Show the form that gives a document another text or value."""
    document = await page.memory.documents.get(*at.one, space=page.space)
    if _is_long(document):
        raise BadInput(
            f"it has more than {MOST_CHARACTERS:,} characters, and cannot be edited on a page.",
            field="body",
            hint="Use `quipu documents put`.",
        )
    return _form(page, document)


@router.post("/documents/edit")
async def save(
    page: SentForm,
    at: At,
    expected_version: Annotated[int, Form()],
    body: Annotated[str | None, Form(max_length=2 * MOST_CHARACTERS)] = None,
    value: Annotated[str | None, Form(max_length=2 * MOST_CHARACTERS)] = None,
) -> Response:
    """Give a document another text or value; where somebody else changed it meanwhile, show both."""
    documents, (path, key) = page.memory.documents, at.one
    now = await documents.get(path, key, space=page.space)
    try:
        put = await documents.put(
            path,
            key,
            now.value if value is None else _read(value),
            body=now.body if body is None else _lines(body, like=now.body),
            metadata=now.metadata,
            user=now.user,
            index=now.index,
            ttl_seconds=now.ttl_seconds,
            verbatim=now.metadata.get("verbatim") is True,
            expected_version=expected_version,
            space=page.space,
        )
    except Outdated:
        return _form(page, now, yours={"body": body, "value": value}, seen=expected_version)
    return page.back(_address(page, put), news=f"It is changed; the earlier version is kept.{_cut_out(put)}")


@router.post("/documents/rename")
async def rename(page: SentForm, at: At, to: Name = "", to_key: Name = "") -> Response:
    """Give a document another place."""
    path, key = at.one
    target = rules.names("to", to) if to else path
    await page.memory.documents.rename(path, key, to=target, to_key=to_key or None, space=page.space)
    return page.back(
        page.link(_ONE, **of_document(target, to_key or key)), news="It is moved, with its versions."
    )


@router.post("/documents/delete")
async def delete(page: SentForm, at: At) -> Response:
    """Take a document away."""
    document = await page.memory.documents.delete(*at.one, space=page.space)
    news = "The document is deleted: recall no longer finds it; it can be brought back."
    return page.back(_address(page, document), news=news)


@router.post("/documents/revert")
async def revert(page: SentForm, at: At, to: Annotated[int, Form()]) -> Response:
    """Have a document read as an earlier version did; one that was deleted comes back."""
    document = await page.memory.documents.revert(*at.one, to=to, space=page.space)
    return page.back(_address(page, document), news=f"What version {to} said is back.")


@router.get("/documents/redact")
async def preview_redaction(page: ShownPage, at: At, version: Version) -> Response:
    """Show the version whose content would be taken out."""
    path, key = at.one
    one = await page.memory.documents.redact(
        path, key, version, document=await _shown(page, at), space=page.space
    )
    return page.confirm(
        title=f"Redact version {version}?",
        sentence=f"What version {version} of {key} said goes for good. Its place among the versions stays.",
        action=page.link("/documents/redact", **of_document(path, key), version=version),
        button="Redact",
        back=page.link(_ONE, **of_document(path, key)),
        values={"sha256": one.sha256},
    )


@router.post("/documents/redact")
async def redact(
    page: SentForm, at: At, version: Version, confirmed: Sure = False, sha256: Filled = None
) -> Response:
    """Take the content of a version out for good."""
    (path, key), documents, document = at.one, page.memory.documents, await _shown(page, at)
    one = await documents.redact(path, key, version, document=document, space=page.space)
    if not confirmed or one.sha256 != sha256:
        return page.back(page.link("/documents/redact", **of_document(path, key), version=version))
    await documents.redact(path, key, version, document=document, space=page.space, confirm=True)
    return page.back(
        page.link(_ONE, **of_document(path, key)), news=f"The content of version {version} is taken out."
    )


async def _shown(page: PageContext, at: At) -> str:
    """Return the id of the document whose versions can be redacted on its page: the latest one."""
    (latest,) = await page.memory.documents.history(*at.one, space=page.space, limit=1)
    return latest.document


@router.get("/documents/erase")
async def preview_erasure(page: ShownPage, at: At) -> Response:
    """Show the rows that erasing a document, or all below a path, would take."""
    path = rules.names("path", at.names)
    erasure = await page.memory.documents.erase(path, at.key or None, space=page.space)
    what, place = _named(path, at.key or None), of_document(path, at.key or None)
    return page.confirm(
        title=f"Erase {what}?",
        sentence="It goes with every version, at once and for good. A receipt without content stays.",
        counts={name: count for name, count in erasure.counts.items() if count},
        left=erasure.left,
        action=page.link("/documents/erase", **place),
        button="Erase",
        back=page.link(_ONE if at.key else "/documents", **place),
        values={"token": token("erase", shown(erasure, (), everywhere=False))},
    )


@router.post("/documents/erase")
async def erase(
    page: SentForm,
    at: At,
    confirmed: Sure = False,
    given: Annotated[str, Form(alias="token")] = "",
) -> Response:
    """Erase, and show the receipt. What would go and changed since it was shown is shown again."""
    path, documents = rules.names("path", at.names), page.memory.documents
    seen = await documents.erase(path, at.key or None, space=page.space)
    if not confirmed or given != token("erase", shown(seen, (), everywhere=False)):
        return page.back(page.link("/documents/erase", **of_document(path, at.key or None)))
    done = await documents.erase(path, at.key or None, space=page.space, confirm=True)
    counts = {name: count for name, count in done.counts.items() if count}
    return page.render("receipt.html", done=done, what=_named(path, at.key or None), counts=counts)


def _form(
    page: PageContext, now: Document, *, yours: dict[str, str | None] | None = None, seen: int | None = None
) -> Response:
    """Show the form; after a conflict with what stands now, and with what somebody wanted to write."""
    standing = {"body": now.body, "value": None if now.value is None else _written(now.value)}
    return page.render(
        "document_edit.html",
        status=200 if yours is None else 409,
        one=now,
        standing=standing,
        says=standing if yours is None else yours,
        seen=seen,
        action=page.link("/documents/edit", **of_document(now.path, now.key)),
        back=_address(page, now),
    )


def _address(page: PageContext, document: Document) -> str:
    return page.link(_ONE, **of_document(document.path, document.key))


def _named(path: list[str], key: str | None) -> str:
    place = "/".join([*path, *([key] if key else [])])
    return f"the document {place}" if key else f"all documents below {place}"


def _cut_out(put: Document) -> str:
    return f" {put.redacted:,} secrets were cut out of it." if put.redacted else ""


def _is_long(document: Document) -> bool:
    """Return True if a form has no room for it; written on one line first, which is quick."""
    value = document.value
    if len(document.body or "") > MOST_CHARACTERS or len(json.dumps(value)) > MOST_CHARACTERS:
        return True
    return len(_written(value)) > MOST_CHARACTERS


def _written(value: JSON) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def _read(value: str | None) -> JSON:
    """Return a value that was typed as JSON; None for an empty field.

    Raises:
        BadInput: it is no JSON.
    """
    if value is None or not value.strip():
        return None
    try:
        return json.loads(value)
    except RecursionError as error:
        raise BadInput("it is nested too deep.", field="value") from error
    except ValueError as error:
        raise BadInput(f"it is no JSON: {error}.", field="value") from error


def _lines(text: str, *, like: str | None = None) -> str:
    """Return a text of a form, where lines end with CR LF, with the line ends of what it replaces."""
    plain = text.replace("\r\n", "\n")
    return plain.replace("\n", "\r\n") if like and "\r\n" in like else plain
