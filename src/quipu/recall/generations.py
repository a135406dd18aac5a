"""Which embedding model the vectors in the database come from."""

from __future__ import annotations

from quipu.errors import ModelMissing
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kernel.embedding.choose import choose
from quipu.kernel.embedding.model import Embedder
from quipu.recall import store
from quipu.recall.store import Generation


async def open_embedder(database: Database, settings: Settings) -> tuple[Embedder, Generation]:
    """The embedder whose vectors are searched, and its generation.

    A new database begins with the model of the settings. An older one keeps its own model until
    ``reembed`` has made the vectors of another: vectors of two models are never compared.

    Raises:
        ModelMissing: the model of the database is not installed any more, or its weights differ.
    """
    async with database.plain() as conn:
        generation = await store.serving(conn)
    if generation is None:
        embedder = choose(settings)
        async with database.owner() as conn:
            generation = await store.begin_serving(conn, embedder)
        if generation.digest == embedder.digest:
            return embedder, generation
    embedder = choose(settings.model_copy(update={"embedding_model": generation.model}))
    if embedder.digest != generation.digest:
        raise ModelMissing(
            f"The memory was embedded with another version of {generation.model!r}.",
            hint="Bring that version back, or make the vectors anew: quipu reembed",
        )
    return embedder, generation
