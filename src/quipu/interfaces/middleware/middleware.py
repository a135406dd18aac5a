"""The middleware, as a caller meets it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, TypeVar
from uuid import uuid4
from weakref import finalize

from anyio import move_on_after, to_thread

from quipu.interfaces.middleware import prompt
from quipu.interfaces.middleware.engine import MOST_TURNS, Engine
from quipu.interfaces.middleware.model import Metrics, Person, Recalled
from quipu.interfaces.middleware.wrapper import Turn, wrapped
from quipu.kernel.base.scope import check_name, optional_name
from quipu.kernel.config import Settings, load
from quipu.sync import Memory

_OPEN_SECONDS: Final = 30.0
_CLOSE_SECONDS: Final = 10.0
_GRACE_SECONDS: Final = 0.05
_NO_MESSAGE: Final = "what the agent was called with holds no message of a user"

Agent = TypeVar("Agent", bound=Callable[..., Any])


class Middleware:
    """Memory around an agent: what matters is recovered before it answers, the turn is taken in after it.

        with Middleware(space="home", user="ana") as around:
            agent = around(agent)
            agent("What shall I cook?")

    It opens a memory of its own (``home``, ``url`` and ``settings`` are those of `Memory`), or uses a
    ``memory`` that is open. It may be called from any thread, and from any event loop.

    A failure of memory never breaks an answer, and none waits for memory longer than
    ``QUIPU_LONGTERM_TIMEOUT_MS``; failures are in ``metrics()`` and shown by ``quipu doctor``. Turns are
    written and evaluated in the background, after every ``QUIPU_LONGTERM_EVERY`` turns of the user; with
    ``evaluate=False`` evaluation is left to ``quipu worker``.

    Raises:
        BadInput: ``space``, ``user`` or ``session`` is no name.
        ConfigError: a setting is wrong.
    """

    def __init__(
        self,
        memory: Memory | None = None,
        *,
        space: str,
        user: str | None = None,
        session: str | None = None,
        home: str | PathLike[str] | None = None,
        url: str | None = None,
        settings: Settings | None = None,
        evaluate: bool = True,
    ) -> None:
        self.person = _person(space, user, session)
        options = {"home": None if home is None else Path(home), "database_url": url}
        known = load(settings, {name: value for name, value in options.items() if value is not None})
        self._engine = Engine(memory, known, evaluates=evaluate)
        # Of a program that ends without closing it, what was not written is at least noted.
        self._end = finalize(self, self._engine.close, 0.0)
        self._root: Middleware | None = None

    def of(
        self, *, user: str | None = None, session: str | None = None, space: str | None = None
    ) -> Middleware:
        """Return a middleware for another person or session; without ``session`` a new one begins.

        What is not named stays as it is. It needs no closing.

        Raises:
            BadInput: an argument is no name.
        """
        other = object.__new__(type(self))
        other._engine, other._end = self._engine, self._end
        other._root = self._root or self  # which is not to end before it
        other.person = _person(space or self.person.space, user or self.person.user, session)
        return other

    def __enter__(self) -> Self:
        """Open the memory, in half a minute at most; if it cannot be opened, agents go without."""
        self._engine.open(_OPEN_SECONDS)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        await to_thread.run_sync(self.__enter__, abandon_on_cancel=True)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await to_thread.run_sync(self.close)

    def __call__(self, agent: Agent, *, said: Callable[[Any], str | None] = prompt.text_of) -> Agent:
        """Put memory around an agent: a function, coroutine function, or generator of text.

        Its first argument is the message, or a list of messages with ``role`` and ``content``. If it has a
        parameter ``memory``, that gets the block for its prompt (a text, perhaps empty); otherwise the block
        is put in front of the message, in a list as a system message. What it returns, yields or raises is
        passed on unchanged; ``said`` extracts the text of an unusual result.
        """
        return wrapped(self, agent, said)

    def turn(self, message: str) -> Turn:
        """Return one turn as a context manager, ``with`` or ``async with``."""
        return Turn(self, message)

    def before(self, message: object, *, recent: Sequence[str] | None = None) -> Recalled:
        """Recall what matters for a message: a block for the prompt, in time or not at all.

        ``message`` is a text, or a list of messages with ``role`` and ``content``. ``recent`` are the turns
        before it, the latest last; if not given, those of the list, or those of the session that went
        through here.
        """
        text = prompt.message_of(message)
        if text is None:
            return self._engine.untold(_NO_MESSAGE)
        if recent is None:
            recent = prompt.recent_of(message, most=MOST_TURNS) or self._engine.recents.of(self.person)
        return self._engine.recall(text, self.person, recent)

    async def abefore(self, message: object, *, recent: Sequence[str] | None = None) -> Recalled:
        """Recall as ``before`` does, for code in an event loop."""
        recalled: Recalled | None = None
        with move_on_after(self._engine.limit_seconds + _GRACE_SECONDS):  # where all threads are taken
            recalled = await to_thread.run_sync(
                partial(self.before, message, recent=recent), abandon_on_cancel=True
            )
        return recalled or self._engine.untold("no thread was free in time")

    def after(self, message: object, answer: object = "", *, recalled: Recalled | None = None) -> None:
        """Have the turn written down and evaluated, in the background; it takes no time.

        ``recalled`` is what ``before`` returned for the message: the audit then names it.
        """
        text = prompt.message_of(message) or ""
        id_ = recalled.message if recalled else None
        self._engine.write(self.person, text, prompt.text_of(answer) or "", id_=id_)

    def flush(self, seconds: float = _CLOSE_SECONDS) -> bool:
        """Wait until all turns are written and evaluated; whether they were in time."""
        return self._engine.writing.flush(seconds)

    def metrics(self) -> Metrics:
        """Count how often memory was recovered, written, late or unavailable, since this was made."""
        return self._engine.metrics()

    def close(self, seconds: float = _CLOSE_SECONDS) -> None:
        """Write what waits, which may take so long, and close the memory that was opened here."""
        if self._end.detach() is not None:
            self._engine.close(seconds)


def _person(space: str, user: str | None, session: str | None) -> Person:
    return Person(
        space=check_name("space", space),
        user=optional_name("user", user),
        session=optional_name("session", session) or f"conversation {uuid4().hex}",
    )
