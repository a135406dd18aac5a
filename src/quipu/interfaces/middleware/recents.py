"""The last turns of the conversations that go on here, so that a short message is understood."""

from __future__ import annotations

from collections import OrderedDict, deque
from threading import Lock
from typing import Final

from quipu.interfaces.middleware.model import Person

MOST_TURNS: Final = 6
_MOST_SESSIONS: Final = 1_000
_LONGEST_TURN: Final = 2_000


class Recents:
    """Keeps the last turns of the sessions that were heard of last."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._turns: OrderedDict[Person, deque[str]] = OrderedDict()

    def of(self, person: Person) -> tuple[str, ...]:
        """Return the last turns of a session, latest last."""
        with self._lock:
            return tuple(self._turns.get(person, ()))

    def add(self, person: Person, *texts: str) -> None:
        """Add the next turns of a session."""
        with self._lock:
            turns = self._turns.setdefault(person, deque(maxlen=MOST_TURNS))
            turns.extend(text[:_LONGEST_TURN] for text in texts if text)
            self._turns.move_to_end(person)
            if len(self._turns) > _MOST_SESSIONS:
                self._turns.popitem(last=False)
