"""Markdown, for people and Obsidian: what is known of each person, sessions and documents as files.

Memories, beliefs, lessons and loops are items of lists as Basic Memory and Obsidian write them:
``- [category] text (since, id)`` what holds, ``- [ ] text`` what is open.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

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

_UNSAFE: Final = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|#^\[\]]')
_MOST_NAME_BYTES: Final = 120
_OF_SPACE: Final = "space.md"
_ALONE: Final = "sessions/without session.md"
_DOCUMENTS: Final = "documents.md"
_README: Final = """# Memory of {whose}

As of {taken_at}, written by {generator}.

- `people/`: what is known of each person; `space.md`: what is nobody's alone
- `sessions/`: what was said, a file for each session
- `documents/`: documents at their paths; `documents.md`: their ids, times and metadata
"""


@dataclass(frozen=True, slots=True)
class _Section:
    """Records of a kind in the files of people: the headings of what holds and of what does not any more."""

    kind: str
    title: str
    title_ended: str
    began: Callable[[Record], str]
    ended: Callable[[Record], str | None]
    label: Callable[[Record], str]
    text: Callable[[Record], str]
    about: Callable[[Record], Iterator[str]]
    """Further words about a record, between its times and its id."""

    def item(self, record: Record, *, is_past: bool) -> str:
        """Return a record as an item of a list."""
        until, text = self.ended(record), _on_one_line(self.text(record))
        times = f"since {_day(self.began(record))}" + (f" until {_day(until)}" if until else "")
        about = ", ".join([times, *self.about(record), f"id {record['id']}"])
        details = "".join(f"  {line}\n" for line in (record.get("details") or "").splitlines())
        label = f"{self.label(record)}:" if is_past else f"[{self.label(record)}]"
        return f"- {label} {text} ({about})\n{details}"


def _of_memory(one: Record) -> Iterator[str]:
    yield one["importance"]
    if one["session"]:
        yield f"said in {_plain(one['session'])}"


def _of_lesson(one: Record) -> Iterator[str]:
    if one["project_path"]:
        yield f"project {_plain(one['project_path'])}"


def _of_belief(one: Record) -> Iterator[str]:
    yield f"{one['confidence']:.0%} sure"
    if one["state"] != "standing":
        yield one["state"]


def _of_loop(one: Record) -> Iterator[str]:
    yield one["kind"]
    yield f"by {_plain(one['by_whom'])}"
    if (due := moment(one["due_at"])) is not None:
        yield f"due {due:%Y-%m-%d}"


_SECTIONS: Final = (
    _Section(
        kind="longterm",
        title="Memories",
        title_ended="Memories that ended",
        began=began,
        ended=ended,
        label=lambda one: one["category"],
        text=lambda one: one["summary"],
        about=_of_memory,
    ),
    _Section(
        kind="lessons",
        title="Lessons",
        title_ended="Lessons that ended",
        began=began,
        ended=ended,
        label=lambda one: one["category"] or "lesson",
        text=lambda one: one["fact"],
        about=_of_lesson,
    ),
    _Section(
        kind="beliefs",
        title="Beliefs",
        title_ended="Beliefs that ended",
        began=began,
        ended=ended,
        label=lambda one: one["category"],
        text=lambda one: f"{one['key'].replace('_', ' ')}: {one['value']}",
        about=_of_belief,
    ),
    _Section(
        kind="loops",
        title="Open loops",
        title_ended="Closed loops",
        began=lambda one: one["said_at"],
        ended=lambda one: one["closed_at"],
        label=lambda one: " " if one["closed_at"] is None else one["outcome"] or "closed",
        text=lambda one: one["content"],
        about=_of_loop,
    ),
)


def write_markdown(records: ArchivedRecords, folder: GrowingFolder) -> None:
    """Write the records of an archive as Markdown."""
    people = _People(records, folder)
    for section in _SECTIONS:
        _write_section(section, records, folder, people)
    for session, messages in records.conversations():
        _write_session(session, messages, folder)
    for one in records.documents():
        _write_document(one, folder)
    manifest = records.manifest
    whose = manifest.space if manifest.user is None else f"{manifest.user} in {manifest.space}"
    folder.append(
        "README.md",
        _README.format(whose=whose, taken_at=manifest.taken_at, generator=manifest.generator),
    )
    folder.checksums()


class _People:
    """The files of people, which are begun when something is known of one."""

    def __init__(self, records: ArchivedRecords, folder: GrowingFolder) -> None:
        self._manifest = records.manifest
        self._folder = folder
        self._files = {"": _OF_SPACE}
        self._titles: dict[str, str] = {}

    def file(self, user: str, title: str) -> str:
        """Return the name of a person's file, which goes on below a heading."""
        name = self._files.get(user) or self._free(user)
        if user not in self._titles:
            self._files[user] = name
            about = {
                "title": user or self._manifest.space,
                "user": user or None,
                "space": self._manifest.space,
                "taken_at": self._manifest.taken_at,
            }
            self._folder.append(name, _front_matter(about))
        if self._titles.get(user) != title:
            self._folder.append(name, f"\n## {title}\n\n")
            self._titles[user] = title
        return name

    def _free(self, user: str) -> str:
        return _free(self._folder, ["people", _safe(user)], ".md", str(len(self._files)))


