"""The embedding models of a database, and vectors that are made before a transaction is open.

Each space is searched by the vectors of one model; vectors of two are never compared. A space keeps its model
until ``reembed`` has made the vectors of another; which one it is stands in its row, so that every process
notices when it enters the space.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Generator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from typing import Final, Self

import anyio
import numpy as np
from anyio import to_thread

from quipu.errors import ModelMissing
from quipu.kernel.base.scope import acting_for
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kernel.embedding.choose import choose
from quipu.kernel.embedding.embedder import Embedder, Vectors
from quipu.kernel.embedding.known import KnownVectors
from quipu.kernel.embedding.prefixes import Role
from quipu.kernel.telemetry.groups import MODEL
from quipu.kernel.telemetry.spans import span
from quipu.recall import store
from quipu.recall.model import GenerationChanged

_IDLE_SECONDS = 60.0
_QUICK_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class Embedded:
    """Vectors of texts, in their order: shape (n, dimensions), and the generation that they are of."""

    generation: int
    vectors: Vectors


class Models:
    """The embedders that this process works with, by generation; opened when first needed.

    Usually it is one. While a change of the model goes from space to space it may be two; the one that
    nobody needed for a minute is closed.
    """

    def __init__(self, database: Database, settings: Settings, serving: int) -> None:
        self._database = database
        self._settings = settings
        self._latest = serving
        self._held: dict[int, _Held] = {}
        self._opening = anyio.Lock()
        self._last_seconds = _IDLE_SECONDS
        self._known: KnownVectors | None = None

    @classmethod
    @asynccontextmanager
    async def open(cls, database: Database, settings: Settings) -> AsyncGenerator[Self]:
        """Open the models of a database. A new one begins with the model of the settings.

        Raises:
            EmbeddingError, ConfigError: the database is new, and that model cannot be had.
        """
        async with database.unscoped() as conn:
            serving = await store.serving(conn)
        if serving is None:
            embedder = await to_thread.run_sync(choose, settings)
            async with database.owner() as conn:
                serving = await store.begin_serving(conn, embedder)
            await embedder.aclose()
        models = cls(database, settings, serving.id)
        try:
            yield models
        finally:
            await models.aclose()

    @property
    def open_generations(self) -> set[int]:
        """The generations whose models are open now."""
        return set(self._held)

    async def embed(
        self, texts: Sequence[str], *, generation: int | None = None, role: Role = "passage"
    ) -> Embedded:
        """Embed texts with the model of ``generation``, or with the one used last; questions as ``query``.

        Raises:
            ModelMissing: it is not installed here (any more), or its weights differ.
            EmbeddingError: it failed.
        """
        number = generation or self._latest
        async with self.lent(number) as embedder:
            begun = time.monotonic()
            known = self._known if role == "passage" else None
            asked = {"gen_ai.operation.name": "embeddings", "gen_ai.request.model": embedder.name}
            with span(MODEL, "embeddings", {**asked, "quipu.texts": len(texts)}):
                vectors = (
                    await embedder.embed(texts, role=role)
                    if known is None
                    else await known.embed(embedder, texts)
                )
            self._last_seconds = time.monotonic() - begun
            return Embedded(number, vectors)

    @property
    def is_quick(self) -> bool:
        """True if the last call was so short that rows may stay locked meanwhile: no network, no bulk."""
        return self._last_seconds < _QUICK_SECONDS

    @contextmanager
    def knowing(self, known: KnownVectors) -> Generator[None]:
        """For the block, embed no text whose vector is known."""
        self._known = known
        try:
            yield
        finally:
            self._known = None

    @asynccontextmanager
    async def lent(self, generation: int | None = None) -> AsyncGenerator[Embedder]:
        """Lend the embedder of ``generation``, or the one used last; it stays open for the block.

        Raises:
            ModelMissing: it is not installed here (any more), or its weights differ.
        """
        number = generation or self._latest
        if number not in self._held:
            await self._reopen(number)
        self._latest, held = number, self._held[number]
        held.calls += 1
        try:
            yield held.embedder
        finally:
            held.calls -= 1
            held.used_at = time.monotonic()
            await self._close_idle()

    async def aclose(self) -> None:
        """Close all embedders."""
        while self._held:
            await self._held.popitem()[1].embedder.aclose()

    async def _reopen(self, number: int) -> None:
        async with self._opening:
            if number in self._held:
                return
            # Not from the pool: who asks may hold its last connection.
            with acting_for(None):  # the model is the same for everybody
                async with self._database.owner() as conn:
                    generation = await store.generation(conn, number)
            wanted = {"embedding_model": generation.model, "embedding_dimensions": generation.dimensions}
            embedder = await to_thread.run_sync(choose, replace(self._settings, **wanted))
            if embedder.digest != generation.digest:
                await embedder.aclose()
                raise ModelMissing(
                    f"The memory was embedded with another version of {generation.model!r}.",
                    hint="Bring that version back, or make the vectors again: reembed.",
                )
            self._held[number] = _Held(embedder)

    async def _close_idle(self) -> None:
        before = time.monotonic() - _IDLE_SECONDS
        idle = [n for n, held in self._held.items() if not held.calls and held.used_at < before]
        for held in [self._held.pop(number) for number in idle]:
            await held.embedder.aclose()


@dataclass(slots=True)
class _Held:
    """An open embedder, how many calls are in it now, and when the last one ended (monotonic seconds)."""

    embedder: Embedder
    calls: int = 0
    used_at: float = field(default_factory=time.monotonic)


@dataclass(frozen=True, slots=True, eq=False)
class PreparedVectors:
    """Vectors by text, shape (d,), and the generation that they are of; None where there are none."""

    generation: int | None
    vectors: Mapping[str, Vectors]

    def check(self, tx: SpaceTransaction) -> None:
        """Raise unless the vectors are of the space's model.

        Raises:
            GenerationChanged: the space is searched by the vectors of another model by now.
        """
        current = tx.space.generation
        if self.generation is not None and current is not None and current != self.generation:
            raise GenerationChanged(current)

    def of(self, texts: Sequence[str]) -> tuple[Vectors, int]:
        """Return the vectors of one or more texts, in order: shape (n, d), and their generation.

        Raises:
            Unprepared: one of them has none.
        """
        for text in texts:
            if self.generation is None or text not in self.vectors:
                raise Unprepared(text)
        assert self.generation is not None
        return np.stack([self.vectors[text] for text in texts]), self.generation


async def prepare(database: Database, models: Models, space: str, texts: Sequence[str]) -> PreparedVectors:
    """Embed texts with the model of the space, each text once."""
    distinct = list(dict.fromkeys(texts))
    if not distinct:
        return NOTHING
    async with database.snapshot_read(space) as tx:
        generation = None if tx is None else tx.space.generation
    embedded = await models.embed(distinct, generation=generation)
    return PreparedVectors(embedded.generation, dict(zip(distinct, embedded.vectors, strict=True)))


class Unprepared(Exception):
    """A text is to be filed that no vector was made for: make one and begin the transaction again.

    A signal inside a kind; no caller ever sees it.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        super().__init__("a text has no vector yet")


NOTHING: Final = PreparedVectors(None, {})
"""Where nothing is to be filed."""
