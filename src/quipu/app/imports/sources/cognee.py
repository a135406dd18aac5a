"""Archives of cognee: COGX 0.1, a folder or a zip.

``manifest.json`` has cogx_version, and each kind of records a file of lines, objects with external_id, scope
(user_id, agent_id, session_id), created_at, updated_at and metadata: ``documents.jsonl`` (content, title),
``episodes.jsonl`` (``turns`` of role, content, occurred_at), ``entities.jsonl`` (name, description),
``facts.jsonl`` (subject_ref, predicate, object_ref, fact_text, valid_at, invalid_at, confidence,
provenance), ``memories.jsonl`` (content, categories) and ``memory_blocks.jsonl`` (label, value).
``nodes.jsonl`` has the other nodes of cognee's own graph, and facts name them by ids: these are left behind.
``permissions.json`` has people's passwords and is never read. Times without a zone are in UTC.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from quipu.app.imports.fields import Account, Fields, Unreadable, object_of
from quipu.app.imports.files import SourceFiles
from quipu.app.imports.found import JSON, Filed, Found, Said, Stated
from quipu.app.imports.source import Source
from quipu.errors import BadInput

_NEWEST: Final = 0
_MANIFEST: Final = r"(?:.*/)?manifest\.json"
_MARK: Final = b'"cogx_version"'
_INNER: Final = frozenset({"system", "tool", "function"})
_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def _recognise(files: SourceFiles) -> bool:
    return any(_MARK in files.begin(name) for name in files.like(_MANIFEST))


def _read(files: SourceFiles, account: Account) -> Iterator[Found]:
    manifests = [name for name in files.like(_MANIFEST) if _MARK in files.begin(name)]
    if not manifests:
        raise BadInput(f"{files.path} is no COGX archive.", field="path")
    account.assume("Times without a zone are in UTC, as COGX has them.")
    for name in manifests:
        with account.reading(name):
            yield from _Archive(files, name, account).records()


@dataclass(frozen=True, slots=True)
class _Base:
    """Fields that every record has."""

    id: str
    user: str | None
    session: str | None
    metadata: dict[str, JSON]


class _Archive:
    """An archive below a folder."""

    def __init__(self, files: SourceFiles, manifest: str, account: Account) -> None:
        self._files = files
        self._root = manifest.removesuffix("manifest.json")
        self._account = account
        self._entities: dict[str, tuple[str, str]] = {}
        self._turns: dict[str, int] = {}  # of each episode
        with account.fields(files.json(manifest), "manifest") as given:
            version = given.words("cogx_version")
            if (major := version.partition(".")[0]) != str(_NEWEST):
                raise BadInput(f"{manifest} is COGX {major}; 0 is the newest that is known.", field="path")
            account.version = f"COGX {version}"
            given.rest()

    def records(self) -> Iterator[Found]:
        """Yield what was said and filed, then what was drawn from it."""
        for where, raw in self._lines("episodes"):
            with self._account.reading(where), self._account.fields(raw, "episode") as one:
                yield from self._episode(one, where)
        for where, raw in self._lines("documents"):
            with self._account.reading(where), self._account.fields(raw, "document") as one:
                yield self._document(one)
        for where, raw in self._lines("entities"):
            with self._account.reading(where), self._account.fields(raw, "entity") as one:
                self._entity(one)
        for kind, called, made in (
            ("facts", "fact", self._fact),
            ("memories", "memory", self._memory),
            ("memory_blocks", "block", self._block),
        ):
            for where, raw in self._lines(kind):
                with self._account.reading(where), self._account.fields(raw, called) as one:
                    if (found := made(one, raw)) is not None:
                        yield found
        untold = sum(1 for _, about in self._entities.values() if about)
        self._account.leave_out("description of an entity that no current fact names", untold)
        for _, raw in self._lines("nodes"):
            self._account.leave_out(f"graph node of the type {object_of(raw).get('type')}")
        if f"{self._root}permissions.json" in self._files:
            self._account.leave_out("people's permissions and passwords")

    def _lines(self, kind: str) -> Iterator[tuple[str, JSON]]:
        name = f"{self._root}{kind}.jsonl"
        if name in self._files:
            yield from self._files.objects(name, self._account)

    def _base(self, one: Fields) -> _Base:
        scope = one.part("scope")
        about = {name: scope.text(name) for name in ("agent_id", "run_id")}
        about["system"] = one.text("external_system")
        for known in ("kind", "created_at", "updated_at"):
            one.get(known)
        metadata = {**{name: value for name, value in about.items() if value}, **one.object("metadata")}
        return _Base(one.words("external_id"), scope.text("user_id"), scope.text("session_id"), metadata)

    def _episode(self, one: Fields, where: str) -> Iterator[Said]:
        base, title, created = self._base(one), one.text("title"), one.time("created_at")
        metadata = {**base.metadata, **({"title": title} if title else {})}
        turns = one.list("turns")
        self._turns[base.id] = len(turns)
        for number, raw in enumerate(turns, start=1):
            place = f"{where}, turn {number:,}"
            with self._account.reading(place), self._account.fields(raw, "turn") as turn:
                role = turn.words("role").lower()
                yield Said(
                    id=str(number),
                    session=base.id,
                    content=turn.text("content") or "",
                    role=role,
                    user=base.user,
                    time=turn.time("occurred_at") or created,
                    metadata=metadata,
                    heard=role not in _INNER,
                    raw=raw,
                )

    def _document(self, one: Fields) -> Filed:
        base = self._base(one)
        about = {name: value for name in ("title", "mime_type") if (value := one.text(name))}
        return Filed(
            id=base.id,
            path=("cognee", "documents"),
            key=base.id,
            body=one.text("content") or "",
            metadata={**base.metadata, **about},
            user=base.user,
            created_at=one.time("created_at"),
            updated_at=one.time("updated_at"),
        )

    def _entity(self, one: Fields) -> None:
        base = self._base(one)
        self._entities[base.id] = (one.words("name"), one.text("description") or "")

    def _fact(self, one: Fields, raw: JSON) -> Stated | None:
        base, relation = self._base(one), one.words("predicate")
        ends = (one.words("subject_ref"), one.words("object_ref"))
        start, until, created = (one.time(name) for name in ("valid_at", "invalid_at", "created_at"))
        said, confidence = one.text("fact_text"), one.number("confidence")
        sources = [words for source in _texts(one, "provenance") for words in self._words(source)]
        if any(_UUID.fullmatch(end) and end not in self._entities for end in ends):
            self._account.leave_out("edge of a node of the graph that is no entity")
            return None
        if start is not None and until is not None and start > until:
            start = until  # it was withdrawn before it began
        names = [self._entities.get(end, (end, ""))[0] for end in ends]
        details: list[str] = []
        for end in ends:
            name, description = self._entities.get(end, ("", ""))
            if until is None and description:
                details.append(f"{name}: {description}")
                self._entities[end] = (name, "")
        return Stated(
            id=base.id,
            text=said or f"{names[0]} {relation.replace('_', ' ')} {names[1]}",
            details="\n".join(details) or None,
            category=relation,
            confidence=None if confidence is None else min(max(confidence, 0.0), 1.0),
            user=base.user,
            session=base.session,
            time=start or created,
            valid_from=start,
            valid_until=until,
            sources=sources,
            metadata={**base.metadata, "subject": names[0], "predicate": relation, "object": names[1]},
            raw=raw,
        )

    def _words(self, source: str) -> list[str]:
        """Return the words of an episode, each its session, a slash and its id."""
        return [f"{source}/{number}" for number in range(1, self._turns.get(source, 0) + 1)]

    def _memory(self, one: Fields, raw: JSON) -> Stated:
        base, categories = self._base(one), _texts(one, "categories")
        return Stated(
            id=base.id,
            text=one.words("content"),
            category=categories[0] if categories else None,
            user=base.user,
            session=base.session,
            time=one.time("created_at"),
            metadata={**base.metadata, **({"categories": categories} if categories else {})},
            raw=raw,
        )

    def _block(self, one: Fields, raw: JSON) -> Stated | Filed:
        """Return a block of memory: a persona is an instruction."""
        base, label, value = self._base(one), one.words("label"), one.words("value")
        time, limit = one.time("created_at"), one.number("limit")
        about = {**base.metadata, "label": label, **({} if limit is None else {"limit": limit})}
        if label.removeprefix("system/") == "persona":
            return Filed(
                id=base.id,
                path=("cognee", "personas"),
                key=base.id,
                body=value,
                metadata=about,
                user=base.user,
                created_at=time,
                index=False,
                raw=raw,
            )
        return Stated(
            id=base.id, text=value, category=label, user=base.user, time=time, metadata=about, raw=raw
        )


def _texts(one: Fields, name: str) -> list[str]:
    given = one.list(name)
    if not all(isinstance(text, str) for text in given):
        raise Unreadable(name, "it is no list of texts")
    return list(given)


SOURCE: Final = Source(
    name="cognee",
    title="cognee (COGX)",
    takes="conversations, documents, facts and memories of a COGX archive",
    recognise=_recognise,
    read=_read,
)
