"""Engine shared by all conversations of one middleware: memory, threads, counts, journal."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from threading import Thread
from typing import Final
from uuid import uuid4

from quipu.interfaces.middleware.attempt import attempt
from quipu.interfaces.middleware.counting import Counting
from quipu.interfaces.middleware.journal import Journal, told
from quipu.interfaces.middleware.model import Metrics, Person, Recalled
from quipu.interfaces.middleware.recalling import Late, Recalling, milliseconds_since
from quipu.interfaces.middleware.recents import Recents
from quipu.interfaces.middleware.source import Source
from quipu.interfaces.middleware.writing import Said, Writing
from quipu.kernel.config import Settings
from quipu.kinds.longterm.sati import Recovered
from quipu.kinds.longterm.settings import EVERY, TIMEOUT_MS
from quipu.sync import Memory

_FAILED: Final = ("timeout", "failed")


class Engine:
    """Recovers, writes, counts. Nothing here raises for want of memory."""

    def __init__(self, memory: Memory | None, settings: Settings, *, evaluates: bool) -> None:
        self._settings = settings
        self._source = Source(memory, settings)
        self._counting = Counting()
        self._journal = Journal(settings.home)
        self._recalling = Recalling()
        evaluates = evaluates and settings.of(EVERY) > 0
        self.recents = Recents()
        self.writing = Writing(self._source, self._counting, self._journal, evaluates=evaluates)

    @property
    def limit_seconds(self) -> float:
        """The longest that an answer waits for memory."""
        return self._settings.of(TIMEOUT_MS) / 1000

    def open(self, seconds: float) -> None:
        """Open the memory, so that the first answer finds it open; failing is noted, and tried again."""
        opening = Thread(target=self._open, name="quipu open", daemon=True)
        opening.start()
        opening.join(seconds)

    def recall(self, message: str, person: Person, recent: Sequence[str]) -> Recalled:
        """Recall what matters for a message, in time or not at all."""
        begun = time.perf_counter()
        id_ = uuid4().hex
        question = partial(self._recovered, message, person, tuple(recent), id_)
        done = attempt(lambda: self._recalling.ask(question, seconds=self.limit_seconds))
        took_ms = milliseconds_since(begun)
        found = done.result
        if found is None:
            late = isinstance(done.error, Late)
            trouble = str(done.error) if late else told(done.error)
            found = Recovered(outcome="timeout" if late else "failed", trouble=trouble)
        self._counting.recalled(found.outcome, took_ms)
        if found.outcome in _FAILED:
            self.trouble(found.trouble or found.outcome)
        return Recalled(
            outcome=found.outcome,
            message=id_,
            block=found.block,
            ids=found.ids,
            tokens=found.tokens,
            took_ms=took_ms,
            trouble=found.trouble,
        )

    def untold(self, trouble: str) -> Recalled:
        """Return the result for input without a message."""
        self._counting.recalled("failed", 0.0)
        self.trouble(trouble)
        return Recalled(outcome="failed", message=uuid4().hex, trouble=trouble)

    def trouble(self, trouble: str) -> None:
        """Note that recovering failed."""
        self._counting.trouble("before")
        self._journal.note("before", trouble)

    def write(self, person: Person, message: str, answer: str, *, id_: str | None) -> None:
        """Have a turn written: the user's message under its id, and the answer."""
        now = datetime.now(UTC)
        name = id_ or uuid4().hex
        messages = [
            {"id": name, "role": "user", "content": message, "time": now},
            {"id": f"{name}-answer", "role": "assistant", "content": answer, "time": now},
        ]
        said = [one for one in messages if str(one["content"]).strip()]
        if said:
            self.recents.add(person, message, answer)
            self.writing.put(Said(messages=said, person=person))

    def metrics(self) -> Metrics:
        """Return the counts now."""
        return self._counting.metrics(waiting=self.writing.waiting)

    def close(self, seconds: float) -> None:
        """Write what waits, in time or not at all, and close what was opened here."""
        self.writing.close(seconds)
        self._recalling.close()
        error = attempt(self._source.close).error
        if error is not None:
            self._note_opening(error)
        self._journal.close()

    def _open(self) -> None:
        error = attempt(self._source.memory).error
        if error is not None:
            self._note_opening(error)

    def _note_opening(self, error: Exception) -> None:
        self._counting.trouble("open")
        self._journal.note("open", told(error))

    def _recovered(self, message: str, person: Person, recent: Sequence[str], id_: str) -> Recovered:
        return self._source.memory().longterm.recover(
            message,
            space=person.space,
            user=person.user,
            session=person.session,
            message_id=id_,
            recent=recent,
            injected=True,
        )
