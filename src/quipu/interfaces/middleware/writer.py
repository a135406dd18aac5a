"""After the answer: a thread writes turns down in their order, counts them, tries again, and evaluates."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from threading import Condition, Lock, Thread
from typing import Final, Generic, Literal, TypeVar

from quipu.errors import BadInput, DatabaseUnavailable, DiskFull, QuipuError, ServerError
from quipu.interfaces.middleware.journal import Journal, told
from quipu.interfaces.middleware.model import OUTCOMES, Metrics, Outcome, Part, Person
from quipu.interfaces.middleware.source import MemoryProvider
from quipu.kinds.longterm.evaluation.jobs import EVALUATE

MOST_WAITING: Final = 1_000
_FIRST_PAUSE_SECONDS: Final = 0.5
_LONGEST_PAUSE_SECONDS: Final = 10.0
_MOST_TRIES: Final = 5
_PASSING: Final = (DatabaseUnavailable, DiskFull, ServerError, OSError)


T = TypeVar("T")


Counted = Literal["written", "lost", "tried_again", "evaluated", "evaluations_failed"]


class TurnCounter:
    """Counts what happens; ``metrics`` is how it stands."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._before: Counter[Outcome] = Counter()
        self._before_ms = 0.0
        self._before_ms_most = 0.0
        self._others: Counter[Counted] = Counter()
        self._troubles: Counter[Part] = Counter()

    def recalled(self, outcome: Outcome, took_ms: float) -> None:
        """Count a recovery that ended."""
        with self._lock:
            self._before[outcome] += 1
            self._before_ms += took_ms
            self._before_ms_most = max(self._before_ms_most, took_ms)

    def add(self, what: Counted, number: int = 1) -> None:
        """Count something else, so many times."""
        with self._lock:
            self._others[what] += number

    def trouble(self, part: Part) -> None:
        """Count a failure."""
        with self._lock:
            self._troubles[part] += 1

    def metrics(self, *, waiting: int) -> Metrics:
        """Return the counts now."""
        with self._lock:
            return Metrics(
                before={outcome: self._before[outcome] for outcome in OUTCOMES},
                before_ms=self._before_ms,
                before_ms_most=self._before_ms_most,
                waiting=waiting,
                troubles=dict(self._troubles),
                **{name: self._others[name] for name in _OTHERS},
            )


_OTHERS: tuple[Counted, ...] = ("written", "lost", "tried_again", "evaluated", "evaluations_failed")


@dataclass(frozen=True, slots=True)
class Done(Generic[T]):
    """Result of a call, or the error that it raised."""

    result: T | None = None
    error: Exception | None = None


def attempt(call: Callable[[], T]) -> Done[T]:
    """Call it; whatever it raises is handed back, to be counted and shown."""
    try:
        return Done(result=call())
    except Exception as error:  # noqa: BLE001 - see above
        return Done(error=error)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnMessages:
    """A turn: the messages of it, as ``observe`` takes them, and whose they are."""

    messages: Sequence[Mapping[str, object]]
    person: Person


class TurnWriter:
    """Writes turns in the background. Messages have ids, so a turn that is tried again is in the record once.

    While the database is not to be had, a turn is tried until it is or the middleware is closed. What fails
    otherwise is tried five times, so that one turn does not stop all others; what cannot be taken at all is
    lost at once. At most a thousand wait: then the oldest is lost.
    """

    def __init__(
        self, source: MemoryProvider, counting: TurnCounter, journal: Journal, *, evaluates: bool
    ) -> None:
        """Prepare to write; with ``evaluates``, evaluate here rather than leave it to a worker."""
        self._source = source
        self._counting = counting
        self._journal = journal
        self._evaluates = evaluates
        self._changed = Condition()
        self._waiting: deque[TurnMessages] = deque()
        self._busy = False
        self._unevaluated = False
        self._closing = False
        self._tries = 0
        self._thread: Thread | None = None

    @property
    def waiting(self) -> int:
        """Number of turns that are not written yet."""
        return len(self._waiting)

    def put(self, turn: TurnMessages) -> None:
        """Have a turn written. This takes no time and never fails."""
        with self._changed:
            if self._closing:
                self._lose("after", "it was said after the middleware was closed")
                return
            if len(self._waiting) >= MOST_WAITING:
                self._waiting.popleft()
                self._lose("after", f"more than {MOST_WAITING:,} turns waited to be written")
            self._waiting.append(turn)
            if self._thread is None:
                # It must not keep the program from ending, as a server that hangs would have it do.
                self._thread = Thread(target=self._run, name="quipu after", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def flush(self, seconds: float) -> bool:
        """Wait until all is written and evaluated; whether it was so in time."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._waiting and not self._busy, seconds)

    def close(self, seconds: float) -> None:
        """Write what waits, if that can be done in time; what is left is lost and counted."""
        self.flush(seconds)
        with self._changed:
            self._closing = True
            left = len(self._waiting)
            self._waiting.clear()
            self._changed.notify_all()
        for _ in range(left):
            self._lose("after", "it was not written before the middleware was closed")

    def _run(self) -> None:
        pause = _FIRST_PAUSE_SECONDS
        while (turn := self._next()) is not None:
            done = self._write(turn)
            if done:
                pause = _FIRST_PAUSE_SECONDS
            else:
                self._rest(pause)
                pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)
            if done and self._evaluates and not self._waiting:
                self._evaluate()
            with self._changed:
                self._busy = False
                self._changed.notify_all()

    def _next(self) -> TurnMessages | None:
        """Return the turn that was said first; it stays there until it is written. None at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closing)
            if self._closing:
                return None
            self._busy = True
            return self._waiting[0]

    def _rest(self, seconds: float) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._closing, seconds)

    def _write(self, turn: TurnMessages) -> bool:
        """Write a turn; return True if it is dealt with: written, or lost."""
        error = attempt(lambda: self._observe(turn)).error
        self._tries += 1
        if error is not None and self._is_worth_a_try(error):
            self._counting.add("tried_again")
            self._trouble("after", told(error))
            return False
        self._tries = 0
        with self._changed:
            if not self._waiting or self._waiting[0] is not turn:  # it was given up meanwhile
                return True
            self._waiting.popleft()
        if error is None:
            self._counting.add("written")
        else:
            self._lose("after", told(error))
        return True

    def _is_worth_a_try(self, error: Exception) -> bool:
        if isinstance(error, _PASSING):
            return True
        known = isinstance(error, QuipuError) and not isinstance(error, BadInput)
        return known and self._tries < _MOST_TRIES

    def _observe(self, turn: TurnMessages) -> None:
        person = turn.person
        self._source.memory().observe(
            turn.messages, space=person.space, session=person.session, user=person.user
        )

    def _evaluate(self) -> None:
        done = attempt(lambda: self._source.memory().work(topics=[EVALUATE], concurrency=1))
        worked = done.result
        if worked is None:
            self._trouble("evaluate", told(done.error))
            return
        self._counting.add("evaluated", worked.done)
        if worked.failed:
            self._counting.add("evaluations_failed", worked.failed)
            self._trouble("evaluate", "jobs failed; `quipu queue dead` lists those given up")

    def _lose(self, part: Part, trouble: str) -> None:
        self._counting.add("lost")
        self._trouble(part, f"a turn was lost: {trouble}")

    def _trouble(self, part: Part, trouble: str) -> None:
        self._counting.trouble(part)
        self._journal.note(part, trouble)
