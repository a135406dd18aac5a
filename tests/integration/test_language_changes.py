"""The language model of a worker follows what is kept in the database, without a restart."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from quipu.app.workers import _Models  # pyright: ignore[reportPrivateUsage]
from quipu.errors import ConfigError, LanguageFailed
from quipu.kernel.db.database import Database
from quipu.testing import FrozenClock
from quipu.upkeep.settings.settings import keep_after_trial

CLOCK = FrozenClock(datetime(2026, 3, 1, tzinfo=UTC))
NONE = dict.fromkeys(["llm_base_url", "llm_model", "llm_key_env", "llm_dialect"])


async def keep(database: Database, model: str | None, **others: str) -> None:
    named = {"llm_base_url": "http://127.0.0.1:9/v1", "llm_model": model} if model else {}
    await keep_after_trial(database, NONE | named | others, clock=CLOCK)


async def test_the_model_of_a_worker_is_the_one_that_is_kept_now(database: Database) -> None:
    async with _Models.open(database, CLOCK) as models:
        assert await models.for_job() is None
        await keep(database, "small")
        small = await models.for_job()
        assert small is not None
        assert (small.name, await models.for_job()) == ("openai:small", small)
        await keep(database, "large", llm_dialect="anthropic")
        large = await models.for_job()
        assert large is not None
        assert large.name == "anthropic:large"
        await keep(database, None)
        assert await models.for_job() is None


async def test_a_model_whose_key_is_not_here_fails_only_who_asks_it(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("KEY_OF_NOBODY", raising=False)
    async with _Models.open(database, CLOCK) as models:
        await keep(database, "small", llm_key_env="KEY_OF_NOBODY")
        language = await models.for_job()
        assert language is not None
        with pytest.raises(LanguageFailed, match="KEY_OF_NOBODY"):
            await language.say(instructions="How?", text="Ana", purpose="test")
        monkeypatch.setenv("KEY_OF_NOBODY", "k")
        opened = await models.for_job()
        assert opened is not None
        assert opened.name == "openai:small"


async def test_a_worker_does_not_begin_with_half_of_what_is_needed(database: Database) -> None:
    await keep_after_trial(database, {"llm_base_url": "http://127.0.0.1:9/v1"}, clock=CLOCK)
    with pytest.raises(ConfigError, match="QUIPU_LLM_MODEL"):
        async with _Models.open(database, CLOCK):
            raise AssertionError
