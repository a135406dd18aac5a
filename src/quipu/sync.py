"""The blocking face: the methods of the async classes, without await.

Written by tools/make_sync.py from quipu.app.memory; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime
    from os import PathLike
    from types import TracebackType
    from typing import Self

    from quipu.kernel.base.clock import Clock
    from quipu.kernel.config import Settings
    from quipu.recall.model import Hit
    from quipu.recall.render import Block
    from quipu.recall.why import Why
    from quipu.record.model import Refusal
    from quipu.record.report import Report
    from quipu.record.service import Progress
    from quipu.record.store import Session
    from quipu.upkeep.erasure.model import Erasure
    from quipu.upkeep.health import Health
    from quipu.upkeep.reembed.model import ReembedReport
    from quipu.upkeep.spaces import SpaceCounts


__all__ = ["Memory"]


class Memory:
    """A memory for agents. Use it as ``with Memory() as memory``.

    Without arguments it is an embedded PostgreSQL under ``~/.quipu`` (or ``QUIPU_HOME``); ``url`` names a
    server instead (or ``QUIPU_DATABASE_URL``). Every call names the ``space`` it is about: what is in one
    space is never seen from another.
    """

    def __init__(
        self,
        home: str | PathLike[str] | None = None,
        url: str | None = None,
        *,
        settings: Settings | None = None,
        clock: Clock | None = None,
    ) -> None:
        # The one place where imports stand inside a function: `from quipu import Memory` must be quick, and
        # the database driver and numpy are needed only from here on.
        from quipu.app.memory import AsyncMemory  # noqa: PLC0415
        from quipu.kernel.base.portal import Portal  # noqa: PLC0415

        self._portal = Portal("Memory")
        self._inner = self._portal.host(lambda: AsyncMemory(home, url, settings=settings, clock=clock))

    def __enter__(self) -> Self:
        self._portal.enter()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return self._portal.leave(kind, error, trace)

    def observe(
        self,
        messages: Iterable[Mapping[str, object]],
        *,
        space: str,
        session: str | None = None,
        user: str | None = None,
    ) -> Report:
        """Take in what was just said: stored, searchable and durable when this returns.

        ``messages`` are dicts with ``content`` and, where known, ``id, session, role, speaker, time, user``.
        ``session`` and ``user`` hold for those that do not say. Messages of one session are understood in
        the context of each other; messages without a session stand alone.

        Raises:
            BadInput: a message cannot be taken (it names which and why); nothing was stored.
            Conflict: other words are stored under the same id; nothing was stored.
        """
        return self._portal.call(
            lambda: self._inner.observe(messages, space=space, session=session, user=user)
        )

    def import_messages(
        self,
        messages: Iterable[Mapping[str, object] | Refusal],
        *,
        space: str,
        progress: Progress | None = None,
    ) -> Report:
        """Take in recorded messages, keeping the caller's ids, sessions, speakers and times.

        What cannot be taken is refused and reported, the rest is stored. Importing the same again changes
        nothing, so an import that was cut off is finished by doing it again. ``progress`` is called with
        the number of lines dealt with since the last call.
        """
        return self._portal.call(
            lambda: self._inner.import_messages(messages, space=space, progress=progress)
        )

    def recall(
        self,
        question: str,
        *,
        space: str,
        user: str | None = None,
        session: str | None = None,
        kinds: Sequence[str] | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        limit: int = 10,
    ) -> list[Hit]:
        """The memories that answer a question, best first, each with its score, its parts and its source.

        ``user`` and ``session`` keep to one person's or one session's memory, ``kinds`` to kinds (such as
        ``("message",)``), ``since`` (included) and ``until`` (not included) to a time. An empty list means
        that nothing relevant is known.

        Raises:
            BadInput: an argument is out of range (``limit`` is 1 to 1,000).
        """
        return self._portal.call(
            lambda: self._inner.recall(
                question,
                space=space,
                user=user,
                session=session,
                kinds=kinds,
                since=since,
                until=until,
                limit=limit,
            )
        )

    def recall_many(
        self,
        questions: Sequence[str],
        *,
        space: str,
        user: str | None = None,
        session: str | None = None,
        kinds: Sequence[str] | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        limit: int = 10,
    ) -> list[list[Hit]]:
        """``recall`` for many questions at once, which are embedded together; answers in their order."""
        return self._portal.call(
            lambda: self._inner.recall_many(
                questions,
                space=space,
                user=user,
                session=session,
                kinds=kinds,
                since=since,
                until=until,
                limit=limit,
            )
        )

    def recall_block(
        self,
        question: str,
        *,
        budget_tokens: int,
        space: str,
        user: str | None = None,
        session: str | None = None,
        kinds: Sequence[str] | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        limit: int = 20,
    ) -> Block:
        """The memories that answer a question as text for a prompt, never longer than ``budget_tokens``.

        The text is marked as recalled memory: whatever of it comes back in a message is not stored again.
        """
        return self._portal.call(
            lambda: self._inner.recall_block(
                question,
                budget_tokens=budget_tokens,
                space=space,
                user=user,
                session=session,
                kinds=kinds,
                since=since,
                until=until,
                limit=limit,
            )
        )

    def why(self, hit: Hit) -> Why:
        """Why a hit came back: each signal in a sentence, the shared words, the turns around it."""
        return self._portal.call(lambda: self._inner.why(hit))

    def sessions(self, *, space: str, limit: int = 100, offset: int = 0) -> list[Session]:
        """The sessions of a space, the latest first."""
        return self._portal.call(lambda: self._inner.sessions(space=space, limit=limit, offset=offset))

    def spaces(self) -> list[SpaceCounts]:
        """Every space of the database, by name, with how many memories and sessions it holds.

        For whoever administers the database: it is the one call that is not kept to one space. It tells
        names and numbers, nothing that was said; but names are often people, so do not hand it to an agent.
        """
        return self._portal.call(lambda: self._inner.spaces())

    def forget(
        self,
        *,
        space: str,
        session: str | None = None,
        user: str | None = None,
        message: str | None = None,
        confirm: bool = False,
    ) -> Erasure:
        """Forget a session, a person, a message, or the whole space if none is named.

        Without ``confirm`` it is a preview: how many rows of what would go. With it, everything goes at
        once, from every table and index, and the receipt that comes back is kept without any content.
        """
        return self._portal.call(
            lambda: self._inner.forget(
                space=space, session=session, user=user, message=message, confirm=confirm
            )
        )

    def reembed(self, model: str | None = None, *, progress: Progress | None = None) -> ReembedReport:
        """Change the embedding model of the whole database: to ``model``, or to that of the settings.

        Everything goes on being searched and written meanwhile, by this process and by others. Each space is
        searched by its old vectors until all new ones are there. What was cut off is finished by asking for
        the same again. ``progress`` is called with the number of entries embedded since the last call.

        Raises:
            EmbeddingError: the model cannot be had or failed; the message says which one serves now.
            Conflict: another process is changing to another model.
        """
        return self._portal.call(lambda: self._inner.reembed(model, progress=progress))

    def health(self) -> Health:
        """What this memory runs on and how much it holds."""
        return self._portal.call(lambda: self._inner.health())

    def close(self) -> None:
        """Give back connections and the model, and stop the embedded server if nobody else uses it."""
        self._portal.close()
