"""Records of a source in parcels, as they are written: counted, and with their people joined."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import Any, Final, cast

from quipu.app.imports.found import JSON, Filed, Found, Said, Stated, ToDo, kind_of
from quipu.app.imports.model import ImportedPerson
from quipu.kernel.redact import redact
from quipu.record import items

MOST_RECORDS: Final = 1_000
_MOST_CHARACTERS: Final = 8_000_000
_MOST_RAW_BYTES: Final = 1 << 20
_MOST_PEOPLE: Final = 1_000
_KEPT: Final = frozenset({"raw", "item", "earlier", "value"})  # each is looked at where it is written

_UNSTORABLE: Final = re.compile("[\0\ud800-\udfff]")

Parcel = Sequence[Found]


def parcels(found: Iterator[Found]) -> Iterator[Parcel]:
    """Yield records in parcels that fit in memory."""
    parcel: list[Found] = []
    characters = 0
    for one in found:
        parcel.append(one)
        characters += _characters(one)
        if len(parcel) >= MOST_RECORDS or characters >= _MOST_CHARACTERS:
            yield parcel
            parcel, characters = [], 0
    if parcel:
        yield parcel


def _characters(one: Found) -> int:
    match one:
        case Said():
            return len(one.content)
        case Stated():
            return len(one.text) + len(one.details or "")
        case Filed():
            return len(one.body or "") + sum(len(earlier.body or "") for earlier in one.earlier)
        case ToDo():
            return len(one.text)


def source_id(one: Found) -> str:
    """Return the id of a record at its source; of a message that of its session, a slash, and its own."""
    return f"{one.session}/{one.id}" if isinstance(one, Said) else one.id


def digest(one: Found) -> str:
    """Return a digest of all that a record says: 32 hexadecimal digits."""
    said = {each.name: getattr(one, each.name) for each in fields(one) if each.name != "raw"}
    return hashlib.sha256(
        json.dumps(said, sort_keys=True, default=str).encode("utf-8", "replace")
    ).hexdigest()[:32]


def raw_of(one: Found, *, secrets: bool) -> Any:
    """Return the record of the source without secrets; None where it is too large, or is none of JSON."""
    if one.raw is None:
        return None
    try:
        plain = items.plain({"raw": one.raw}, most_bytes=_MOST_RAW_BYTES)
    except ValueError:
        return None
    clean = items.without_secrets(plain)[0] if secrets else plain
    return storable_value(clean["raw"])


def storable_value(value: JSON) -> JSON:
    """Return a value without what ``jsonb`` cannot hold: NUL and half characters."""
    if isinstance(value, str):
        if _UNSTORABLE.search(value) is None:
            return value
        return value.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        named = cast("dict[str, JSON]", value)
        return {storable_value(name): storable_value(inner) for name, inner in named.items()}
    if isinstance(value, list):
        return [storable_value(inner) for inner in cast("list[JSON]", value)]
    return value


def storable(one: Found) -> Found:
    """Return a record without what PostgreSQL cannot store, in its names, texts and metadata."""
    changed: dict[str, Any] = {}
    for name in (each.name for each in fields(one) if each.name not in _KEPT):
        value = getattr(one, name)
        given = [*cast("tuple[JSON, ...]", value)] if isinstance(value, tuple) else value
        if given and (clean := storable_value(given)) != given:
            changed[name] = clean
    return replace(one, **changed) if changed else one


def clean_text(text: str, found: Counter[str], *, secrets: bool) -> str:
    """Return a text that can be stored, without secrets; ``found`` counts them by kind."""
    text = storable_value(text)
    if not secrets:
        return text
    redacted = redact(text)
    found.update(redacted.counts)
    return redacted.text


@dataclass(frozen=True, slots=True)
class People:
    """Names of a source and the users that they are: ``joined`` says so, ``user`` is whose the rest is."""

    joined: Mapping[str, str] = field(default_factory=dict[str, str])
    user: str | None = None

    def join(self, one: Found, *, session: str) -> Found:
        """Return a record with the user that it belongs to, and a session: ``session`` if it names none."""
        if isinstance(one, Said):
            return self._said(one if one.session else replace(one, session=session))
        user = self.user if one.user is None else self.joined.get(one.user, one.user)
        return one if user == one.user else replace(one, user=user)

    def _said(self, one: Said) -> Said:
        if one.speaker is not None and one.speaker in self.joined:
            return replace(one, speaker=None, user=self.joined[one.speaker])
        if one.user is not None:
            return replace(one, user=self.joined.get(one.user, one.user))
        own = self.user is not None and one.role == "user" and one.speaker is None
        return replace(one, user=self.user) if own else one


@dataclass(slots=True)
class Seen:
    """Count of what a source has: by kind, by person, and from when to when."""

    records: Counter[str] = field(default_factory=Counter[str])
    people: Counter[str] = field(default_factory=Counter[str])
    users: set[str] = field(default_factory=set[str])
    first: datetime | None = None
    last: datetime | None = None
    ended: int = 0

    def see(self, one: Found, *, now: datetime) -> None:
        """Count a record that is new."""
        self.records[kind_of(one)] += 1
        at = one.updated_at if isinstance(one, Filed) else one.time
        if at is not None:
            self.first = at if self.first is None else min(self.first, at)
            self.last = at if self.last is None else max(self.last, at)
        if isinstance(one, Stated) and one.valid_until is not None and one.valid_until <= now:
            self.ended += 1

    def meet(self, one: Found) -> None:
        """Count the person of a record, as the source names them."""
        name = (one.speaker if isinstance(one, Said) else None) or one.user
        if name is None or (name not in self.people and len(self.people) >= _MOST_PEOPLE):
            return
        self.people[name] += 1
        if name == one.user:
            self.users.add(name)

    def everybody(self, joined: Mapping[str, str]) -> list[ImportedPerson]:
        """Return the people and the users that they are, those with most records first."""
        return [
            ImportedPerson(
                name=name, user=joined.get(name, name if name in self.users else None), records=count
            )
            for name, count in self.people.most_common()
        ]
