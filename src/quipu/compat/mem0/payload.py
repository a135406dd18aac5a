"""Mem0's arguments and answers: what is checked on the way in, and the shapes on the way out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from hashlib import md5
from typing import Any, Final, cast
from uuid import NAMESPACE_OID, uuid5

from quipu.compat.mem0.filters import IDS, Refused, condition, entity_id
from quipu.errors import BadInput

PATH: Final = ("mem0",)
"""Path of the documents that memories are: the key of each is its id, the body its text."""

APP_ID: Final = "app_id"
"""Id that only the platform of mem0 has."""

_PROMOTED: Final = (*IDS, "actor_id", "role", "attributed_to", "expiration_date")
_TIMES: Final = ("created_at", "updated_at")
_FIXED: Final = frozenset((*IDS, "actor_id"))


class ValidationError(BadInput):
    """Mem0's error of the same name: the arguments do not fit together."""

    def __init__(self, message: str, *, code: str, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.error_code = code
        self.details = dict(details or {})
        self.suggestion: str | None = None
        self.debug_info: dict[str, Any] = {}


def time_now() -> str:
    """Return the time as mem0 writes it."""
    return datetime.now(UTC).isoformat()


def last_day(given: object) -> str | None:
    """Return a last day as it is stored."""
    if isinstance(given, datetime):
        return given.date().isoformat()
    if given is None or isinstance(given, date):
        return given and given.isoformat()
    if not isinstance(given, str):
        raise Refused("expiration_date must be a date string in YYYY-MM-DD format.")
    try:
        return date.fromisoformat(given).isoformat()
    except ValueError as error:
        raise Refused("expiration_date must be a valid date in YYYY-MM-DD format.") from error


def given_ids(given: Mapping[str, object]) -> dict[str, str]:
    """Return the ids that are given."""
    read = {name: entity_id(name, value) for name, value in given.items()}
    return {name: value for name, value in read.items() if value}


def free_metadata(metadata: object) -> dict[str, Any]:
    """Return metadata without the ids, which only arguments set.

    Raises:
        Refused: It is no object.
    """
    if not isinstance(metadata, Mapping):
        raise Refused("metadata must be an object.")
    return {name: value for name, value in cast(Mapping[str, Any], metadata).items() if name not in _FIXED}


def turns_of(messages: object) -> list[dict[str, Any]]:
    """Return messages with their texts; images are left out."""
    match messages:
        case str():
            given: list[Any] = [{"role": "user", "content": messages}]
        case Mapping():
            given = [messages]
        case list():
            given = cast(list[Any], messages)
        case _:
            given = [None]
    if not all(isinstance(one, Mapping) for one in given):
        raise ValidationError("messages must be str, dict, or list[dict]", code="VALIDATION_003")
    return [turn for message in given if (turn := _turn(message)) is not None]


def _turn(message: dict[str, Any]) -> dict[str, Any] | None:
    content: Any = message.get("content")
    if isinstance(content, str):
        return message
    if not isinstance(content, list):
        return None
    parts = [cast(dict[str, Any], part) for part in cast(list[Any], content) if isinstance(part, dict)]
    texts = [str(part.get("text", "")) for part in parts if part.get("type") == "text"]
    return {"role": message.get("role"), "content": " ".join(texts)} if texts else None


def speaker_of(turn: Mapping[str, Any], ids: Mapping[str, str]) -> str | None:
    """Return the name of a speaker other than the user, if there is one."""
    name = turn.get("name")
    return None if name == ids.get("user_id") or turn["role"] != "user" else name


def refuse_ids(given: Mapping[str, Any], method: str) -> None:
    """Raise if an id is an argument of its own: it belongs into the filters."""
    if wrong := frozenset(IDS) & set(given):
        raise Refused(
            f"Top-level entity parameters {wrong} are not supported in {method}()."
            " Use filters={'user_id': '...'} instead."
        )


def whole(given: Any) -> int:
    """Return a number of memories."""
    if not isinstance(given, int) or isinstance(given, bool):
        raise Refused("top_k must be a valid integer")
    if given < 0:
        raise Refused(f"Invalid top_k: {given}. Must be a non-negative integer.")
    return given


def least_score(threshold: Any) -> float:
    """Return the least score."""
    if threshold is None:
        return 0.1
    if not isinstance(threshold, int | float):
        raise Refused("threshold must be a valid number")
    if not 0 <= threshold <= 1:
        raise Refused(f"Invalid threshold: {threshold}. Must be between 0 and 1 (inclusive).")
    return threshold


def narrowed(filters: Any, *, hosted: bool, show_expired: bool) -> dict[str, Any]:
    """Return the filter of a list or a search: it names an id, and leaves out what has expired.

    Raises:
        Refused: No id is named; of the platform, not inside AND or OR either.
    """
    if not isinstance(filters, Mapping | None):
        raise Refused("filters must be an object.")
    wanted = dict(cast(Mapping[str, Any], filters or {}))
    known = (*IDS, APP_ID) if hosted else IDS
    wanted |= {name: entity_id(name, wanted[name]) for name in known if _is_one(wanted.get(name, []))}
    if not (_names_one(wanted, known) if hosted else any(name in wanted for name in known)):
        raise Refused(
            f"filters must contain at least one of: {', '.join(known)}. Example: filters={{'user_id': 'u1'}}"
        )
    inner = condition(
        {name: value for name, value in wanted.items() if name not in known or value is not None}
    )
    if show_expired:
        return inner
    over = {"metadata.expiration_date": {"lt": datetime.now(UTC).date().isoformat()}}
    return {"and": [inner, {"not": over}]}


def _is_one(value: object) -> bool:
    return not isinstance(value, Mapping | list)


def _names_one(filters: Mapping[str, Any], known: Sequence[str]) -> bool:
    given = [filters.get(word) for word in ("AND", "OR")]
    nested = [one for some in given if isinstance(some, list) for one in cast(list[Any], some)]
    if any(name in filters for name in known):
        return True
    return any(_names_one(cast(dict[str, Any], one), known) for one in nested if isinstance(one, dict))


def put_of(key: str, text: str, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return the operation that writes a memory."""
    return {
        "do": "put",
        "path": PATH,
        "key": key,
        "body": text,
        "metadata": payload,
        "user": payload.get("user_id"),
        "verbatim": True,
    }


def _hash(text: str) -> str:
    return md5(text.encode(), usedforsecurity=False).hexdigest()


def item_of(document: Any, score: float | None = None) -> dict[str, Any]:
    """Return a memory as one answer shows it."""
    about = document.metadata
    free = {name: value for name, value in about.items() if name not in (*_PROMOTED, *_TIMES)}
    return {
        "id": document.key,
        "memory": document.body or "",
        "hash": _hash(document.body or ""),
        "metadata": free or None,
        "score": score,
        "created_at": about.get("created_at"),
        "updated_at": about.get("updated_at"),
    } | {name: about[name] for name in _PROMOTED if name in about}


def listed_of(document: Any) -> dict[str, Any]:
    """Return a memory as a list shows it: without a score."""
    return {name: value for name, value in item_of(document).items() if name != "score"}


def events_of(memory_id: str, versions: Sequence[Any]) -> list[dict[str, Any]]:
    """Return the rows of a history; ``versions`` are in their order."""
    rows: list[dict[str, Any]] = []
    before: str | None = None
    for one in versions:
        told = ("UPDATE" if rows else "ADD", before, one.body, one.metadata.get("updated_at"))
        rows.append(_row(memory_id, one, *told))
        before = one.body
        if one.ended_by == "delete":
            rows.append(_row(memory_id, one, "DELETE", before, None, one.ended_at.isoformat()))
    return rows


def _row(
    memory_id: str, version: Any, event: str, old: str | None, new: str | None, at: str | None
) -> dict[str, Any]:
    return {
        "id": str(uuid5(NAMESPACE_OID, f"{version.document} {version.version} {event}")),
        "memory_id": memory_id,
        "old_memory": old,
        "new_memory": new,
        "event": event,
        "created_at": version.metadata.get("created_at"),
        "updated_at": at,
        "is_deleted": event == "DELETE",
        "actor_id": version.metadata.get("actor_id"),
        "role": version.metadata.get("role"),
    }
