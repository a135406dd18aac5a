"""Portable Memory, ``.mem`` 1.1: words, statements with the time for which they hold, and documents.

Messages become episodes, each session a context; long-term memories, lessons and beliefs become facts;
documents become resources. Times are of whole seconds, as the format has them. What a fact is of is its
subject, a person or the project of a lesson; whose it is stands as its speaker.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Final
from urllib.parse import quote

from quipu.upkeep.archive.formats.archived import (
    ArchivedRecords,
    Record,
    began,
    ended,
    moment,
    path_of,
    speaker_of,
)
from quipu.upkeep.archive.formats.folder import GrowingFolder, as_json
from quipu.upkeep.archive.manifest import CHECKSUMS, MANIFEST

USER: Final = "quipu_user"
"""The name in the metadata of an episode under which it is whose the message was."""

_VERSION: Final = "1.1.0"
_SPECIFICATION: Final = "https://github.com/MacPaw/portable-memory/blob/main/Spec/portable-memory-spec.md"
_IMPORTANCE: Final = {"low": 0.25, "medium": 0.5, "high": 0.75}
_USUAL: Final = 0.5
_SENSITIVITY: Final = "low"
_LONG_AGO: Final = datetime(1, 1, 1, tzinfo=UTC)


def write_mem(records: ArchivedRecords, folder: GrowingFolder) -> None:
    """Write the records of an archive as a bundle."""
    bundle = _Bundle(records, folder)
    bundle.episodes()
    bundle.facts()
    bundle.resources()
    bundle.finish()


class _Bundle:
    """A bundle that grows: how many records of each kind it has, and what may refer to its episodes."""

    def __init__(self, records: ArchivedRecords, folder: GrowingFolder) -> None:
        self._records = records
        self._folder = folder
        self._counts: dict[str, int] = {}
        self._cited = set(records.sources.values())
        self._episodes: dict[int, str] = {}
        self._scopes: list[str] = []
        self._first: datetime | None = None
        self._last: datetime | None = None

    def episodes(self) -> None:
        """Write every message with a text, and the contexts that they stand in."""
        for session, messages in self._records.conversations():
            if session is not None:
                self._scopes.append(session["name"])
                self._add("context", _context(session), of="sessions")
            for one in messages:
                if one["content"]:
                    self._episode(one, None if session is None else session["name"])

    def _episode(self, message: Record, session: str | None) -> None:
        id_ = "/".join(quote(name, safe="") for name in (session or "", message["external_id"]))
        if message["id"] in self._cited:
            self._episodes[message["id"]] = id_
        time = moment(message["happened_at"])
        if time is not None:
            self._first, self._last = min(self._first or time, time), max(self._last or time, time)
        self._add("episode", _episode(message, id_, session), of="messages")

    def facts(self) -> None:
        """Write what is known: long-term memories, lessons and beliefs."""
        for one in self._records.of("longterm"):
            text = "\n".join(filter(None, (one["summary"], one["details"])))
            self._fact(
                "longterm",
                one,
                subject=one["user_name"] or "",
                predicate=one["category"],
                text=text,
                importance=_IMPORTANCE[one["importance"]],
            )
        for one in self._records.of("lessons"):
            self._fact(
                "lessons",
                one,
                subject=one["project_path"],
                predicate=one["category"] or "lesson",
                text=one["fact"],
                confidence=one["confidence"],
            )
        for one in self._records.of("beliefs"):
            key = one["key"].replace("_", " ")
            self._fact(
                "beliefs",
                one,
                subject=one["user_name"] or one["person"],
                predicate=one["key"],
                object=one["value"],
                text=f"{key}: {one['value']}",
                confidence=one["confidence"],
                supersededBy=one["successor"],
            )

    def _fact(self, kind: str, one: Record, *, confidence: float | None = None, **more: Any) -> None:
        until = ended(one)
        fact = {
            "id": one["id"],
            "episodeID": self._episodes.get(self._records.sources.get(one["id"], 0), ""),
            "object": "",
            "speaker": one.get("user_name"),
            "tValidFrom": _time(began(one)),
            "tValidTo": None if until is None else _time(until),
            "confidence": 1.0 if confidence is None else confidence,
            "importance": _USUAL,
            "createdAt": _time(one.get("created_at") or one["said_at"]),
            "eventTime": _time(one.get("happened_at") or one["first_said_at"]),
            **more,
        }
        self._add("fact", fact, of=kind)

    def resources(self) -> None:
        """Write every document, each with its text in one chunk."""
        for one in self._records.documents():
            text = "\n\n".join(_texts(one))
            resource = {
                "id": one["id"],
                "uri": "/".join(quote(name, safe="") for name in path_of(one)),
                "mimeType": "application/json" if one["body"] is None else "text/plain",
                "contentHash": sha256(text.encode()).hexdigest(),
                "title": one["key"],
                "summary": "",
                "created": _time(one["created_at"]),
                "modified": _time(one["updated_at"]),
            }
            chunk = {
                "id": f"{one['id']}/0",
                "resourceID": one["id"],
                "position": 0,
                "text": text,
                "sensitivity": _SENSITIVITY,
            }
            self._add("resource", resource, of="documents")
            self._add("chunk", chunk)

    def finish(self) -> None:
        """Write the sums and the manifest, which has the sum of these."""
        files = self._folder.checksums()
        manifest = self._records.manifest
        coverage = None
        if self._first is not None and self._last is not None:
            coverage = {"from": _seconds(self._first), "to": _seconds(self._last)}
        digest = next(one.sha256 for one in self._folder.sums() if one.name == CHECKSUMS)
        about = {
            "format": _VERSION,
            "specURL": _SPECIFICATION,
            "generator": manifest.generator,
            "conformanceLevel": "L0",
            "createdAt": _time(manifest.taken_at),
            "exportMode": "full",
            "schemaVersion": 1,
            "embeddingModel": "",
            "embeddingDim": 0,
            "embeddingsIncluded": False,
            "capabilities": ["bitemporal"],
            "counts": self._counts,
            "coverage": coverage,
            "scopes": sorted(self._scopes) or None,
            "files": [{"path": one.name, "sha256": one.sha256, "bytes": one.bytes} for one in files],
            "bundleDigest": digest,
        }
        self._folder.append(MANIFEST, as_json(_given(about)))

    def _add(self, kind: str, record: Mapping[str, Any], *, of: str | None = None) -> None:
        self._counts[kind] = self._counts.get(kind, 0) + 1
        self._folder.line(f"items/{kind}.jsonl", _given(record), of=of)


def _context(session: Record) -> dict[str, Any]:
    return {
        "id": session["name"],
        "label": session["name"],
        "archived": False,
        "createdAt": _time(session["created_at"]),
    }


def _episode(message: Record, id_: str, session: str | None) -> dict[str, Any]:
    """Return a message as an episode; texts of its metadata stay what they are, other values are JSON."""
    metadata = {
        name: value if isinstance(value, str) else as_json(value)
        for name, value in message["metadata"].items()
    }
    told, recorded = _time(message["happened_at"]), _time(message["recorded_at"])
    said = message["role"] if message["role"] != "user" else message["speaker"]
    return {
        "id": id_,
        "eventTime": told,
        "mentionTime": told,
        "ingestionTime": recorded,
        "sourceType": "chat",
        "actors": [speaker_of(message)],
        "speaker": said or message["role"],
        "summary": "",
        "details": message["content"],
        "sensitivity": _SENSITIVITY,
        "metadata": metadata | ({USER: message["user_name"]} if message["user_name"] else {}),
        "categories": [],
        "importance": _USUAL,
        "confidence": 1.0,
        "lifecycleState": "HOT",
        "extractionState": "done",
        "accessCount": 0,
        "pinned": False,
        "vaultRefs": [],
        "contextID": session,
    }


def _texts(document: Record) -> Iterator[str]:
    if document["body"] is not None:
        yield document["body"]
    if document["value"] is not None or document["body"] is None:
        yield as_json(document["value"])


def _given(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a record that have a value, whole numbers without a point."""
    return {
        name: int(value) if isinstance(value, float) and value.is_integer() else value
        for name, value in record.items()
        if value is not None
    }


def _time(time: str) -> str:
    return _seconds(moment(time) or _LONG_AGO)


def _seconds(time: datetime) -> str:
    return f"{time.replace(microsecond=0, tzinfo=None).isoformat()}Z"