def _write_section(
    section: _Section, records: ArchivedRecords, folder: GrowingFolder, people: _People
) -> None:
    """Write the records of a kind, person by person: what holds first, by label and time."""

    def order(one: Record) -> tuple[str, ...]:
        past = "past" if records.is_past(section.ended(one)) else ""
        return one.get("user_name") or "", past, section.label(one), section.began(one)

    for one in records.in_order(section.kind, order):
        user, past, *_ = order(one)
        file = people.file(user, section.title_ended if past else section.title)
        folder.append(file, section.item(one, is_past=bool(past)), of=section.kind)


def _write_session(session: Record | None, messages: Iterator[Record], folder: GrowingFolder) -> None:
    name = _ALONE
    if session is not None:
        started = moment(session["started_at"])
        stem = f"{started:%Y-%m-%d} {_safe(session['name'])}" if started else _safe(session["name"])
        name = _free(folder, ["sessions", stem], ".md", str(session["id"]))
        about = {
            "title": session["name"],
            "session": session["name"],
            "id": session["id"],
            "user": session["belongs_to"],
            "started_at": session["started_at"],
            "last_at": session["last_at"],
        }
        folder.append(name, _front_matter(about), of="sessions")
    for one in messages:
        time = moment(one["happened_at"])
        when = f"{time:%Y-%m-%d %H:%M:%S}" if time else one["happened_at"]
        folder.append(
            name,
            f"\n### {_on_one_line(speaker_of(one))}, {when} UTC\n{one['role']}, id {one['external_id']}\n\n",
            of="messages",
        )
        if one["content"]:
            folder.append(name, f"{one['content']}\n")
        if one["item"] is not None:
            folder.append(name, f"\n~~~json\n{as_json(one['item'])}\n~~~\n")


def _write_document(document: Record, folder: GrowingFolder) -> None:
    """Write a text as it is, and a value as JSON beside it, or alone."""
    id_, parts = document["id"], ["documents", *map(_safe, path_of(document))]
    names: list[str] = []
    if document["body"] is not None:
        suffix = "" if "." in parts[-1] else ".md"
        names.append(_free(folder, parts, suffix, id_))
        folder.append(names[-1], document["body"])
    if document["value"] is not None or document["body"] is None:
        suffix = "" if parts[-1].endswith(".json") and not names else ".json"
        names.append(_free(folder, parts, suffix, id_))
        folder.append(names[-1], f"{as_json(document['value'])}\n")
    for name in names:
        user = document["user_name"]
        about = [
            *([f"of {_plain(user)}"] if user else []),
            f"created {_day(document['created_at'])}",
            f"changed {_day(document['updated_at'])}",
            f"id {id_}",
        ]
        folder.append(_DOCUMENTS, f"- [[{name}]] ({', '.join(about)})\n")
    if document["metadata"]:
        folder.append(_DOCUMENTS, f"  {as_json(document['metadata'])}\n")
    folder.written["documents"] += 1


def _free(folder: GrowingFolder, parts: list[str], suffix: str, number: str) -> str:
    """Return the name of a file that is not there yet; ``number`` is in it where the plain one is taken."""
    name = "/".join(parts) + suffix
    above = ["/".join(parts[:length]) for length in range(2, len(parts))]
    if not folder.has(name) and not any(folder.has_file(one) for one in above):
        return name
    return f"{parts[0]}/{parts[-1]} ({number}){suffix or _ending(parts[-1])}"


def _ending(name: str) -> str:
    return f".{name.rpartition('.')[2]}"


def _safe(name: str) -> str:
    """Return a name that every file system and link takes."""
    short = _UNSAFE.sub("-", name).encode()[:_MOST_NAME_BYTES].decode(errors="ignore").strip(". ")
    return short or "-"


def _front_matter(about: Mapping[str, object]) -> str:
    lines = "".join(f"{name}: {as_json(value)}\n" for name, value in about.items() if value is not None)
    return f"---\n{lines}---\n"


def _day(time: str) -> str:
    when = moment(time)
    return time if when is None else f"{when:%Y-%m-%d}"


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


def _plain(text: str) -> str:
    """Return a text that may stand between brackets and commas."""
    return _on_one_line(re.sub(r"[()]", " ", text))
