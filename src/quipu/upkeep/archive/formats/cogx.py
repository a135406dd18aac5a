"""COGX 0.1, the archive of cognee: conversations, memories and facts, and documents.

A session becomes an episode with its turns, which have no other names than their roles. A long-term memory or
a lesson that holds becomes a memory, one that ended a fact with the time for which it held, as beliefs are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from quipu.upkeep.archive.formats.archived import (
    ArchivedRecords,
    Record,
    began,
    ended,
    moment,
    path_of,
)
from quipu.upkeep.archive.formats.folder import GrowingFolder, as_json
from quipu.upkeep.archive.manifest import MANIFEST

_VERSION: Final = "0.1"
_SYSTEM: Final = "quipu"
_FILES: Final = {
    "document": "documents.jsonl",
    "episode": "episodes.jsonl",
    "fact": "facts.jsonl",
    "memory": "memories.jsonl",
}


def write_cogx(records: ArchivedRecords, folder: GrowingFolder) -> None:
    """Write the records of an archive as COGX."""
    archive = _Archive(records, folder)
    archive.episodes()
    archive.statements()
    archive.documents()
    archive.finish()


class _Archive:
    """An archive that grows: how many records of each kind it has, and what may refer to its episodes."""

    def __init__(self, records: ArchivedRecords, folder: GrowingFolder) -> None:
        self._records = records
        self._folder = folder
        self._counts: dict[str, int] = {}
        self._cited = set(records.sources.values())
        self._episodes: dict[int, str] = {}

    def episodes(self) -> None:
        """Write every session, and every message that stands alone, with its turns."""
        for session, messages in self._records.conversations():
            if session is None:
                for one in messages:
                    base = _base(one["external_id"], one["recorded_at"], user=one["user_name"])
                    self._episode(base, iter((one,)))
            else:
                name, user = session["name"], session["belongs_to"]
                base = _base(name, session["created_at"], user=user, session=name)
                self._episode({**base, "title": name}, messages)
                self._folder.written["sessions"] += 1

    def _episode(self, base: Mapping[str, Any], messages: Iterator[Record]) -> None:
        """Write an episode turn by turn: it may be longer than what should be kept."""
        file = _FILES["episode"]
        self._folder.append(file, f'{as_json({**base, "kind": "episode"})[:-1]},"turns":[')
        comma = ""
        for one in messages:
            turn = {"role": one["role"], "content": one["content"], "occurred_at": one["happened_at"]}
            self._folder.append(file, f"{comma}{as_json(turn)}", of="messages")
            comma = ","
            if one["id"] in self._cited:
                self._episodes[one["id"]] = base["external_id"]
        self._folder.append(file, "]}\n")
        self._counts["episode"] = self._counts.get("episode", 0) + 1

    def statements(self) -> None:
        """Write what is known: long-term memories, lessons and beliefs."""
        for one in self._records.of("longterm"):
            text = "\n".join(filter(None, (one["summary"], one["details"])))
            base = _base(one["id"], one["created_at"], user=one["user_name"], session=one["session"])
            metadata = {**one["metadata"], "importance": one["importance"]}
            self._statement("longterm", one, {**base, "metadata": metadata}, text)
        for one in self._records.of("lessons"):
            base = _base(one["id"], one["created_at"])
            project = {"project": one["project_path"]} if one["project_path"] else {}
            self._statement("lessons", one, {**base, "metadata": {**one["metadata"], **project}}, one["fact"])
        for one in self._records.of("beliefs"):
            base = _base(one["id"], one["first_said_at"], user=one["user_name"])
            subject = one["user_name"] or one["person"] or self._records.manifest.space
            self._fact(
                "beliefs",
                one,
                {
                    **base,
                    "subject_ref": subject,
                    "predicate": one["key"],
                    "object_ref": one["value"],
                    "fact_text": f"{one['key'].replace('_', ' ')}: {one['value']}",
                    "confidence": one["confidence"],
                },
            )

    def _statement(self, kind: str, one: Record, base: Mapping[str, Any], text: str) -> None:
        category = one["category"] or "lesson"
        if ended(one) is None:
            since = {"valid_from": began(one)}
            metadata = {**base["metadata"], **since}
            self._add(
                "memory", {**base, "metadata": metadata, "content": text, "categories": [category]}, kind
            )
            return
        subject = base["scope"].get("user_id") or self._records.manifest.space
        self._fact(
            kind,
            one,
            {**base, "subject_ref": subject, "predicate": category, "object_ref": text, "fact_text": text},
        )

    def _fact(self, kind: str, one: Record, base: Mapping[str, Any]) -> None:
        source = self._episodes.get(self._records.sources.get(one["id"], 0))
        until = ended(one)
        fact = {
            **base,
            "valid_at": _time(began(one)),
            "invalid_at": None if until is None else _time(until),
            "provenance": [] if source is None else [source],
        }
        self._add("fact", fact, kind)

    def documents(self) -> None:
        """Write every document: its text, or else its value as JSON."""
        for one in self._records.documents():
            is_text = one["body"] is not None
            about = {"path": path_of(one)[:-1]}
            value = {"value": one["value"]} if is_text and one["value"] is not None else {}
            document = {
                **_base(one["id"], one["created_at"], user=one["user_name"]),
                "updated_at": _time(one["updated_at"]),
                "metadata": {**one["metadata"], **about, **value},
                "title": one["key"],
                "mime_type": "text/plain" if is_text else "application/json",
                "content": one["body"] if is_text else as_json(one["value"]),
            }
            self._add("document", document, "documents")

    def finish(self) -> None:
        """Write the manifest and the sums."""
        manifest = {
            "cogx_version": _VERSION,
            "source_system": _SYSTEM,
            "exported_at": self._records.manifest.taken_at,
            "counts": self._counts,
        }
        self._folder.append(MANIFEST, as_json(manifest))
        self._folder.checksums()

    def _add(self, kind: str, record: Mapping[str, Any], of: str) -> None:
        self._counts[kind] = self._counts.get(kind, 0) + 1
        given = {name: value for name, value in record.items() if value is not None}
        self._folder.line(_FILES[kind], {**given, "kind": kind}, of=of)


def _base(
    id_: str, created_at: str, *, user: str | None = None, session: str | None = None
) -> dict[str, Any]:
    scope = {"user_id": user, "session_id": session}
    return {
        "external_system": _SYSTEM,
        "external_id": id_,
        "scope": {name: value for name, value in scope.items() if value is not None},
        "created_at": _time(created_at),
        "metadata": dict[str, Any](),
    }


def _time(time: str) -> str | None:
    """Return a time as the format has it; None of one that is endless."""
    found = moment(time)
    return None if found is None else found.isoformat()
