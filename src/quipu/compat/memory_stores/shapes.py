"""Shapes of Anthropic's Memory Stores: what is taken of a request, and how documents are shown."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from time import time_ns
from typing import Any, Final, cast
from uuid import uuid4

from quipu.errors import BadInput, NotFound

Answer = dict[str, Any]
Asked = Mapping[str, str]
"""The query of a request."""

Place = tuple[datetime, str]
"""Place of a version among all: when it was written, and its id."""

_MOST, _MOST_FULL, _USUAL = 100, 20, "20"
_LARGEST_BYTES: Final = 102_400
_LONGEST_PATH_BYTES: Final = 1_024
_MOST_SEGMENTS: Final = 20
_MOST_PAIRS: Final = 16
_CONTROL: Final = ("Cc", "Cs")
_UNSEEN: Final = (*_CONTROL, "Cf", "Zl", "Zp")


def now() -> str:
    """Return the time, as it is kept."""
    return datetime.now(UTC).isoformat()


def new_id(kind: str) -> str:
    """Return an id; later ones come later in order."""
    return f"{kind}_{time_ns() // 1_000_000:012x}{uuid4().hex[:20]}"


def folder(store: str) -> list[str]:
    """Return the path at which the memories of a store stand."""
    return ["memory-stores", "memories", store]


def shown_store(document: Any) -> Answer:
    """Return a store as the peer shows it."""
    return {"type": "memory_store", **document.value, "updated_at": document.updated_at.isoformat()}


def shown_memory(document: Any, *, full: bool) -> Answer:
    """Return a memory as the peer shows it."""
    return {
        "type": "memory",
        "id": document.key,
        "memory_store_id": document.path[-1],
        "memory_version_id": version_id(document),
        "path": document.metadata["path"],
        "content": document.body if full else None,
        "content_sha256": document.sha256,
        "content_size_bytes": len(document.body.encode()),
        "created_at": document.created_at.isoformat(),
        "updated_at": document.updated_at.isoformat(),
    }


def shown_version(version: Any, *, full: bool) -> Answer:
    """Return a version as the peer shows it."""
    is_deleted = bool(version.metadata.get("deleted"))
    says = not is_deleted and not version.redacted
    redacted_at = version.ended_at.isoformat() if version.redacted else None
    return {
        "type": "memory_version",
        "id": version_id(version),
        "memory_id": version.key,
        "memory_store_id": version.path[-1],
        "operation": "deleted" if is_deleted else "created" if version.version == 1 else "modified",
        "path": version.metadata.get("path"),
        "content": version.body if full and says else None,
        "content_sha256": version.sha256 if says else None,
        "content_size_bytes": len(version.body.encode()) if says else None,
        "created_at": version.written_at.isoformat(),
        "created_by": None,
        "redacted_at": redacted_at,
        "redacted_by": None,
    }


def version_id(of: Any) -> str:
    """Return the id of a version, or of the one that stands."""
    return f"memver_{of.key.removeprefix('mem_')}_{of.version:08d}"


def version_of(version_id: str) -> tuple[str, int]:
    """Return the memory of a version, and which of its versions it is."""
    memory, _, number = version_id.removeprefix("memver_").rpartition("_")
    if not memory or not (number.isascii() and number.isdecimal() and 0 < int(number[:10]) < 10**8):
        raise NotFound("There is no such memory version.")
    return f"mem_{memory}", int(number)


def place(version: Any) -> Place:
    """Return the place of a version among all."""
    return version.written_at, version_id(version)


def level(path: str, prefix: str, depth: int) -> str:
    """Return a path, or the folder in which it lies too deep below a prefix."""
    names = path[len(prefix) :].split("/")
    return path if len(names) <= depth else f"{prefix}{'/'.join(names[:depth])}/"


def cursor(asked: Asked) -> Place | None:
    """Return the place of the last version of the page before; None for the first page."""
    written, _, version = asked.get("page", "").partition(",")
    return (_time(written, "page"), version) if written else None


def page(rows: Sequence[Answer], limit: int, cursor: Callable[[Answer], str]) -> Answer:
    """Return a page; ``rows`` has one more where there is another page."""
    shown = list(rows[:limit])
    return {"data": shown, "next_page": cursor(shown[-1]) if len(rows) > limit else None}


def limit(asked: Asked, *, full: bool) -> int:
    """Return the most rows of a page."""
    given = asked.get("limit", _USUAL)
    if not (given.isascii() and given.isdecimal() and 1 <= int(given[:4]) <= _MOST):
        raise BadInput(f"a number from 1 to {_MOST} is needed.", field="limit")
    return min(int(given), _MOST_FULL) if full else int(given)


def is_full(asked: Asked, *, otherwise: str) -> bool:
    """Return True if contents are to be shown."""
    view = asked.get("view", otherwise)
    if view not in ("basic", "full"):
        raise BadInput("basic or full.", field="view")
    return view == "full"


def moment(asked: Asked, name: str) -> datetime | None:
    """Return a time that a query names; None without one."""
    return _time(asked[name], name) if name in asked else None


def _time(text: str, field: str) -> datetime:
    try:
        moment_ = datetime.fromisoformat(text)
    except ValueError as error:
        raise BadInput("a time in RFC 3339 is needed.", field=field) from error
    return (moment_ if moment_.tzinfo else moment_.replace(tzinfo=UTC)).astimezone(UTC)


def described(old: Answer, changes: Mapping[str, Any]) -> Answer:
    """Return a store with another name, description and metadata, checked; None leaves one as it is."""
    given = {
        name: changes[name] for name in ("name", "description", "metadata") if changes.get(name) is not None
    }
    if "metadata" in given:
        pairs = given["metadata"]
        if not isinstance(pairs, dict):
            raise BadInput("an object of texts is needed.", field="metadata")
        merged: dict[str, Any] = {**old["metadata"], **cast(dict[str, Any], pairs)}
        kept = {
            _text(name, "metadata", 1, 64): _text(value, "metadata", 0, 512)
            for name, value in merged.items()
            if value is not None
        }
        if len(kept) > _MOST_PAIRS:
            raise BadInput(f"{_MOST_PAIRS} pairs are the most.", field="metadata")
        given["metadata"] = kept
    if "name" in given and _has(_text(given["name"], "name", 1, 255), _CONTROL):
        raise BadInput("it has a control character in it.", field="name")
    if "description" in given:
        _text(given["description"], "description", 0, 1_024)
    return {**old, **given}


def _text(given: object, field: str, least: int, most: int) -> str:
    if not isinstance(given, str) or not least <= len(given) <= most:
        raise BadInput(f"a text of {least} to {most:,} characters is needed.", field=field)
    return given


def memory_path(given: object) -> str:
    """Return a path of a memory, checked."""
    path = _text(given, "path", 1, _LONGEST_PATH_BYTES)
    names = path.split("/")
    if names[0] or not 1 < len(names) <= _MOST_SEGMENTS + 1 or {"", ".", ".."} & set(names[1:]):
        raise BadInput("a slash and 1 to 20 names with slashes between them are needed.", field="path")
    if _has(path, _UNSEEN) or unicodedata.normalize("NFC", path) != path:
        raise BadInput("it has a control or format character in it, or is not in NFC.", field="path")
    if len(path.encode()) > _LONGEST_PATH_BYTES:
        raise BadInput(f"{_LONGEST_PATH_BYTES:,} bytes are the most.", field="path")
    return path


def checked_content(given: object) -> str:
    """Return a content of a memory, checked."""
    if not isinstance(given, str):
        raise BadInput("a text is needed.", field="content")
    if len(given.encode(errors="replace")) > _LARGEST_BYTES:
        raise BadInput(f"{_LARGEST_BYTES:,} bytes are the most.", field="content")
    return given


def expected_digest(given: object) -> str | None:
    """Return the digest that a precondition names; None without one."""
    if given is None:
        return None
    condition = cast(Mapping[str, Any], given) if isinstance(given, dict) else dict[str, Any]()
    digest = condition.get("content_sha256")
    if condition.get("type") != "content_sha256" or not isinstance(digest, str):
        raise BadInput("the type content_sha256, and a digest, are needed.", field="precondition")
    return digest


def _has(text: str, categories: Sequence[str]) -> bool:
    return any(unicodedata.category(one) in categories for one in text)
