"""Before the answer: recovery that never takes longer than its limit, whatever happens to it."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as TooLate
from threading import Lock
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from quipu.kinds.longterm.sati import Recovered

_THREADS: Final = 16
_MOST_LATE: Final = 8

T = TypeVar("T")


class Late(Exception):
    """There was no result in time."""


class Recalling:
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
        asked = self._threads.submit(question)
        try:
            return asked.result(seconds)
        except TooLate:
            if asked.done():  # what the question raised itself
                raise
            self._leave(asked)
            raise Late(f"no answer within {seconds * 1000:.0f} ms") from None

    def close(self) -> None:
        """Take no more questions; those that wait are left to end by themselves."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _leave(self, asked: Future[Recovered]) -> None:
        with self._lock:
            self._late += 1
        asked.add_done_callback(self._came)

    def _came(self, _: Future[Recovered]) -> None:
        with self._lock:
            self._late -= 1


def milliseconds_since(begun: float) -> float:
    """Return the milliseconds since a time of ``time.perf_counter``."""
    return (time.perf_counter() - begun) * 1000
