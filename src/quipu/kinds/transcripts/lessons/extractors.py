"""The extractor that was asked for by its name: the rules, or the language model of the settings."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from anyio import to_thread

from quipu.errors import BadInput, ConfigError
from quipu.kernel.base.clock import Clock
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kernel.language.budget import DailyBudget
from quipu.kernel.language.choose import choose
from quipu.kinds.transcripts.extract.extractor import RulesExtractor
from quipu.kinds.transcripts.extract.model import Extractor
from quipu.recall.generations import Models

NAMES = ("rules", "llm")


@asynccontextmanager
async def named(
    name: Extractor | str, *, database: Database, models: Models, settings: Settings, clock: Clock
) -> AsyncGenerator[Extractor]:
    """Open ``rules``, ``llm``, or the given extractor itself; it is closed with the block.

    Raises:
        BadInput: there is none of that name.
        ConfigError: the settings name no language model.
        MissingExtra: what talks to it is not installed.
    """
    if not isinstance(name, str):
        yield name
    elif name == "rules":
        async with models.lent() as embedder:
            yield RulesExtractor(embedder)
    elif name == "llm":
        async with _asking(database, settings, clock) as extractor:
            yield extractor
    else:
        raise BadInput(f"{name!r} is none of {', '.join(NAMES)}.", field="extractor")


@asynccontextmanager
async def _asking(database: Database, settings: Settings, clock: Clock) -> AsyncGenerator[Extractor]:
    # Not at the top: it brings pydantic along, and the rules need none of it.
    from quipu.kinds.transcripts.extract.remote import RemoteExtractor  # noqa: PLC0415

    budget = DailyBudget(database, clock=clock)
    language = await to_thread.run_sync(lambda: choose(settings, budget=budget))
    if language is None:
        raise ConfigError(
            "No language model is named.",
            hint="Set QUIPU_LLM_BASE_URL and QUIPU_LLM_MODEL, or use the rules.",
        )
    try:
        yield RemoteExtractor(language)
    finally:
        await language.aclose()
