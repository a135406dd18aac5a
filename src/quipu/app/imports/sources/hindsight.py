"""Banks of Hindsight: the zip of its export (schema 1), of documents or of a whole bank.

``manifest.json`` names the bank (source_bank_id). ``documents/000000.json`` and so on have a document each:
id, original_text, ``chunks`` of it, and ``facts`` (text, fact_type ``world`` or ``experience``,
occurred_start, occurred_end, mentioned_at, tags, entities, causal_relations by the number of a fact in the
document). ``observations.json`` is drawn from facts, named by document and number. A whole bank has rows of
tables too: ``banks`` (its background is a persona), ``mental_models`` with ``mental_model_history`` (the
content before a change), ``directives`` (instructions), ``knowledge_pages`` (the tree in which mental models
stand), ``webhooks``, ``history/``. Values of JSON in them may be texts of JSON.

occurred_end is when an event was over, not until when a fact held: facts of Hindsight have no end.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from hashlib import sha256
from typing import Final

from quipu.app.imports.fields import Account, Fields, list_of, object_of
from quipu.app.imports.files import SourceFiles
from quipu.app.imports.found import JSON, Earlier, Filed, Found, Stated
from quipu.app.imports.source import Source
from quipu.errors import BadInput
from quipu.kernel.base.depth import is_too_deep

_SCHEMA: Final = 1
_ABOUT: Final = ("tags", "entities", "causal_relations", "observation_scopes", "chunk_index", "metadata")
_TIMES: Final = ("occurred_start", "occurred_end", "mentioned_at", "event_date")
_LEFT: Final = "Hindsight exports neither invalidated facts nor the history of observations."


def _recognise(files: SourceFiles) -> bool:
    return any(b'"source_bank_id"' in files.begin(name) for name in files.like(r"(?:.*/)?manifest\.json"))


def _read(files: SourceFiles, account: Account) -> Iterator[Found]:
    manifests = files.like(r"(?:.*/)?manifest\.json")
    banks = [name for name in manifests if b'"source_bank_id"' in files.begin(name)]
    if not banks:
        raise BadInput(f"{files.path} is no export of a bank of Hindsight.", field="path")
    account.assume(_LEFT)
    account.assume("Times without a zone are in UTC, as Hindsight writes them.")
    for name in banks:
        root = name.removesuffix("manifest.json")
        with account.reading(name):
            yield from _Bank(files, root, account).records()


class _Bank:
    """An export of a bank below a folder."""

    def __init__(self, files: SourceFiles, root: str, account: Account) -> None:
        self._files = files
        self._root = root
        self._account = account
        self._encoded = False
        with account.fields(files.json(f"{root}manifest.json"), "manifest") as manifest:
            version = manifest.number("schema_version") or _SCHEMA
            if version > _SCHEMA:
                raise BadInput(
                    f"{files.path} is of schema {version:g}; {_SCHEMA} is the newest that is known.",
                    field="path",
                )
            self._path = ("hindsight", manifest.words("source_bank_id"))
            account.version = f"schema {version:g}"
            manifest.rest()

    def records(self) -> Iterator[Found]:
        """Yield what the bank has: documents and what was drawn from them, then what stands by itself."""
        for name in self._files.like(rf"{re.escape(self._root)}documents/[^/]+\.json"):
            try:
                raw = self._files.json(name)
            except BadInput as error:
                self._account.refuse(name, error.message.removeprefix("path: "))
                continue
            with self._account.reading(name), self._account.fields(raw, "document") as one:
                yield from self._document(one, name)
        for where, raw in self._rows("observations"):
            with self._account.reading(where), self._account.fields(raw, "observation") as one:
                yield self._observation(one, raw)
        yield from self._models()
        for table, called in (("directives", "directive"), ("banks", "bank")):
            for where, raw in self._rows(table):
                with self._account.reading(where), self._account.fields(raw, called) as one:
                    if (found := self._instruction(one, raw, called)) is not None:
                        yield found
        self._account.leave_out("webhook", sum(1 for _ in self._rows("webhooks")))
        logs = self._files.like(rf"{re.escape(self._root)}history/.*")
        self._account.leave_out("file of the log of operations", len(logs))

    def _rows(self, table: str) -> Iterator[tuple[str, JSON]]:
        name = f"{self._root}{table}.json"
        if name in self._files:
            for number, raw in enumerate(self._files.each(name), start=1):
                yield f"{name}, row {number:,}", raw

    def _document(self, given: Fields, name: str) -> Iterator[Found]:
        id_, created = given.words("id"), given.time("created_at")
        chunks = [object_of(one) for one in given.list("chunks")]  # in their order
        body = given.text("original_text")
        if body is None:
            body = "\n".join(text for one in chunks if isinstance(text := one.get("chunk_text"), str))
        metadata = {"tags": given.list("tags"), "retain_params": given.object("retain_params")}
        facts = given.list("facts")
        yield Filed(
            id=id_,
            path=(*self._path, "documents"),
            key=id_,
            body=body,
            metadata={key: value for key, value in metadata.items() if value},
            created_at=created,
            updated_at=created,
        )
        for number, raw in enumerate(facts):
            where = f"{name}, fact {number:,}"
            with self._account.reading(where), self._account.fields(raw, "fact") as fact:
                yield self._fact(fact, raw, id_, number)

    def _fact(self, fact: Fields, raw: JSON, document: str, number: int) -> Stated:
        about = {name: fact.get(name) for name in _ABOUT} | {name: fact.text(name) for name in _TIMES}
        start, _, told, other = (fact.time(name) for name in _TIMES)
        created = fact.time("created_at")
        for known in ("consolidated_at", "consolidation_failed_at"):
            fact.get(known)
        return Stated(
            id=f"{document}#{number}",
            text=fact.words("text"),
            details=fact.text("context"),
            category=fact.text("fact_type"),
            time=start or told or other or created,
            sources=[document],
            metadata={key: value for key, value in about.items() if value not in (None, [], {})},
            raw=raw,
        )

    def _observation(self, given: Fields, raw: JSON) -> Stated:
        text = given.words("text")
        about = {name: given.get(name) for name in ("tags", "observation_scopes", "proof_count")}
        about |= {name: given.text(name) for name in _TIMES}
        start, _, told, other = (given.time(name) for name in _TIMES)
        drawn = [object_of(source) for source in given.list("sources")]
        documents = {name: None for one in drawn if isinstance(name := one.get("document_id"), str)}
        facts = [f"{source.get('document_id')}#{source.get('fact_index')}" for source in drawn]
        digest = sha256(json.dumps([text, facts]).encode()).hexdigest()[:32]
        return Stated(
            id=f"observation/{digest}",
            text=text,
            category="observation",
            time=start or told or other,
            sources=list(documents),
            metadata={key: value for key, value in {**about, "facts": facts}.items() if value},
            raw=raw,
        )

    def _models(self) -> Iterator[Filed]:
        """Yield mental models, each with its versions and its place in the tree of pages."""
        changes: dict[str, list[tuple[datetime | None, str]]] = {}
        for where, raw in self._rows("mental_model_history"):
            with self._account.reading(where), self._account.fields(raw, "mental_model_history") as one:
                before, time = object_of(_decoded(one.get("content"))), one.time("changed_at")
                one.get("bank_id")
                text = before.get("previous_content") or before.get("content")
                if isinstance(text, str):
                    changes.setdefault(one.words("mental_model_id"), []).append((time, text))
        pages = self._pages()
        for where, raw in self._rows("mental_models"):
            with self._account.reading(where), self._account.fields(raw, "mental_model") as one:
                id_, name, body = one.words("id"), one.text("name"), one.first("content", "description")
                one.get("bank_id")
                metadata = {
                    "name": name,
                    "page": pages.get(id_),
                    "question": one.text("source_query"),
                    "tags": list_of(_decoded(one.get("tags"))),
                }
                created, before = one.time("created_at"), changes.get(id_, [])
                updated = one.time("last_refreshed_at") or one.time("last_updated")
                written = [created, *(at for at, _ in before)]
                yield Filed(
                    id=f"mental_model/{id_}",
                    path=(*self._path, "mental_models"),
                    key=id_,
                    body=body or "",
                    metadata={key: value for key, value in metadata.items() if value},
                    created_at=created,
                    updated_at=updated or written[-1],
                    earlier=[
                        Earlier(body=text, time=time)
                        for time, (_, text) in zip(written, before, strict=False)
                    ],
                    raw=raw,
                )

    def _pages(self) -> dict[str, str]:
        """Return the place of each mental model in the tree of pages."""
        nodes: dict[str, tuple[str | None, str]] = {}
        shown: dict[str, str] = {}
        for where, raw in self._rows("knowledge_pages"):
            with self._account.reading(where), self._account.fields(raw, "knowledge_page") as one:
                id_, name, above = one.text("id"), one.text("name"), one.text("parent_id")
                model = one.text("mental_model_id")
                for known in ("kind", "sort_order", "managed", "created_at", "updated_at"):
                    one.get(known)
                if id_ is None or name is None:
                    continue
                nodes[id_] = (above, name)
                if model is not None:
                    shown[model] = id_
        return {model: _page(id_, nodes) for model, id_ in shown.items()}

    def _instruction(self, one: Fields, raw: JSON, called: str) -> Filed | None:
        """Return a directive, or what a bank is told to be: instructions, which are no memories."""
        id_ = one.first("id", "bank_id", "internal_id")
        body = one.first("content", "background", "mission")
        one.get("bank_id")
        if body is None:
            self._account.leave_out(f"{called} without a text")
            return None
        about = {name: one.get(name) for name in ("name", "is_active", "priority")}
        return Filed(
            id=f"{called}/{id_}",
            path=(*self._path, f"{called}s"),
            key=id_ or called,
            body=body,
            metadata={name: value for name, value in about.items() if value is not None},
            created_at=one.time("created_at"),
            updated_at=one.time("updated_at"),
            index=False,
            raw=raw,
        )


def _page(id_: str, nodes: Mapping[str, tuple[str | None, str]]) -> str:
    names: list[str] = []
    at: str | None = id_
    while at is not None and at in nodes and len(names) <= len(nodes):
        at, name = nodes[at]
        names.insert(0, name)
    return "/".join(names)


def _decoded(value: JSON) -> JSON:
    """Return a value of a row, which may be a text of JSON."""
    if not isinstance(value, str) or is_too_deep(value.encode("utf-8", "replace")):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


SOURCE: Final = Source(
    name="hindsight",
    title="Hindsight",
    takes="documents, facts, observations and mental models of an exported bank",
    recognise=_recognise,
    read=_read,
)
