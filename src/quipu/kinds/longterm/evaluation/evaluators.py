"""The evaluator that was asked for by its name: the rules, or the language model of the settings."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from anyio import to_thread

from quipu.errors import BadInput, ConfigError
from quipu.kernel.base.clock import Clock
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kernel.language.budget import DailyBudget
from quipu.kernel.language.choose import UNNAMED, choose
from quipu.kernel.language.model import Language
from quipu.kernel.policy.policy import policy
from quipu.kinds.longterm.evaluation.model import Evaluator
from quipu.kinds.longterm.evaluation.rules import RulesEvaluator
from quipu.kinds.longterm.settings import EVALUATOR, EVALUATORS
from quipu.recall.generations import Models


@asynccontextmanager
async def named(
    name: Evaluator | str | None,
    *,
    database: Database,
    models: Models,
    settings: Settings,
    clock: Clock,
    language: Language | None = None,
) -> AsyncGenerator[Evaluator]:
    """Open ``rules``, ``llm``, the evaluator of the settings (None), or the given evaluator itself.

    ``language`` is used, and left open, if it is there; else one is opened for the block.

    Raises:
        BadInput: there is none of that name.
        ConfigError: the settings name no language model, or no policy that can be.
        MissingExtra: what talks to it is not installed.
    """
    chosen = settings.of(EVALUATOR) if name is None else name
    if not isinstance(chosen, str):
        yield chosen
    elif chosen == "rules":
        async with models.lent() as embedder:
            yield RulesEvaluator(embedder, policy=policy(settings.policy))
    elif chosen == "llm":
        async with _speaking(language, database, settings, clock) as speaking:
            # Not at the top: it brings pydantic along, and the rules need none of it.
            from quipu.kinds.longterm.evaluation.remote import RemoteEvaluator  # noqa: PLC0415

            yield RemoteEvaluator(speaking, policy=policy(settings.policy))
    else:
        raise BadInput(f"{chosen!r} is none of {', '.join(EVALUATORS)}.", field="evaluator")


@asynccontextmanager
async def _speaking(
    language: Language | None, database: Database, settings: Settings, clock: Clock
) -> AsyncGenerator[Language]:
    if language is not None:
        yield language
        return
    budget = DailyBudget(database, clock=clock)
    opened = await to_thread.run_sync(lambda: choose(settings, budget=budget))
    if opened is None:
        raise ConfigError("No language model is named.", hint=UNNAMED)
    try:
        yield opened
    finally:
        await opened.aclose()
