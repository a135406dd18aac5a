"""Doing the work that memories wait for: which jobs and schedules there are, and who does them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from anyio import move_on_after, to_thread

from quipu.app.answer import Answering
from quipu.app.kinds import CITES, ERASERS, HEARS, KINDS
from quipu.errors import ModelMissing
from quipu.kernel.base.clock import Clock
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kernel.embedding.choose import choose as choose_embedder
from quipu.kernel.language.budget import DailyBudget
from quipu.kernel.language.choose import choose
from quipu.kernel.language.model import Language
from quipu.kernel.queue import connections as naming
from quipu.kernel.queue.attempt import Attempts, Handler, Run
from quipu.kernel.queue.connections import redis_url
from quipu.kernel.queue.model import SCHEDULES, Terms, WorkTopic
from quipu.kernel.queue.relay import Relay
from quipu.kernel.queue.saq import Carrier
from quipu.kernel.queue.schedule import Timetable
from quipu.kernel.queue.store import Store
from quipu.kernel.queue.worker import Worker
from quipu.kinds import plug
from quipu.kinds.plug import Context, Schedule
from quipu.recall.generations import Models
from quipu.recall.rerank import Reranking
from quipu.recall.search import Search
from quipu.recall.signatures import Cache
from quipu.upkeep.health import warn_of_disks
from quipu.upkeep.maintenance import tidy
from quipu.upkeep.reembed.reembed import reembed, unfinished

_UNHEARD_LEASES: Final = 2.0  # a ticket that a dead worker held is in the queue again by then
_SPARE_CONNECTIONS: Final = 4
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
) -> AsyncGenerator[Worker]:
    """Open a worker on ``wanted`` topics (all if none is named), with its own connections for the block.

    New jobs wake it; every ``tick_seconds`` it looks for what is due by the clock, or whether it is to stop.

    Raises:
        BadInput: nobody handles such a topic.
        ConfigError: the file of QUIPU_CONNECTIONS cannot be used.
        MissingExtra: a Redis is to carry jobs, and the library for it is not installed.
    """
    known = known or duties()
    lines = _lines(known, settings, wanted)
    terms = Terms(settings.job_tries, settings.job_retry_seconds, settings.job_lease_seconds)
    connections = 2 * len(lines) + concurrency + _SPARE_CONNECTIONS
    async with (
        Store.open(database.url, settings, connections=connections) as store,
        Carrier.open(
            lines, store=store, redis_url=redis_url(settings), lease_seconds=terms.lease_seconds
        ) as carrier,
        _speaking(database, settings, clock) as language,
        Reranking.open(settings) as reranking,
    ):
        search = Search(models, clock=clock, cache=Cache())
        answering = Answering(database, search, models, clock=clock, reranking=reranking)
        tools = partial(
            Context,
            database=database,
            models=models,
            clock=clock,
            language=language,
            erasers=ERASERS,
            subscribes=HEARS,
            recall_block=answering.block,
        )
        topics = [line.topic for line in lines]
        times = list(known.schedules.values()) if SCHEDULES in topics else []
        unheard = _UNHEARD_LEASES * terms.lease_seconds
        yield Worker(
            carrier,
            lines=lines,
            relay=Relay(store, carrier, topics, clock=clock, unheard_seconds=unheard),
            timetable=Timetable(store, times, clock=clock),
            attempts=Attempts(database, store, _bound(known, tools, database), terms=terms, clock=clock),
            lease_seconds=terms.lease_seconds,
            concurrency=concurrency,
            seats=max(1, settings.pool_size - 1),
            tick_seconds=tick_seconds,
        )


@asynccontextmanager
async def _speaking(database: Database, settings: Settings, clock: Clock) -> AsyncGenerator[Language | None]:
    """Open the language model of the settings, if they name one, for the block."""
    budget = DailyBudget(database, clock=clock)
    language = await to_thread.run_sync(partial(choose, settings, budget=budget))
    try:
        yield language
    finally:
        if language is not None:
            await language.aclose()


def _lines(known: Duties, settings: Settings, wanted: Sequence[str]) -> list[WorkTopic]:
    names = naming.names(known.topics, settings.connections)
    chosen = naming.chosen(wanted, {topic: names[topic] for topic in known.topics})
    return [
        WorkTopic(topic, names[topic], known.seconds.get(topic, settings.job_seconds))
        for topic in sorted(chosen)
    ]


def _bound(known: Duties, tools: partial[Context], database: Database) -> dict[str, Handler]:
    """Return the handlers of kinds in the form that the queue calls."""

    async def context(run: Run) -> Context:
        return tools(run=run, settings=await database.settings(run.job.space))

    async def handle(handler: plug.Handler, run: Run) -> None:
        await handler(await context(run), run.job.payload)

    async def on_schedule(run: Run) -> None:
        await known.schedules[run.job.key].handler(await context(run))

    bound: dict[str, Handler] = {SCHEDULES: on_schedule}
    for topic, handler in known.handlers.items():
        bound[topic] = partial(handle, handler)
    return bound
