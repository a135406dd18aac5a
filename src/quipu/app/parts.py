"""Parts that an open memory works with."""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import dataclass

from quipu.app.answer import Answering
from quipu.app.kinds import HEARS, PACKAGES
from quipu.kernel.base.clock import Clock
from quipu.kernel.config import Settings
from quipu.kernel.db import embedded
from quipu.kernel.db.database import Database
from quipu.kinds.tables.logins import Logins
from quipu.recall.generations import Models
from quipu.recall.rerank import Reranking
from quipu.recall.search import Search
from quipu.recall.signatures import Cache
from quipu.record.service import Record
from quipu.upkeep.maintenance import Tidying


@dataclass(frozen=True, slots=True)
class Parts:
    """Its database, its model, what reads and writes with these, and the logins of agents' SQL."""

    database: Database
    models: Models
    record: Record
    search: Search
    answering: Answering
    tidying: Tidying
    logins: Logins


async def assemble(stack: AsyncExitStack, settings: Settings, clock: Clock) -> Parts:
    """Open what the settings name; ``stack`` closes it."""
    url = settings.server_url
    if url is None:
        url = (await stack.enter_async_context(await embedded.start(settings))).conninfo()
    database = await stack.enter_async_context(Database.open(url, settings, packages=PACKAGES))
    models = await stack.enter_async_context(Models.open(database, settings))
    record = Record(
        database, models, clock=clock, language=settings.language, redact=settings.redact, subscribes=HEARS
    )
    search = Search(models, clock=clock, cache=Cache())
    tidying = Tidying(database)
    stack.push_async_callback(tidying.aclose)
    logins = Logins(database, statement_seconds=settings.statement_seconds or 3600)
    stack.push_async_callback(logins.aclose)
    reranking = await stack.enter_async_context(Reranking.open(settings))
    answering = Answering(database, search, models, clock=clock, reranking=reranking)
    return Parts(database, models, record, search, answering, tidying, logins)
