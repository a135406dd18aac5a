"""Bridge from blocking code to async objects; used by the generated blocking face (``quipu.sync``)."""

from __future__ import annotations

import asyncio
import os
import threading
import warnings
import weakref
from concurrent.futures import CancelledError
from contextlib import AbstractAsyncContextManager, AbstractContextManager, ExitStack, aclosing
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from anyio import Semaphore
from anyio.from_thread import BlockingPortal, start_blocking_portal

from quipu.errors import QuipuError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Coroutine, Iterator
    from concurrent.futures import Future
    from types import TracebackType

_UNWIND_SECONDS = 5.0
T = TypeVar("T")
_WORKER_NAME = "AnyIO worker thread"


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
        answers: SimpleQueue[tuple[T] | None] = SimpleQueue()
        ended = threading.Event()

        async def produce() -> None:
            try:
                async with aclosing(cast("AsyncGenerator[T, None]", function())) as items:
                    await wanted.acquire()
                    async for item in items:
                        answers.put((item,))
                        await wanted.acquire()
            finally:
                answers.put(None)
                ended.set()

        future = self._loop.submit(produce)
        try:
            self.run(wanted.release)
            while (item := answers.get()) is not None:
                yield item[0]
                self.run(wanted.release)
            future.result()
        except CancelledError:
            raise self._loop.closed() from None
        finally:
            _cancel(future, ended)


class Hostable(Protocol):
    """Async context manager that a loop can host; it can be closed without having been entered."""

    async def __aenter__(self) -> Any: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None: ...

    async def aclose(self) -> None:
        """Give back everything; a second time nothing happens."""
        ...


Hosted = TypeVar("Hosted", bound=Hostable)


class LoopThread:
    """One running event loop. ``name`` is what messages call it, for example ``Memory``."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._pid = os.getpid()
        self._closing = threading.Lock()
        self._opening = threading.Lock()
        self._in_with = False
        self._closed = False
        self._hosted: Hostable | None = None
        self._entered: AbstractContextManager[Any] | None = None
        self._thread = ExitStack()
        self._portal = self._thread.enter_context(start_blocking_portal("asyncio", name=f"quipu {name}"))
        self._loop = self._portal.call(asyncio.get_running_loop)
        self._ident = self._portal.call(threading.get_ident)
        _exit.add(self)

    @property
    def portal(self) -> BlockingPortal:
        """The way in for any thread but the loop's own; QuipuError when there is none."""
        if self._closed:
            raise self.closed()
        if os.getpid() != self._pid:
            raise QuipuError(
                f"This {self.name} was opened before the process forked.",
                hint=f"Open a {self.name} in each process.",
            )
        if threading.get_ident() == self._ident:  # it would wait for itself
            raise QuipuError(
                f"This {self.name} was called from inside one of its own calls.",
                hint="Callbacks and iterators that it is given must not call it; collect first, then call.",
            )
        return self._portal

    def submit(self, function: Callable[[], Coroutine[Any, Any, T]]) -> Future[T]:
        """Start what ``function`` returns as a task of the loop. Closing cancels it."""
        with self._closing:  # so that no task arrives at a loop that has just ended, and waits for ever
            self.portal  # noqa: B018 - refuses
            return asyncio.run_coroutine_threadsafe(function(), self._loop)

    def host(self, build: Callable[[], Hosted]) -> Hosted:
        """Run ``build`` in the loop and keep its result.

        If that fails, the loop ends and the error is raised.
        """
        try:
            hosted = self.portal.call(build)
        except BaseException:
            self.close()
            raise
        self._hosted = hosted
        return hosted

    def enter(self) -> None:
        """Enter the hosted object for a ``with``. If that fails, the loop is closed and the error raised."""
        if self._in_with:
            raise QuipuError(f"This {self.name} is already open.", hint="Use it in one with block at a time.")
        try:
            self.open()
        except BaseException:
            self.close()
            raise
        self._in_with = True

    def open(self) -> None:
        """Enter the hosted object unless it is entered already. After a failure it may be tried again."""
        if self._entered is not None and not self._closed:
            return
        portal = self.portal
        with self._opening:
            if self._entered is not None or self._hosted is None:
                return
            # One task holds the object from enter to leave: the task groups inside may not change tasks.
            hosted = cast("AbstractAsyncContextManager[Any]", self._hosted)
            entered = portal.wrap_async_context_manager(hosted)
            try:
                entered.__enter__()
            except Exception:
                raise
            except asyncio.CancelledError:  # another thread closed it meanwhile
                raise self.closed() from None
            except BaseException:  # an interrupt: nobody knows how far it came
                self.close()
                raise
            self._entered = entered

    def leave(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        """Leave or close the hosted object and end the thread. Nothing happens the second time."""
        if not self._claim_closing():
            return None
        try:
            if self._entered is not None:
                return self._entered.__exit__(kind, error, trace)
            if self._hosted is not None:
                self._portal.call(self._hosted.aclose)
            return None
        finally:
            _exit.discard(self)
            self._portal.call(self._portal.stop, True)  # with it ends what other threads still wait for
            self._thread.close()

    def close(self) -> None:
        """Close the hosted object and end the thread. Nothing happens the second time."""
        self.leave(None, None, None)

    def closed(self) -> QuipuError:
        """Return the error for a call that comes after closing."""
        return QuipuError(f"This {self.name} is closed.", hint=f"Open a new {self.name}.")

    def abandon(self) -> None:
        """Close without waiting: whoever owned it was collected, perhaps in the loop's own thread."""
        if self._closed or os.getpid() != self._pid:
            return
        warnings.warn(f"unclosed {self.name}", ResourceWarning, stacklevel=2)
        threading.Thread(target=self.close, name=f"quipu closes {self.name}").start()

    def _claim_closing(self) -> bool:
        """Return True to the one caller that is to close. In a forked child there is no thread to end."""
        with self._closing:
            first, self._closed = not self._closed, True
        return first and os.getpid() == self._pid


class _Exit:
    """Closes the open loops when the program ends.

    ``atexit`` would be too late: it runs after all threads that are not daemons have been waited for, and
    the worker threads of an event loop only end with their loop, so that wait would last for ever. A thread
    that waits for the main thread wakes just before.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: set[LoopThread] = set()
        self._watcher: threading.Thread | None = None

    def add(self, loop: LoopThread) -> None:
        with self._lock:
            self._open.add(loop)
            if self._watcher is None:
                self._watcher = threading.Thread(target=self._watch, name="quipu at exit", daemon=False)
                self._watcher.start()

    def discard(self, loop: LoopThread) -> None:
        with self._lock:
            self._open.discard(loop)

    def forget(self) -> None:
        """Start again in a forked child, where neither the loops' threads nor the watcher exist."""
        self._lock, self._open, self._watcher = threading.Lock(), set(), None

    def _watch(self) -> None:
        threading.main_thread().join()
        for thread in threading.enumerate():  # they may still be using what is about to be closed
            if not (thread.daemon or thread.name == _WORKER_NAME or thread is threading.current_thread()):
                thread.join()
        with ExitStack() as closing:
            for loop in tuple(self._open):
                closing.callback(loop.close)


def _cancel(future: Future[Any], ended: threading.Event) -> None:
    """Cancel what is still running and give it a moment to roll back."""
    if not future.done():
        future.cancel()
        ended.wait(_UNWIND_SECONDS)


_exit = _Exit()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_exit.forget)
