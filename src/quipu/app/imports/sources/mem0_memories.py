"""Memories of mem0 as the documents that our face of mem0 reads, from payloads and from items of exports.

A payload has ``data`` (the text), ``user_id``, ``agent_id``, ``run_id``, ``actor_id``, ``role``,
``attributed_to``, ``created_at``, ``updated_at``, ``expiration_date`` (the last day, in UTC), the caller's
metadata beside these, and what mem0 derives: ``hash``, ``text_lemmatized``. The TypeScript edition writes
``userId``, ``createdAt`` and so on. An item has ``memory`` for the text, and the caller's metadata in
``metadata``; one of the platform has ``categories`` and ``app_id`` too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

from quipu.app.imports.fields import Account, Fields, Unreadable, as_object
from quipu.app.imports.found import JSON, Filed
from quipu.app.imports.sources.mem0_history import History

PATH: Final = ("mem0",)
"""Path of the documents that our face of mem0 reads; the key of each is its id, the body its text."""

_IDS: Final = ("user_id", "agent_id", "run_id")
_PROMOTED: Final = (
    *_IDS, "actor_id", "role", "attributed_to", "expiration_date", "created_at", "updated_at"
)  # fmt: skip
_OF_PLATFORM: Final = ("app_id", "categories")  # they become metadata, as our face of the platform has them
_DERIVED: Final = ("hash", "text_lemmatized", "textLemmatized")
_OF_AN_ANSWER: Final = ("id", "score", "source", "event")
_CAMEL: Final = {
    "userId": "user_id",
    "agentId": "agent_id",
    "runId": "run_id",
    "actorId": "actor_id",
    "attributedTo": "attributed_to",
    "expirationDate": "expiration_date",
    "createdAt": "created_at",
    "updatedAt": "updated_at",
}


class Memories:
    """Makes documents of memories, each once, with what the history tells of them."""

    def __init__(self, history: History, account: Account) -> None:
        self._history = history
        self._account = account

    def of_payload(self, where: str, id_: JSON, payload: JSON) -> Iterator[Filed]:
        """Yield the memory that a payload of a store is; none if it is none, deleted, or came already."""
        with self._account.reading(where):
            told = as_object(payload)
            if told is None or not told.get("data"):
                self._account.leave_out("a point that is no memory")
                return
            raw = {"id": id_, "payload": payload}
            yield from self._document(_key(id_), "data", _in_snake_case(told), raw=raw)

    def of_item(self, where: str, item: JSON) -> Iterator[Filed]:
        """Yield the memory that an item of an export is."""
        with self._account.reading(where), self._account.fields(item, "memory") as given:
            inner = given.object("source_payload")  # of the script that moves memories to the platform
            known = {
                name: value for name in (*_PROMOTED, *_OF_PLATFORM) if (value := given.get(name)) is not None
            }
            for name in _OF_AN_ANSWER:
                given.get(name)
            payload = {**given.object("metadata"), **inner, **known, "data": given.words("memory")}
            payload |= {name: given.get(name) for name in _DERIVED if name in set(given)}
            id_ = given.text("id") or _made_id(payload)
            yield from self._document(id_, "data", payload, raw=item)

    def _document(self, id_: str, text: str, payload: Mapping[str, JSON], *, raw: JSON) -> Iterator[Filed]:
        if self._history.is_gone(id_):
            return
        if not self._history.is_new(id_):
            self._account.leave_out("the same memory once more")
            return
        with self._account.fields(payload, "memory") as given:
            yield self._filed(id_, given.words(text), given, raw)

    def _filed(self, id_: str, text: str, given: Fields, raw: JSON) -> Filed:
        created, updated = given.time("created_at"), given.time("updated_at")
        ids = {name: value for name in _IDS if (value := given.text(name)) is not None}
        last_day = given.get("expiration_date")
        told = {name: given.get(name) for name in _PROMOTED if name in set(given)}
        for name in _DERIVED:
            if given.get(name):
                self._account.drop(f"memory.{name}")
        return Filed(
            id=id_,
            path=PATH,
            key=id_,
            body=text,
            metadata={**told, **given.rest()},
            user=ids.get("user_id"),
            created_at=created,
            updated_at=updated or created,
            expires_at=_after(last_day),
            earlier=self._history.earlier(id_, text, ids),
            raw=raw,
        )


def _key(id_: JSON) -> str:
    if isinstance(id_, bool) or not isinstance(id_, str | int) or id_ == "":
        raise Unreadable("id", "it is no text and no number")
    return str(id_)


def _in_snake_case(payload: Mapping[str, JSON]) -> dict[str, JSON]:
    made = {name: value for name, value in payload.items() if name not in _CAMEL}
    return {snake: payload[camel] for camel, snake in _CAMEL.items() if camel in payload} | made


def _made_id(payload: Mapping[str, JSON]) -> str:
    """Return an id for a memory of an export that has none."""
    said = "\0".join(str(payload.get(name) or "") for name in (*_IDS, "data"))
    return hashlib.blake2b(said.encode("utf-8", "replace"), digest_size=16).hexdigest()


def _after(last_day: JSON) -> datetime | None:
    """Return when a memory has expired: behind its last day; what is no day never ends, as with mem0."""
    try:
        return datetime.combine(date.fromisoformat(str(last_day)), time(), UTC) + timedelta(days=1)
    except (ValueError, OverflowError):
        return None
