"""Async classes of every shape that the blocking face must be able to take over. Only tests use them."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self, overload

import anyio
import anyio.lowlevel

Order = Literal["up", "down"]


@dataclass(frozen=True, slots=True)
class Book:
    title: str
    pages: int


class ShelfError(Exception):
    pass


class AsyncBox:
    """A part of a shelf, reached through it."""

    def __init__(self, label: str) -> None:
        self._label = label

    @property
    def label(self) -> str:
        return self._label

    async def double(self, number: int) -> int:
        """Twice the number; see :class:`AsyncShelf`."""
        await anyio.lowlevel.checkpoint()
        return 2 * number


class AsyncLabelledBox(AsyncBox):
    """A box that can do more."""

    async def triple(self, number: int) -> int:
        """Three times the number."""
        return await self.double(number) + number


class AsyncShelf:
    """Books in a row.

    >>> async with AsyncShelf() as shelf:
    ...     await shelf.add("Emma", pages=474)

    Close it with ``await shelf.aclose()``.
    """

    def __init__(self, home: str | None = None, /, owner: str = "nobody", *, broken: bool = False) -> None:
        """An empty shelf of ``owner``."""
        if broken:
            raise ShelfError("broken from the start")
        self._home, self._owner = home, owner
        self._books: list[Book] = []
        self._closed = False
        self._group = anyio.create_task_group()
        self._events: list[str] = []
        self._opened = 0

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            raise AttributeError(f"{type(self).__name__} has no {name}: try add.")

    async def __aenter__(self) -> Self:
        if self._owner == "a ghost":
            raise ShelfError("no one there")
        await self._group.__aenter__()
        self._opened += 1
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        await self.aclose()
        return await self._group.__aexit__(kind, error, trace)

    async def aclose(self) -> None:
        """Give it back; then ``await shelf.add(...)`` fails."""
        self._closed = True

    @property
    def labelled(self) -> AsyncLabelledBox:
        return AsyncLabelledBox("labelled")

    @property
    def owner(self) -> str:
        """Whose it is."""
        return self._owner

    @property
    def box(self) -> AsyncBox:
        return AsyncBox(f"box of {self._owner}")

    async def open_box(self, label: str) -> AsyncBox:
        return AsyncBox(label)

    async def dust(self) -> Self:
        await anyio.lowlevel.checkpoint()
        return self

    async def add(self, title: str, *, pages: int = 0) -> Book:
        """Add a book.

        A title with a \\ backslash or \"\"\"quotes\"\"\" is as good as any.
        """
        await anyio.lowlevel.checkpoint()
        self._books.append(Book(title, pages))
        return self._books[-1]

    async def add_all(self, *books: Book, **notes: str) -> int:
        self._books.extend(books)
        return len(books) + len(notes)

    async def take_in(self, books: Iterable[Book] | AsyncIterable[Book]) -> int:
        if isinstance(books, Iterable):
            self._books.extend(books)
        else:
            self._books.extend([book async for book in books])
        return len(self._books)

    @overload
    async def find(self, title: str, *, every: Literal[True]) -> Sequence[Book]: ...
    @overload
    async def find(self, title: str, *, every: Literal[False] = False) -> Book | None: ...
    async def find(self, title: str, *, every: bool = False) -> Sequence[Book] | Book | None:
        found = [book for book in self._books if book.title == title]
        return found if every else next(iter(found), None)

    @property
    def opened(self) -> int:
        """How often it was opened."""
        return self._opened

    @property
    def events(self) -> list[str]:
        return self._events

    def count(self) -> int:
        return len(self._books)

    async def fail(self) -> None:
        await anyio.lowlevel.checkpoint()
        raise ShelfError("the board broke")

    async def wait(self, seconds: float) -> None:
        self._events.append("waiting")
        try:
            await anyio.sleep(seconds)
        except BaseException:
            print("rolled back", flush=True)
            raise

    async def thread(self) -> str:
        return await anyio.to_thread.run_sync(lambda: threading.current_thread().name)

    async def books(self, order: Order = "up") -> AsyncIterator[Book]:
        """Every book; a time limit spans them all, so one task must run from first to last."""
        with anyio.fail_after(3600):
            try:
                for book in self._books if order == "up" else reversed(self._books):
                    await anyio.lowlevel.checkpoint()
                    yield book
                    self._events.append(f"after {book.title}")
            finally:
                self._events.append("ended")

    async def broken_books(self) -> AsyncIterator[Book]:
        yield Book("first", 1)
        raise ShelfError("the second is missing")

    @asynccontextmanager
    async def lent(self, title: str) -> AsyncIterator[Book]:
        with anyio.fail_after(3600):
            yield Book(title, 0)
