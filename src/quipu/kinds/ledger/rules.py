"""Rules of the ledger: the current value of a key, differences, and undoing. Pure, over ordered events."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Generic, Protocol, TypeVar

from quipu.errors import BadInput
from quipu.kinds.ledger.model import Difference, Event, EventType, Namespace, Value, ValueSource

RANK: Final[Mapping[ValueSource, int]] = {"default": 0, "assumed": 1, "inferred": 2, "explicit": 3}
ASSUMED: Final[frozenset[ValueSource]] = frozenset({"default", "assumed"})
"""Known to nobody: it caps what is concluded from it, and is disclosed or confirmed."""
_ENDS: Final = frozenset({"fact_expired", "fact_deleted"})
_CORRECTS: Final = frozenset({"fact_corrected", "assumption_corrected"})


class Happened(Protocol):
    """Part of an event that decides what stands after it."""

    @property
    def id(self) -> int: ...  # noqa: D102 - as in Event

    @property
    def event_type(self) -> EventType: ...  # noqa: D102

    @property
    def source(self) -> ValueSource: ...  # noqa: D102

    @property
    def created_at(self) -> datetime: ...  # noqa: D102

    @property
    def expires_at(self) -> datetime | None: ...  # noqa: D102


E = TypeVar("E", bound=Happened)


@dataclass(frozen=True, slots=True)
class Standing(Generic[E]):
    """Standing value of a key: the event that set it, and the first one since it was empty."""

    event: E
    first: E

    def lives(self, at: datetime) -> bool:
        """Return True if it has not expired by then."""
        return self.event.expires_at is None or self.event.expires_at > at


def step(standing: Standing[E] | None, event: E) -> Standing[E] | None:
    """Return the current value after one more event of the key.

    Expiry and deletion leave nothing. If nothing stands, or what stood has expired, the value stands. Else it
    stands if it corrects, or if its source is no weaker: explicit beats inferred, that beats assumed, and
    that a default. A weaker one changes nothing. So without corrections and endings the strongest stands, of
    those the latest, whatever came first.
    """
    if event.event_type in _ENDS:
        return None
    if standing is None or not standing.lives(event.created_at):
        return Standing(event, event)
    if event.event_type in _CORRECTS or RANK[event.source] >= RANK[standing.event.source]:
        return Standing(event, standing.first)
    return standing


def fold(events: Iterable[E]) -> Standing[E] | None:
    """Return the current value after the events of one key."""
    standing: Standing[E] | None = None
    for event in events:
        standing = step(standing, event)
    return standing


@dataclass(frozen=True, slots=True)
class Undoing:
    """Way to make a key what it was: the event whose value is restored, or None if nothing stood."""

    restore: Event | None
    latest: Event


def undoing(history: Sequence[Event], event_id: int, *, force: bool) -> Undoing:
    """Return the way to undo an event; ``history`` has all events of its key, oldest first.

    Raises:
        BadInput: something was written after it (unless ``force``), or it changed nothing.
    """
    place = next(place for place, event in enumerate(history) if event.id == event_id)
    before, after = fold(history[:place]), fold(history[: place + 1])
    latest = history[-1]
    if latest.id != event_id and not force:
        raise BadInput(
            f"{latest.event_type} {latest.id} came after it.",
            field="event_id",
            hint="Undo that first, or say force: what came after it is taken back as well.",
        )
    now = fold(history)
    if _same(before, after) and _same(before, now):
        raise BadInput("it changed nothing, so there is nothing to undo.", field="event_id")
    return Undoing(before.event if before else None, latest)


def _same(one: Standing[Event] | None, other: Standing[Event] | None) -> bool:
    return (one.event.id if one else None) == (other.event.id if other else None)


def differences(before: Mapping[str, Value], after: Mapping[str, Value]) -> list[Difference]:
    """Return the keys that are believed differently, in order: another value, source, assumption or cap."""
    differing: list[Difference] = []
    for key in sorted({*before, *after}):
        one, other = before.get(key), after.get(key)
        if _belief(one) != _belief(other):
            differing.append(Difference(key, one, other))
    return differing


def _belief(value: Value | None) -> object:
    if value is None:
        return None
    said = json.dumps(value.value, sort_keys=True)  # in Python 1 == True, and that is another value
    return said, value.source, value.assumed, value.confidence_cap


def together(session: Iterable[Value], person: Iterable[Value]) -> dict[str, Value]:
    """Return the values of a session: its own, else the preferences of the person."""
    return {value.key: value for value in person} | {value.key: value for value in session}


def preference_place(namespace: Namespace, key: str) -> tuple[str, str]:
    """Return namespace and key among the preferences, which have namespaces of their own."""
    if namespace == "baseline":
        return "baseline", key
    if namespace == "preference":
        for own in ("ui", "workflow"):
            if key.startswith(f"{own}."):
                return own, key
            if key.startswith(f"{own}/") and key != f"{own}/":
                return own, key.removeprefix(f"{own}/")
    if namespace == "other" or key.startswith(f"{namespace}."):
        return "other", key
    return "other", f"{namespace}.{key}"
