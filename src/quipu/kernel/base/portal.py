"""Bridge from blocking code to async objects; used by the generated blocking face (``quipu.sync``)."""

from __future__ import annotations

import threading
import weakref
from concurrent.futures import CancelledError
from contextlib import AbstractAsyncContextManager, AbstractContextManager, aclosing
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar, cast

from anyio import Semaphore

from quipu.kernel.base.loop import Hosted, LoopThread

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator
    from concurrent.futures import Future
    from types import TracebackType

_UNWIND_SECONDS = 5.0

T = TypeVar("T")


class Portal:
    """Calls from any thread into one event loop, which is closed when the last portal to it is collected."""

    def __init__(self, name: str) -> None:
        self._loop = LoopThread(name)
        # Not at exit: the loop thread sees to that itself, and earlier.
        weakref.finalize(self, self._loop.abandon).atexit = False

    def host(self, build: Callable[[], Hosted]) -> Hosted:
        """Return the object that ``build`` makes inside the loop; this portal opens and closes it."""
        return self._loop.host(build)

    def enter(self) -> None:
        """Enter the hosted object for a ``with``. If that fails, the portal is closed, the error raised."""
        self._loop.enter()

    def open(self) -> None:
        """Enter the hosted object unless it is entered already. Every call does so first."""
        self._loop.open()

    def opened(self, inner: T) -> T:
        """Return an async object for a look at it, after the hosted object is entered."""
        self._loop.open()
        return inner

    def leave(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        """Leave the hosted object and end the loop. Nothing happens the second time."""
        return self._loop.leave(kind, error, trace)

    def close(self) -> None:
        """Close the hosted object and end the loop. Nothing happens the second time."""
        self._loop.close()

    def call(self, function: Callable[[], Awaitable[T]]) -> T:
        """Run an async function in the loop; return or raise its outcome, with its traceback.

        An interrupt (Ctrl-C) while waiting cancels the call inside the loop before it is raised here.
        """
        self._loop.open()
        ended = threading.Event()

        async def run() -> T:
            try:
                return await function()
            finally:
                ended.set()

        future = self._loop.submit(run)
        try:
            return future.result()
        except CancelledError:
            raise self._loop.closed() from None
        finally:
            _cancel(future, ended)

    def run(self, function: Callable[[], T]) -> T:
        """Run a plain function in the loop's thread and return its result."""

        async def run() -> T:
            return function()

        return self.call(run)

    def hold(self, function: Callable[[], AbstractAsyncContextManager[T]]) -> AbstractContextManager[T]:
        """Return the context manager that ``function`` makes, for a blocking ``with``."""
        self._loop.open()
        return self._loop.portal.wrap_async_context_manager(function())

    def iterate(self, function: Callable[[], AsyncIterator[T]]) -> Iterator[T]:
        """Yield the items of an async generator, each made when it is needed.

        One task runs the generator from start to end, so a transaction may span its items.
        """
        wanted = self.run(lambda: Semaphore(0))
        found: SimpleQueue[tuple[T] | None] = SimpleQueue()
        ended = threading.Event()

        async def produce() -> None:
            try:
                async with aclosing(cast("AsyncGenerator[T, None]", function())) as items:
                    await wanted.acquire()
                    async for item in items:
                        found.put((item,))
                        await wanted.acquire()
            finally:
                found.put(None)
                ended.set()

        future = self._loop.submit(produce)
        try:
            self.run(wanted.release)
            while (item := found.get()) is not None:
                yield item[0]
                self.run(wanted.release)
            future.result()
        except CancelledError:
            raise self._loop.closed() from None
        finally:
            _cancel(future, ended)


def _cancel(future: Future[Any], ended: threading.Event) -> None:
    """Cancel what is still running and give it a moment to roll back."""
    if not future.done():
        future.cancel()
        ended.wait(_UNWIND_SECONDS)
