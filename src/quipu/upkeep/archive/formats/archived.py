"""Records of an archive that was written, read one after the other."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from quipu.upkeep.archive.manifest import Manifest

Record = Mapping[str, Any]
"""A record: the fields that the manifest names."""

_PLACE_SEPARATOR: Final = "\x1f"


class ArchivedRecords:
    """The records of an archive in a folder, none of which is kept."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self._folder = folder
        self.manifest = manifest

    def of(self, kind: str) -> Iterator[Record]:
        """Yield the records of a kind, in the order of the archive; none if it has none."""
        path = self._folder / f"{kind}.ndjson"
        if path.exists():
            with path.open("rb") as file:
                yield from map(json.loads, file)

    def in_order(self, kind: str, key: Callable[[Record], tuple[str, ...]]) -> Iterator[Record]:
        """Yield the records of a kind in the order of a key; only the keys and their places are kept."""
        path, places = self._folder / f"{kind}.ndjson", list[tuple[tuple[str, ...], int]]()
        if not path.exists():
            return
        with path.open("rb") as file:
            place = 0
            for line in file:
                places.append((key(json.loads(line)), place))
                place += len(line)
            for _, place in sorted(places):
                file.seek(place)
                yield json.loads(file.readline())

    def conversations(self) -> Iterator[tuple[Record | None, Iterator[Record]]]:
        """Yield each session, None for messages that stand alone, with its messages, to be read at once."""
        sessions = self.of("sessions")
        for number, messages in groupby(self.of("messages"), key=lambda one: one["session_id"]):
            found = None if number is None else next(one for one in sessions if one["id"] == number)
            yield found, messages

    @cached_property
    def sources(self) -> Mapping[str, int]:
        """The message that a long-term memory or a belief rests on, the first of them, by the id of that."""
        found: dict[str, int] = {}
        for kind, of in (("longterm.sources", "memory_id"), ("beliefs.sources", "belief_id")):
            for one in self.of(kind):
                if one["message_id"] is not None:
                    found.setdefault(one[of], one["message_id"])
        return found

    def documents(self) -> Iterator[Record]:
        """Yield the documents that are there at the moment of the archive, in the order of their paths."""
        for one in self.in_order("documents", lambda one: (one["place"], one["key"])):
            if not self.is_past(one["expires_at"]):
                yield one

    def is_past(self, time: str | None) -> bool:
        """Return True if a time of a record, if there is one, is not after the moment of the archive."""
        found = moment(time)
        return found is not None and found <= self.manifest.moment


def path_of(document: Record) -> list[str]:
    """Return the path of a document, with its key at the end."""
    place: str = document["place"]
    return [*place.split(_PLACE_SEPARATOR)[:-1], document["key"]]


def moment(time: str | None) -> datetime | None:
    """Return a time of a record in UTC; None of one that is not there, or endless."""
    if time is None or time.endswith("infinity"):
        return None
    return datetime.fromisoformat(time).astimezone(UTC)


def ended(record: Record) -> str | None:
    """Return when a long-term memory, a lesson or a belief ceased to hold; None if it holds.

    One that was archived ceased when it was changed last.
    """
    if (until := record["valid_until"] or record.get("ended_at")) is not None:
        return until
    is_archived = record.get("archived", False) or record.get("status", "active") != "active"
    return record["updated_at"] if is_archived else None


def began(record: Record) -> str:
    """Return since when a long-term memory, a lesson or a belief holds, as far as it is known."""
    return record["valid_from"] or record.get("first_said_at") or record["happened_at"]


def speaker_of(message: Record) -> str:
    """Return the speaker of a message: a name, or the role."""
    user = message["user_name"] if message["role"] == "user" else None
    return message["speaker"] or user or message["role"]
