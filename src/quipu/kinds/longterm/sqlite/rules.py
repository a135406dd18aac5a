"""Meaning of a file's rows: the seed never checked its enumerations, its times are texts. Pure."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID, uuid5

from quipu.kernel.base.text import clean
from quipu.kernel.redact import redact
from quipu.kinds.longterm.arguments import LONGEST_DETAILS, LONGEST_SUMMARY
from quipu.kinds.longterm.model import CATEGORIES, IMPORTANCES, Category, Importance
from quipu.kinds.longterm.rules import summary_hash

Row = Mapping[str, Any]

_IDS: Final = UUID("6f1f0c0e-7d0b-5c1e-9a58-4a1c6c2f9b57")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECONDS_FROM: Final = 10**11
_LONGEST_SOURCE: Final = 512
_MOST: Final = 2**31 - 1
_TRUE: Final = frozenset(("1", "true", "yes", "t"))
_CATEGORIES: Final[Mapping[str, Category]] = {
    "preferences": "preference",
    "projects": "project",
    "identities": "identity",
    "constraints": "constraint",
    "contexts": "context",
    "personal": "personal_data",
    "language": "languages",
    "favorite_thing": "favorite_things",
    "favourite_thing": "favorite_things",
    "favourite_things": "favorite_things",
    "favorites": "favorite_things",
    "relationship": "relationships",
    "pet": "pets",
    "name": "naming",
    "professional": "professional_profile",
    "profession": "professional_profile",
}
_IMPORTANCES: Final[Mapping[str, Importance]] = {
    "critical": "high",
    "very_high": "high",
    "normal": "medium",
    "moderate": "medium",
    "minor": "low",
}


class Refused(Exception):
    """A row cannot be taken; says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """A row as it can be stored; its hash is made again."""

    id: UUID
    category: Category
    importance: Importance
    summary: str
    details: str | None
    hash: str
    source: str | None
    created_at: datetime
    updated_at: datetime
    last_accessed_at: datetime | None
    access_count: int
    version: int
    archived: bool


class Reader:
    """Reads rows, and counts what it puts right and which secrets it cuts out."""

    def __init__(self, *, now: datetime, secrets: bool) -> None:
        self._now = now
        self._secrets = secrets
        self.repaired: Counter[str] = Counter()
        self.redacted: Counter[str] = Counter()

    def read(self, row: Row) -> Taken:
        """Return the row as it can be stored.

        Raises:
            Refused: it has no summary, one that is too long, or a category or importance that means nothing.
        """
        category = self._word("category", row, CATEGORIES, _CATEGORIES)
        importance = self._word("importance", row, IMPORTANCES, _IMPORTANCES)
        summary = self._summary(row.get("summary"))
        created_at = self._time(row.get("created_at")) or self._now
        hash_ = summary_hash(summary)
        if row.get("hash") != hash_:
            self.repaired["hashes"] += 1
        return Taken(
            id=self._id(row.get("id"), summary),
            category=category,
            importance=importance,
            summary=summary,
            details=self._details(row.get("details")),
            hash=hash_,
            source=self._source(row.get("source")),
            created_at=created_at,
            updated_at=self._time(row.get("updated_at")) or created_at,
            last_accessed_at=self._time(row.get("last_accessed_at")),
            access_count=self._count("access counts", row.get("access_count"), least=0),
            version=self._count("versions", row.get("version"), least=1),
            archived=str(row.get("archived")).strip().lower() in _TRUE,
        )

    def _word(self, field: str, row: Row, known: Any, others: Mapping[str, Any]) -> Any:
        told = row.get(field)
        word = "_".join(str(told).lower().replace("-", " ").split()) if isinstance(told, str) else ""
        meant = word if word in known else others.get(word)
        if meant is None:
            raise Refused(f"{field} {str(told)[:64]!r} is none of {', '.join(known)}")
        if meant != told:
            self.repaired["categories" if field == "category" else "importances"] += 1
        return meant

    def _summary(self, told: object) -> str:
        text = " ".join(clean(told).text.split()) if isinstance(told, str) else ""
        if not text:
            raise Refused("it has no summary")
        if len(text) > LONGEST_SUMMARY:
            raise Refused(f"its summary has {len(text):,} characters; {LONGEST_SUMMARY:,} are the most")
        return self._without_secrets(text)

    def _details(self, told: object) -> str | None:
        if told is None:
            return None
        text = told if isinstance(told, str) else json.dumps(told, default=str)
        text = self._without_secrets(clean(text).text.strip())
        if len(text) > LONGEST_DETAILS:
            raise Refused(f"its details have {len(text):,} characters; {LONGEST_DETAILS:,} are the most")
        return text or None

    def _without_secrets(self, text: str) -> str:
        if not self._secrets:
            return text
        redacted = redact(text)
        self.redacted.update(redacted.counts)
        return redacted.text

    def _source(self, told: object) -> str | None:
        text = " ".join(clean(str(told)).text.split()) if told is not None else ""
        return text[:_LONGEST_SOURCE] or None

    def _id(self, told: object, summary: str) -> UUID:
        try:
            return UUID(str(told))
        except ValueError:
            self.repaired["ids"] += 1
            return uuid5(_IDS, f"{told}\0{summary}")

    def _count(self, what: str, told: object, *, least: int) -> int:
        if isinstance(told, int) and least <= told <= _MOST:
            return told
        if told is not None:
            self.repaired[what] += 1
        return least

    def _time(self, told: object) -> datetime | None:
        if told is None or told == "":
            return None
        read = moment(told)
        if read is None or not _EPOCH <= read <= self._now + timedelta(days=1):
            self.repaired["times"] += 1
            return None
        return read


def id_of(user: str | None, id_: UUID) -> UUID:
    """Return the id of a person's copy of a memory, if somebody else in the space has the file's id."""
    return uuid5(_IDS, f"{'everybody' if user is None else 'user'}\0{user or ''}\0{id_}")


def moment(told: object) -> datetime | None:
    """Read a time of a file: as CURRENT_TIMESTAMP or toISOString wrote it, seconds or milliseconds."""
    if isinstance(told, int | float) and not isinstance(told, bool):
        seconds = told / 1000 if abs(told) >= _MILLISECONDS_FROM else told
        try:
            return _EPOCH + timedelta(seconds=seconds)
        except (OverflowError, ValueError):
            return None
    if not isinstance(told, str):
        return None
    try:
        read = datetime.fromisoformat(told.strip())
    except ValueError:
        return None
    try:
        return read.replace(tzinfo=UTC) if read.tzinfo is None else read.astimezone(UTC)
    except OverflowError:
        return None


def written(at: datetime | None) -> str | None:
    """Write a time as CURRENT_TIMESTAMP does, with milliseconds."""
    return None if at is None else f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S}.{at.microsecond // 1000:03}"
