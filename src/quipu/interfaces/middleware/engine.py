"""Engine shared by all conversations of one middleware: memory, threads, recall in time, what was recent."""

from __future__ import annotations

import time
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as TooLate
from datetime import UTC, datetime
from functools import partial
from threading import Lock, Thread
from typing import TYPE_CHECKING, Final, TypeVar
from uuid import uuid4

from quipu.interfaces.middleware.journal import Journal, told
from quipu.interfaces.middleware.model import Metrics, Person, Recalled
from quipu.interfaces.middleware.source import MemoryProvider
from quipu.interfaces.middleware.writer import TurnCounter, TurnMessages, TurnWriter, attempt
from quipu.kernel.config import Settings
from quipu.kinds.longterm.sati import Recovered
from quipu.kinds.longterm.settings import EVERY, TIMEOUT_MS
from quipu.sync import Memory

if TYPE_CHECKING:
    from quipu.kinds.longterm.sati import Recovered

_FAILED: Final = ("timeout", "failed")


MOST_TURNS: Final = 6
_MOST_SESSIONS: Final = 1_000
_LONGEST_TURN: Final = 2_000


_THREADS: Final = 16
_MOST_LATE: Final = 8

T = TypeVar("T")


class Late(Exception):
    """There was no result in time."""


class RecallThreads:
    """Asks in threads of its own, and leaves one behind that is late.

    A server that hangs cannot be made to answer by cancelling: what waits for it goes on waiting, and the
    agent does not. When too many wait, nothing is asked until some of them came back.
    """

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="quipu before")
        self._lock = Lock()
        self._late = 0

    def ask(self, question: Callable[[], Recovered], *, seconds: float) -> Recovered:
        """Ask a question and return its result.

        Raises:
            Late: there is none in time, or too many earlier questions have none yet.
            Exception: what ``question`` raised, by ``Future.result``.
        """
        if self._late >= _MOST_LATE:
            raise Late(f"{self._late} earlier questions were not answered yet")
        future = self._threads.submit(question)
        try:
            return future.result(seconds)
        except TooLate:
            if future.done():  # what the question raised itself
                raise
            self._leave(future)
            raise Late(f"no answer within {seconds * 1000:.0f} ms") from None

    def close(self) -> None:
        """Take no more questions; those that wait are left to end by themselves."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _leave(self, future: Future[Recovered]) -> None:
        with self._lock:
            self._late += 1
        future.add_done_callback(self._came)

    def _came(self, _: Future[Recovered]) -> None:
        with self._lock:
            self._late -= 1


def milliseconds_since(begun: float) -> float:
    """Return the milliseconds since a time of ``time.perf_counter``."""
    return (time.perf_counter() - begun) * 1000


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


class Engine:
    """Recovers, writes, counts. Nothing here raises for want of memory."""

    def __init__(self, memory: Memory | None, settings: Settings, *, evaluates: bool) -> None:
        self._settings = settings
        self._source = MemoryProvider(memory, settings)
        self._counting = TurnCounter()
        self._journal = Journal(settings.home)
        self._recalling = RecallThreads()
        evaluates = evaluates and settings.of(EVERY) > 0
        self.recents = Recents()
        self.writing = TurnWriter(self._source, self._counting, self._journal, evaluates=evaluates)

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
        recovered = done.result
        if recovered is None:
            late = isinstance(done.error, Late)
            trouble = str(done.error) if late else told(done.error)
            recovered = Recovered(outcome="timeout" if late else "failed", trouble=trouble)
        self._counting.recalled(recovered.outcome, took_ms)
        if recovered.outcome in _FAILED:
            self.trouble(recovered.trouble or recovered.outcome)
        return Recalled(
            outcome=recovered.outcome,
            message=id_,
            block=recovered.block,
            ids=recovered.ids,
            tokens=recovered.tokens,
            took_ms=took_ms,
            trouble=recovered.trouble,
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
        written = [one for one in messages if str(one["content"]).strip()]
        if written:
            self.recents.add(person, message, answer)
            self.writing.put(TurnMessages(messages=written, person=person))

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
