"""Doing the work that memories wait for: which jobs and schedules there are, and who does them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, Self

from anyio import move_on_after, to_thread

from quipu.app.answer import Answering
from quipu.app.kinds import CITES, ERASERS, HEARS, KINDS
from quipu.errors import ConfigError, LanguageFailed, MissingExtra, ModelMissing, QuipuError
from quipu.kernel.base.clock import Clock
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kernel.embedding.choose import choose as choose_embedder
from quipu.kernel.language.budget import DailyBudget
from quipu.kernel.language.choose import choose, named
from quipu.kernel.language.endpoint import Endpoint
from quipu.kernel.language.model import Language, Shape
from quipu.kernel.queue import connections as naming
from quipu.kernel.queue.attempt import Attempts, Handler, Run
from quipu.kernel.queue.connections import redis_url
from quipu.kernel.queue.model import SCHEDULES, Terms, WorkTopic
from quipu.kernel.queue.relay import Relay
from quipu.kernel.queue.saq import Carrier
from quipu.kernel.queue.schedule import Timetable
from quipu.kernel.queue.store import Store
from quipu.kernel.queue.worker import Noted, Worker, ignore
from quipu.kinds import plug
from quipu.kinds.plug import Context, Schedule
from quipu.recall.generations import Models
from quipu.recall.rerank import Reranking
from quipu.recall.search import Search
from quipu.recall.signatures import Cache
from quipu.record import backlog
from quipu.upkeep.health import warn_of_disks
from quipu.upkeep.maintenance import tidy
from quipu.upkeep.reembed.reembed import reembed, unfinished

_UNHEARD_LEASES: Final = 2.0  # a ticket that a dead worker held is in the queue again by then
_SPARE_CONNECTIONS: Final = 4  # for new jobs, for tickets, to hand over, to look for what was lost
_SHARE_OF_JOB: Final = 0.8  # of the longest time for a job, so that it ends by itself


async def _tidy(context: Context) -> None:
    await tidy(context.database)


async def _look_at_disks(context: Context) -> None:
    await warn_of_disks(context.database, context.settings)


async def _reembed(context: Context) -> None:
    """Go on with a change of the embedding model; what this job has no time for the next one does."""
    generation = await unfinished(context.database)
    if generation is None:
        return
    settings = replace(
        context.settings, embedding_model=generation.model, embedding_dimensions=generation.dimensions
    )
    embedder = await to_thread.run_sync(choose_embedder, settings)
    try:
        if embedder.digest != generation.digest:
            raise ModelMissing(f"This worker has another version of {generation.model!r}.")
        with move_on_after(_SHARE_OF_JOB * settings.job_seconds):
            await reembed(context.database, embedder, CITES)
    finally:
        await embedder.aclose()


SYSTEM_SCHEDULES = (
    Schedule(name="tidy", cron="23 3 * * *", handler=_tidy),
    Schedule(name="disks", cron="*/10 * * * *", handler=_look_at_disks),
    Schedule(name="reembed", cron="* * * * *", handler=_reembed),
)


@dataclass(frozen=True, slots=True)
class Duties:
    """Duties of a worker: topic to handler, topic to its longest time in seconds, schedules by name."""

    handlers: Mapping[str, plug.Handler]
    seconds: Mapping[str, float]
    schedules: Mapping[str, Schedule]

    @property
    def topics(self) -> list[str]:
        """The topics that somebody here handles, by name."""
        return sorted([*self.handlers, *([SCHEDULES] if self.schedules else [])])


def duties() -> Duties:
    """Return the duties of all kinds, with the schedules that belong to none."""
    handlers: dict[str, plug.Handler] = {}
    seconds: dict[str, float] = {}
    times = {schedule.name: schedule for schedule in SYSTEM_SCHEDULES}
    for kind in KINDS:
        handlers |= kind.handlers
        seconds |= kind.job_seconds
        times |= {schedule.name: schedule for schedule in kind.schedules}
    return Duties(handlers, seconds, times)


@asynccontextmanager
async def worker(
    database: Database,
    models: Models,
    settings: Settings,
    *,
    clock: Clock,
    wanted: Sequence[str] = (),
    concurrency: int = 2,
    known: Duties | None = None,
    tick_seconds: float = 1.0,
    noted: Noted = ignore,
) -> AsyncGenerator[Worker]:
    """Open a worker on ``wanted`` topics (all if none is named), with its own connections for the block.

    New jobs wake it; every ``tick_seconds`` it looks for what is due by the clock, or whether it is to stop.
    ``noted`` is called with the topic and the outcome of each try at a job.

    Raises:
        BadInput: nobody handles such a topic.
        ConfigError: the file of QUIPU_CONNECTIONS cannot be used.
        MissingExtra: a Redis is to carry jobs, and the library for it is not installed.
    """
    known = known or duties()
    lines = _lines(known, settings, wanted)
    terms = Terms(settings.job_tries, settings.job_retry_seconds, settings.job_lease_seconds)
    connections = concurrency + _SPARE_CONNECTIONS
    async with (
        Store.open(database.url, settings, connections=connections) as store,
        Carrier.open(
            lines, store=store, redis_url=redis_url(settings), lease_seconds=terms.lease_seconds
        ) as carrier,
        _Models.open(database, clock) as speaking,
        Reranking.open(settings) as reranking,
    ):
        search = Search(models, clock=clock, cache=Cache())
        answering = Answering(database, search, models, clock=clock, reranking=reranking)
        tools = partial(
            Context,
            database=database,
            models=models,
            clock=clock,
            erasers=ERASERS,
            subscribes=HEARS,
            recall_block=answering.block,
        )
        topics = [line.topic for line in lines]
        times = list(known.schedules.values()) if SCHEDULES in topics else []
        unheard = _UNHEARD_LEASES * terms.lease_seconds
        bound = _bound(known, tools, speaking, database, models)
        yield Worker(
            carrier,
            lines=lines,
            relay=Relay(store, carrier, topics, clock=clock, unheard_seconds=unheard),
            timetable=Timetable(store, times, clock=clock),
            attempts=Attempts(database, store, bound, terms=terms, clock=clock),
            lease_seconds=terms.lease_seconds,
            concurrency=concurrency,
            seats=max(1, settings.pool_size - 1),
            tick_seconds=tick_seconds,
            noted=noted,
        )


class _Models:
    """The language model of the settings as they stand, opened when they name another one.

    What was opened stays open until the worker ends: a job may still be asking it.
    """

    def __init__(self, database: Database, clock: Clock, stack: AsyncExitStack) -> None:
        self._database = database
        self._budget = DailyBudget(database, clock=clock)
        self._stack = stack
        self._opened: dict[tuple[Endpoint, int], Language] = {}

    @classmethod
    @asynccontextmanager
    async def open(cls, database: Database, clock: Clock) -> AsyncGenerator[Self]:
        """Open the model that is named now, if one is, and close all with the block.

        Raises:
            ConfigError: only part of what is needed is set.
            MissingExtra: the SDK is not installed.
        """
        async with AsyncExitStack() as stack:
            made = cls(database, clock, stack)
            await made.current()
            yield made

    async def current(self) -> Language | None:
        """Return the model that the settings name now; None if they name none. Raises as ``open``."""
        settings = await self._database.settings()
        endpoint = named(settings)
        if endpoint is None:
            return None
        asked = (endpoint, settings.llm_answer_tokens)
        if asked not in self._opened:
            language = await to_thread.run_sync(partial(choose, settings, budget=self._budget))
            assert language is not None  # an endpoint is named
            self._stack.push_async_callback(language.aclose)
            self._opened[asked] = language
        return self._opened[asked]

    async def for_job(self) -> Language | None:
        """Return the model for a job; one that cannot be opened here fails only the jobs that ask it."""
        try:
            return await self.current()
        except (ConfigError, MissingExtra) as error:
            return _Unopened(error)


class _Unopened:
    """A model that the settings name since the worker began and that cannot be opened here."""

    name = "unopened"

    def __init__(self, error: QuipuError) -> None:
        self._error = error

    async def structured(self, *, instructions: str, text: str, shape: type[Shape], purpose: str) -> Shape:  # noqa: ARG002 - of the protocol
        """Fail with the reason."""
        raise LanguageFailed(self._error.message, hint=self._error.hint) from self._error

    async def say(self, *, instructions: str, text: str, purpose: str) -> str:  # noqa: ARG002 - of the protocol
        """Fail with the reason."""
        raise LanguageFailed(self._error.message, hint=self._error.hint) from self._error

    async def aclose(self) -> None:
        """Do nothing: nothing was opened."""


def _lines(known: Duties, settings: Settings, wanted: Sequence[str]) -> list[WorkTopic]:
    names = naming.names(known.topics, settings.connections)
    chosen = naming.chosen(wanted, {topic: names[topic] for topic in known.topics})
    return [
        WorkTopic(topic, names[topic], known.seconds.get(topic, settings.job_seconds))
        for topic in sorted(chosen)
    ]


def _bound(
    known: Duties, tools: partial[Context], speaking: _Models, database: Database, models: Models
) -> dict[str, Handler]:
    """Return the handlers of kinds in the form that the queue calls."""

    async def context(run: Run) -> Context:
        settings = await database.settings(run.job.space)
        return tools(run=run, settings=settings, language=await speaking.for_job())

    async def handle(handler: plug.Handler, run: Run) -> None:
        await handler(await context(run), run.job.payload)

    async def hear(handler: plug.Handler, run: Run) -> None:
        # What was just said may wait for the index, and such a job reads it there.
        await backlog.catch_up(database, models, run.job.space or "")
        await handle(handler, run)

    async def on_schedule(run: Run) -> None:
        await known.schedules[run.job.key].handler(await context(run))

    bound: dict[str, Handler] = {SCHEDULES: on_schedule}
    for topic, handler in known.handlers.items():
        bound[topic] = partial(hear if topic in HEARS else handle, handler)
    return bound
