"""The values of the ledger: events, what stands, and what came of a write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal, get_args

Scope = Literal["session", "cross_session"]
Namespace = Literal["baseline", "location", "preference", "constraint", "system", "other"]
ValueSource = Literal["explicit", "inferred", "assumed", "default"]
StatedSource = Literal["explicit", "inferred", "default"]
Cap = Literal["none", "medium", "low"]
AssumedCap = Literal["medium", "low"]
EventType = Literal[
    "fact_set",
    "fact_corrected",
    "assumption_set",
    "assumption_corrected",
    "fact_expired",
    "fact_deleted",
]
Act = Literal["set", "assume", "correct", "expire", "delete", "restore"]

BIGGEST_ID: Final = 2**63 - 1
SCOPES: Final[tuple[Scope, ...]] = get_args(Scope)
NAMESPACES: Final[tuple[Namespace, ...]] = get_args(Namespace)


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One thing that happened to a key; never changed afterwards.

    ``old`` and ``new`` are JSON values; ``new`` is None where the value expired or was deleted. ``session``
    and ``user`` are the caller's own names. ``standing_event_id`` is the event whose value stands after
    this one: itself, a stronger one before it, or None where nothing stands.
    """

    id: int
    event_type: EventType
    scope: Scope
    namespace: Namespace
    key: str
    old: object
    new: object
    source: ValueSource
    assumed: bool
    confidence_cap: Cap
    session: str | None
    user: str | None
    turn: int
    created_at: datetime
    expires_at: datetime | None
    correlation_id: str | None
    actor: str | None
    reason: str | None
    standing_event_id: int | None

    @property
    def stands(self) -> bool:
        """True if its own value stood after it."""
        return self.standing_event_id == self.id


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """Standing value of a key, and how certain it is.

    ``assumed`` values must be disclosed or confirmed; ``confidence_cap`` bounds the confidence of conclusions
    from it. ``event_id`` and ``turn`` are its origin, ``updated_at`` the time since when it stands.
    """

    key: str
    namespace: Namespace
    scope: Scope
    value: object
    source: ValueSource
    assumed: bool
    confidence_cap: Cap
    session: str | None
    user: str | None
    turn: int
    event_id: int | None
    updated_at: datetime
    expires_at: datetime | None

    @property
    def from_preference(self) -> bool:
        """True if it is a preference of the person and not of the session."""
        return self.scope == "cross_session"


@dataclass(frozen=True, slots=True)
class Change:
    """Outcome of a write.

    ``event`` is None if it would have changed nothing. ``value`` is what stands now, ``previous`` what stood
    before; ``stands`` is false if something stronger stands, or nothing any more. ``hook_errors`` are errors
    of subscribers; the write is durable all the same.
    """

    event: Event | None
    value: Value | None
    previous: Value | None
    stands: bool
    hook_errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Correction:
    """Message to subscribers: the event, and the JSON values before and after it."""

    event: Event
    old: object
    new: object


@dataclass(frozen=True, slots=True)
class Difference:
    """A key that was believed otherwise at two moments; None where nothing stood."""

    key: str
    before: Value | None
    after: Value | None


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """Result of a rebuild; ``changed`` counts the rows that differed from the events."""

    events: int
    session_rows: int
    preference_rows: int
    changed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisteredKey:
    """A key, or a pattern of keys, whose values have a shape.

    ``scope`` is None where it is decided by what the caller gives. ``shape`` is JSON Schema.
    ``registered_at`` is None where the database was not told: of keys that every program knows, and of those
    that this program registered and did not use in the space yet.
    """

    pattern: str
    namespace: Namespace
    scope: Scope | None
    shape: Mapping[str, Any]
    registered_at: datetime | None
