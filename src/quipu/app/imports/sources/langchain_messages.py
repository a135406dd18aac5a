"""Messages of LangChain, as objects in MessagePack, constructors in JSON, or plain objects, as words said.

``HumanMessage``, ``AIMessage``, ``SystemMessage``, ``ToolMessage``, ``FunctionMessage``, ``ChatMessage`` with
``{content, type, id, name, additional_kwargs, response_metadata}``; an answer has ``tool_calls``, the output
of a tool ``tool_call_id``. JSON has them as ``{"lc": 1, "type": "constructor", "id": [..., "HumanMessage"],
"kwargs": {...}}``; a graph may keep ``{"role", "content"}`` as well.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Final, cast

from quipu.app.imports.fields import Account, Fields, as_list, as_object
from quipu.app.imports.found import JSON, Said
from quipu.app.imports.sources.msgpacked import Made, as_json
from quipu.record.items import text_of

Message = Mapping[str, JSON]
"""A message, its kind under ``type``."""

REMOVED: Final = "remove"
"""Kind of a message that takes another out of the state, by its id."""

_CLASSES: Final = {
    "HumanMessage": "human",
    "AIMessage": "ai",
    "SystemMessage": "system",
    "ToolMessage": "tool",
    "FunctionMessage": "function",
    "ChatMessage": "chat",
    "RemoveMessage": REMOVED,
}
_ROLES: Final = {
    "human": "user",
    "user": "user",
    "ai": "assistant",
    "assistant": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
}
_CHUNK: Final = "Chunk"
_OF_A_CALL: Final = ("tool_calls", "invalid_tool_calls", "additional_kwargs", "artifact")


def messages_in(value: object) -> list[Message]:
    """Return the messages that a value is, or that are in a list of them."""
    listed = cast("list[object]", value) if isinstance(value, list) else [value]
    return [message for one in listed if (message := _message(one)) is not None]


def _message(value: object) -> Message | None:
    if isinstance(value, Made):
        name, inner = value.name, value.value
    elif not isinstance(value, Mapping):
        return None
    else:
        given = cast("Mapping[str, object]", value)
        path: list[JSON] | None = None
        is_made = "lc" in given and bool(path := as_list(given.get("id")))
        name = str(path[-1]) if is_made and path else ""
        inner = given.get("kwargs") if is_made else given
    if not isinstance(inner, Mapping):
        return None
    fields: dict[str, JSON] = {key: as_json(one) for key, one in cast("Mapping[str, object]", inner).items()}
    kind = _CLASSES.get(name.removesuffix(_CHUNK)) or fields.get("type") or fields.get("role")
    if not isinstance(kind, str):
        return None
    kind = _CLASSES.get(kind.removesuffix(_CHUNK), kind)
    is_known = kind in _ROLES or kind in _CLASSES.values()
    return {**fields, "type": kind} if is_known and (kind == REMOVED or "content" in fields) else None


def merged(messages: list[Message], more: Iterable[Message]) -> list[Message]:
    """Return messages with more, as LangGraph adds them: those of an id in its place, less the removed."""
    by_id = {id_: place for place, one in enumerate(messages) if isinstance(id_ := one.get("id"), str)}
    found: list[Message | None] = [*messages]
    for one in more:
        id_ = one.get("id")
        place = by_id.get(id_) if isinstance(id_, str) else None
        if one["type"] == REMOVED:
            if id_ == "__remove_all__":
                found, by_id = [], {}
            elif place is not None:
                found[place] = None
        elif place is not None:
            found[place] = one
        else:
            if isinstance(id_, str):
                by_id[id_] = len(found)
            found.append(one)
    return [one for one in found if one is not None]


class Thread:
    """Makes messages of a session, each with an id of its own."""

    def __init__(self, session: str, user: str | None, account: Account) -> None:
        self._session = session
        self._user = user
        self._account = account
        self._alike: Counter[str] = Counter()

    def said(self, message: Message, time: datetime | None) -> Said:
        """Return a message as words said."""
        with self._account.fields(message, "message") as given:
            kind, content = given.words("type"), given.get("content")
            role = _ROLES.get(kind) or given.text("role") or kind
            speaker, id_ = given.text("name"), given.text("id")
            given.get("role")
            is_item = self._is_item(given, role, content)
            if is_item:
                given.rest()
        words = "" if role == "tool" else text_of({"content": content})
        return Said(
            id=id_ or self._made_id(message),
            session=self._session,
            content=words,
            role=role,
            speaker=speaker,
            user=self._user,
            time=time,
            item=message if is_item else None,
            heard=role != "system",
            raw=message,
        )

    def _is_item(self, given: Fields, role: str, content: JSON) -> bool:
        """Return True if a message is more than its text."""
        more = [given.get(name) for name in _OF_A_CALL]
        is_more = any(one if (inner := as_object(one)) is None else any(inner.values()) for one in more)
        return role == "tool" or not isinstance(content, str) or is_more

    def _made_id(self, message: Message) -> str:
        told = json.dumps([message["type"], message.get("content")], sort_keys=True)
        digest = hashlib.blake2b(told.encode("utf-8", "replace"), digest_size=12).hexdigest()
        self._alike[digest] += 1
        count = self._alike[digest]
        return digest if count == 1 else f"{digest}-{count}"
