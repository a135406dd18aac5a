"""Arguments and answers of agents: where the message is, where memory goes, what was answered. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard, cast

_USER: tuple[object, ...] = ("user", "human")
_SPOKEN: tuple[object, ...] = (*_USER, "assistant", "ai")


def text_of(value: object) -> str | None:
    """Return the text of a message, an answer, or a piece of one; None if there is none.

    Text, objects with ``content`` as a key or an attribute, and lists of parts with ``text`` are taken.
    """
    if isinstance(value, str):
        return value
    if is_list(value):
        parts = [_part(one) for one in value]
        return "".join(part for part in parts if part) or None
    content = _field(value, "content")
    return None if content is None or content is value else text_of(content)


def message_of(request: object) -> str | None:
    """Return the message that is to be answered: a text, or the last of the user's in a list of messages."""
    return text_of(last_of_user(request) if is_list(request) else request)


def last_of_user(messages: Sequence[object]) -> object:
    """Return the last message of the user in a list; None if there is none."""
    return next((one for one in reversed(messages) if _role(one) in _USER), None)


def recent_of(request: object, *, most: int) -> tuple[str, ...]:
    """Return the turns before the message in a list of messages, latest last; at most so many."""
    if not is_list(request):
        return ()
    roles = [_role(one) for one in request]
    last = max((place for place, role in enumerate(roles) if role in _USER), default=0)
    texts = [text_of(one) for one, role in zip(request[:last], roles, strict=False) if role in _SPOKEN]
    return tuple([text for text in texts if text][-most:])


def with_memory(request: Any, block: str) -> Any:
    """Put the block of memory in front: of the text, or of the user's last message in a list.

    In a list it is a system message. Anything else is returned unchanged.
    """
    if not block:
        return request
    if isinstance(request, str):
        return f"{block}\n\n{request}"
    if not is_list(request):
        return request
    places = [place for place, one in enumerate(request) if _role(one) in _USER]
    place = places[-1] if places else len(request)
    return [*request[:place], {"role": "system", "content": block}, *request[place:]]


def is_list(value: object) -> TypeGuard[Sequence[object]]:
    """Return True for a list of things, not a text."""
    return isinstance(value, (list, tuple))


def _role(message: object) -> object:
    return _field(message, "role") or _field(message, "type")


def _part(value: object) -> str | None:
    if isinstance(value, str):
        return value
    text = _field(value, "text")
    return text if isinstance(text, str) else None


def _field(value: object, name: str) -> object:
    if isinstance(value, Mapping):
        return cast("Mapping[object, object]", value).get(name)
    return getattr(value, name, None)
