"""Recalled memory for messages that are being answered, by their ids."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from typing import Final

from quipu.middleware import Middleware, Recalled, last_of_user, text_of

_MOST: Final = 1_000


class Rounds:
    """Recovers once for a message, however often the model is called for it, and takes the turn in once."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: OrderedDict[str, Recalled] = OrderedDict()

    def before(self, around: Middleware, messages: Sequence[object]) -> Recalled:
        """Recall what matters for the last message of the user."""
        return self._held(messages) or self._hold(messages, around.before(messages))

    async def abefore(self, around: Middleware, messages: Sequence[object]) -> Recalled:
        """Recall as ``before`` does, for code in an event loop."""
        return self._held(messages) or self._hold(messages, await around.abefore(messages))

    def after(self, around: Middleware, messages: Sequence[object]) -> None:
        """Take in the last message of the user with what was said last after it."""
        with self._lock:
            recalled = self._known.pop(_id(messages), None)
        message = last_of_user(messages)
        answer = messages[-1] if messages and messages[-1] is not message else ""
        around.after(text_of(message) or "", answer, recalled=recalled)

    def _held(self, messages: Sequence[object]) -> Recalled | None:
        with self._lock:
            return self._known.get(_id(messages))

    def _hold(self, messages: Sequence[object], recalled: Recalled) -> Recalled:
        id_ = _id(messages)
        with self._lock:
            if id_:
                self._known[id_] = recalled
            if len(self._known) > _MOST:
                self._known.popitem(last=False)
        return recalled


def _id(messages: Sequence[object]) -> str:
    """Return the id of the message that is to be answered; empty if it has none."""
    return str(getattr(last_of_user(messages), "id", None) or "")
