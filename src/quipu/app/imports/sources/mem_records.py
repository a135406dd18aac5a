"""Records of a ``.mem`` bundle, and what becomes of each: words, statements or documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from quipu.app.imports.fields import Account, Fields, moment, object_of
from quipu.app.imports.found import JSON, Filed, Found, Said, Stated
from quipu.upkeep.archive.formats.mem import USER

ROOT: Final = "mem"
_CHATS: Final = frozenset({"chat", "conversation", "message"})
_PARENTS: Final[Mapping[str, tuple[str, ...]]] = {
    "fact": ("id", "episodeID"),
    "edge": ("id", "srcEntityID", "dstEntityID"),
    "preference": (),
}
_INSTRUCTIONS: Final = frozenset({"CLAUDE.md", "AGENTS.md", "GEMINI.md"})
_LONG_AGO: Final = datetime(1970, 1, 1, tzinfo=UTC)
_GONE: Final = "deleted at the source"


def names_of(kind: str, raw: JSON) -> Iterator[str]:
    """Yield the ids without which a record does not stand: its own, and those of what it is about."""
    for name in _PARENTS.get(kind, ("id",)):
        id = object_of(raw).get(name)
        if isinstance(id, str):
            yield id


@dataclass(slots=True)
class Bundle:
    """Index of a bundle, for records that need others: ids that were deleted, names, texts of files.

    ``words`` has the session and id of the message that an episode became, with a slash between them. In a
    bundle ``of_quipu`` the speaker of a fact is whose it is.
    """

    account: Account
    of_quipu: bool = False
    buried: set[str] = field(default_factory=set[str])
    contexts: dict[str, str] = field(default_factory=dict[str, str])
    entities: dict[str, str] = field(default_factory=dict[str, str])
    words: dict[str, str] = field(default_factory=dict[str, str])
    begins: dict[str, datetime] = field(default_factory=dict[str, datetime])
    chunks: dict[str, list[tuple[float, str]]] = field(default_factory=dict[str, list[tuple[float, str]]])

    def bury(self, raw: JSON) -> None:
        """Take a tombstone: what it names is gone, and what was derived of it."""
        derived = object_of(raw).get("derived")
        names = [object_of(raw).get("targetID")]
        for kind in ("factIDs", "edgeIDs", "entityIDs", "chunkIDs"):
            listed = object_of(derived).get(kind)
            names += listed if isinstance(listed, list) else []
        self.buried.update(name for name in names if isinstance(name, str))

    def learn(self, kind: str, raw: JSON) -> None:
        """Take what a record is called, when it began to hold, or that it was deleted."""
        id = object_of(raw).get("id")
        if not isinstance(id, str):
            return
        if kind == "episode" and object_of(raw).get("deletedAt"):
            self.buried.add(id)
        elif kind == "entity" and isinstance(name := object_of(raw).get("canonicalName"), str):
            self.entities[id] = name
        elif kind == "fact":
            with suppress(ValueError, OverflowError, OSError):
                self.begins[id] = moment(object_of(raw).get("tValidFrom"))

    def fold(self, kind: str, raw: JSON) -> None:
        """Take the title of a context, or a piece of a file, unless it was deleted."""
        with self.account.fields(raw, kind) as one:
            id = one.words("id")
            if kind == "context":
                self.contexts[id] = one.text("label") or id
                return
            resource, text, position = one.words("resourceID"), one.text("text"), one.number("position")
        if id in self.buried or resource in self.buried:
            self.account.leave_out(_GONE)
        elif text is not None:
            self.chunks.setdefault(resource, []).append((position or 0, text))


def _episode(raw: JSON, bundle: Bundle) -> Iterator[Found]:
    with bundle.account.fields(raw, "episode") as one:
        id, kind, speaker = one.words("id"), one.text("sourceType"), one.text("speaker")
        text = one.text("details") or one.text("summary")
        one.get("summary")
        time, context, expires = one.time("eventTime"), one.text("contextID"), one.time("expirationDate")
        given, categories = one.object("metadata"), one.list("categories")
        confidence = one.number("confidence")
    if text is None:
        bundle.account.leave_out("episode without text")
        return
    metadata: dict[str, JSON] = {**given}
    if context and context in bundle.contexts:
        metadata["title"] = bundle.contexts[context]
    path = given.get("claude_path")
    if isinstance(path, str) and path.rpartition("/")[2] in _INSTRUCTIONS:
        yield _filed(id, ("instructions",), path, text, raw, metadata=metadata, index=False)
    elif given.get("claude_role") == "index":
        bundle.account.leave_out("index of memories that stand beside it")
    elif (kind in _CHATS or speaker) and not any(name.startswith("mem0_") for name in given):
        session = context or ROOT
        bundle.words[id] = f"{session}/{id}"
        is_role = speaker in ("user", "assistant", "system", "tool")
        yield Said(
            id=id,
            session=session,
            content=text,
            role=speaker if is_role and speaker else "user",
            speaker=None if is_role else speaker,
            user=user if isinstance(user := metadata.pop(USER, None), str) else None,
            time=time,
            metadata=metadata,
            heard=speaker != "system",
            raw=raw,
        )
    else:
        yield Stated(
            id=id,
            text=text,
            category=next((name for name in categories if isinstance(name, str)), None),
            confidence=_share(confidence),
            user=user if isinstance(user := given.get("mem0_user_id"), str) else None,
            session=context,
            time=time,
            valid_until=expires,
            metadata=metadata,
            raw=raw,
        )


def _share(value: float | None) -> float | None:
    return None if value is None else min(1.0, max(0.0, value))


def _ended(one: Fields, begun: datetime | None, bundle: Bundle) -> datetime | None:
    """Return when a statement ceased to hold; None if it holds.

    One that another replaced, without a time, ended when that one began, else when it was written itself.
    """
    until, pruned, by = one.time("tValidTo"), one.time("prunedAt"), one.text("supersededBy")
    if until is not None or pruned is not None:
        return min(time for time in (until, pruned) if time is not None)
    return (bundle.begins.get(by) or begun or _LONG_AGO) if by else None


def _began(begun: datetime | None, until: datetime | None) -> datetime | None:
    """Return when a statement began to hold; None if it ended in that moment."""
    return None if begun and until and until <= begun else begun


def _fact(raw: JSON, bundle: Bundle) -> Iterator[Found]:
    with bundle.account.fields(raw, "fact") as one:
        id, text, begun = one.words("id"), one.text("text"), one.time("tValidFrom")
        triple = [one.text(name) for name in ("subject", "predicate", "object")]
        source, said = one.text("episodeID"), one.time("eventTime") or one.time("createdAt")
        one.get("createdAt")
        user = one.text("speaker") if bundle.of_quipu else None
        confidence, until = one.number("confidence"), _ended(one, begun, bundle)
    words = text or " ".join(filter(None, triple))
    if not words:
        bundle.account.leave_out("fact without text")
        return
    names = dict(zip(("subject", "predicate", "object"), triple, strict=True))
    yield Stated(
        id=id,
        text=words,
        confidence=_share(confidence),
        user=user,
        time=said or begun,
        valid_from=_began(begun, until),
        valid_until=until,
        sources=[bundle.words[source]] if source in bundle.words else (),
        metadata={name: value for name, value in names.items() if value},
        raw=raw,
    )


def _edge(raw: JSON, bundle: Bundle) -> Iterator[Found]:
    with bundle.account.fields(raw, "edge") as one:
        id, begun = one.words("id"), one.time("tValidFrom")
        ends = [one.words(name) for name in ("srcEntityID", "dstEntityID")]
        relation, learned = one.words("edgeType"), one.time("ingestionTime")
        sources, confidence = one.list("evidenceEpisodeIDs"), one.number("confidence")
        until = _ended(one, begun, bundle)
    source, target = (bundle.entities.get(end, end) for end in ends)
    yield Stated(
        id=id,
        text=f"{source} {relation.replace('_', ' ').lower()} {target}",
        confidence=_share(confidence),
        time=learned or begun,
        valid_from=_began(begun, until),
        valid_until=until,
        sources=[bundle.words[name] for name in sources if isinstance(name, str) and name in bundle.words],
        metadata={"subject": source, "predicate": relation, "object": target},
        raw=raw,
    )


def _entity(raw: JSON, bundle: Bundle) -> Iterator[Found]:
    with bundle.account.fields(raw, "entity") as one:
        id, name, summary = one.words("id"), one.words("canonicalName"), one.text("summary")
        kind, aliases, changed = one.text("type"), one.list("aliases"), one.time("updatedAt")
    if summary is None:
        bundle.account.leave_out("entity without a summary")
        return
    about = {"type": kind, "aliases": aliases}
    yield Stated(
        id=id,
        text=f"{name}: {summary}",
        time=changed,
        metadata={name: value for name, value in about.items() if value},
        raw=raw,
    )


def _core(raw: JSON, bundle: Bundle) -> Iterator[Found]:
    with bundle.account.fields(raw, "core") as one:
        id, content = one.words("id"), one.text("content")
    if content is None:
        bundle.account.leave_out("profile without text")
        return
    if id.lower() == "persona":
        yield _filed(id, ("core",), id, content, raw, index=False)
    else:
        yield Stated(id=id, text=content, category=id, raw=raw)


def _preference(raw: JSON, bundle: Bundle) -> Iterator[Found]:
    with bundle.account.fields(raw, "preference") as one:
        key, value = one.words("key"), one.words("value")
    yield Stated(id=f"preference/{key}", text=f"{key}: {value}", category="preference", raw=raw)


def _procedure(raw: JSON, bundle: Bundle) -> Iterator[Found]:
    with bundle.account.fields(raw, "procedure") as one:
        id, name, trigger = one.words("id"), one.text("name"), one.text("triggerPattern")
        steps, is_on = one.list("steps"), one.flag("enabled")
    numbered = [f"{number}. {step}" for number, step in enumerate(steps, start=1) if isinstance(step, str)]
    body = "\n".join(filter(None, (name, trigger and f"When: {trigger}", *numbered)))
    if body:
        metadata = {"title": name} if name else {}
        yield _filed(id, ("procedures",), id, body, raw, metadata=metadata, index=is_on)


def _resource(raw: JSON, bundle: Bundle) -> Iterator[Found]:
    with bundle.account.fields(raw, "resource") as one:
        id, uri, title = one.words("id"), one.text("uri"), one.text("title")
        summary, kind = one.text("summary"), one.text("mimeType")
        created, modified = one.time("created"), one.time("modified")
    chunks = sorted(bundle.chunks.pop(id, ()), key=lambda chunk: chunk[0])
    about = {"uri": uri, "title": title, "type": kind, "summary": summary}
    body = "\n\n".join(text for _, text in chunks) or summary
    if body is None:
        bundle.account.leave_out("resource without text")
        return
    yield _filed(
        id,
        ("resources",),
        id,
        body,
        raw,
        metadata={name: value for name, value in about.items() if value},
        created_at=created,
        updated_at=modified,
    )


def _filed(
    id: str,
    path: tuple[str, ...],
    key: str,
    body: str,
    raw: JSON,
    *,
    metadata: Mapping[str, JSON] | None = None,
    created_at: datetime | None = None,
    updated_at: datetime | None = None,
    index: bool = True,
) -> Filed:
    return Filed(
        id=id,
        path=(ROOT, *path),
        key=key,
        body=body,
        metadata=metadata or {},
        created_at=created_at,
        updated_at=updated_at,
        index=index,
        raw=raw,
    )


READERS: Final[Mapping[str, Callable[[JSON, Bundle], Iterator[Found]]]] = {
    "episode": _episode,
    "fact": _fact,
    "edge": _edge,
    "entity": _entity,
    "core": _core,
    "preference": _preference,
    "procedure": _procedure,
    "resource": _resource,
}
